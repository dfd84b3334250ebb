"""The launcher: what survives which end, and that the tables are the template's."""

from __future__ import annotations

import contextlib
import io
import json
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra.local.client import client
from infra.local.engine import HIGHEST_PORT, Engine, PortRefused, listening
from infra.local.storage import create_tables, merge_template

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_lambda import LambdaClient

NOTE_KEYS = """
import botocore.session

def note(event, context):
    dynamodb = botocore.session.get_session().create_client("dynamodb")
    for record in event["Records"]:
        dynamodb.put_item(TableName="zeitnot-watch", Item=record["dynamodb"]["Keys"])
"""

pytestmark = pytest.mark.engine


def put(endpoint: str, key: str, table: str = "zeitnot-watch") -> None:
    dynamodb: DynamoDBClient = client("dynamodb", endpoint)
    dynamodb.put_item(TableName=table, Item={"id": {"S": key}})


def keys(endpoint: str) -> set[str]:
    dynamodb: DynamoDBClient = client("dynamodb", endpoint)
    return {item["id"]["S"] for item in dynamodb.scan(TableName="zeitnot-watch")["Items"]}


def note_changes_of_games(endpoint: str) -> None:
    """Deploy a consumer of the stream of games that copies the keys into the watch table."""
    code = io.BytesIO()
    with zipfile.ZipFile(code, "w") as archive:
        archive.writestr("consumer.py", NOTE_KEYS)
    functions: LambdaClient = client("lambda", endpoint)
    functions.create_function(
        FunctionName="consumer",
        Runtime="python3.11",
        Handler="consumer.note",
        Role="arn:aws:iam::000000000000:role/consumer",
        Code={"ZipFile": code.getvalue()},
    )
    dynamodb: DynamoDBClient = client("dynamodb", endpoint)
    stream = dynamodb.describe_table(TableName="zeitnot-games")["Table"]["LatestStreamArn"]
    functions.create_event_source_mapping(
        FunctionName="consumer", EventSourceArn=stream, StartingPosition="TRIM_HORIZON"
    )


def await_keys(endpoint: str, expected: set[str]) -> None:
    deadline = time.monotonic() + 20
    while (seen := keys(endpoint)) != expected:
        assert time.monotonic() < deadline, f"saw only {seen}"
        time.sleep(0.1)


def test_state_survives_a_stop_and_is_lost_by_a_kill(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        create_tables(engine.endpoint)
        put(engine.endpoint, "saved")

    with Engine(tmp_path) as engine:
        assert keys(engine.endpoint) == {"saved"}
        put(engine.endpoint, "lost")
        engine.kill()

    with Engine(tmp_path) as engine:
        assert keys(engine.endpoint) == {"saved"}


def test_stream_consumers_miss_nothing_after_a_restart(tmp_path: Path) -> None:
    with Engine(tmp_path) as engine:
        create_tables(engine.endpoint)
        note_changes_of_games(engine.endpoint)
        for key in ("a", "b", "c"):
            put(engine.endpoint, key, table="zeitnot-games")
        await_keys(engine.endpoint, {"a", "b", "c"})

    with Engine(tmp_path) as engine:
        put(engine.endpoint, "d", table="zeitnot-games")
        await_keys(engine.endpoint, {"a", "b", "c", "d"})


def test_an_engine_left_behind_is_ended_and_its_writes_are_kept(tmp_path: Path) -> None:
    orphan = Engine(tmp_path)
    orphan.start()
    orphan.wait_until_ready()
    create_tables(orphan.endpoint)
    put(orphan.endpoint, "saved")
    try:
        with Engine(tmp_path) as engine:
            assert orphan.has_died
            assert keys(engine.endpoint) == {"saved"}
    finally:
        orphan.kill()


@pytest.mark.parametrize("record", ['{"pid": 1, "port": 4566}', '{"pid": 999999999}', "{", "[]"])
def test_a_stale_record_blocks_nothing(tmp_path: Path, record: str) -> None:
    (tmp_path / "engine.json").write_text(record)

    with Engine(tmp_path) as engine:
        assert json.loads((tmp_path / "engine.json").read_text())["pid"] == engine.pid


def test_a_scratch_engine_leaves_nothing_behind() -> None:
    with Engine() as engine:
        folder = engine.home
        assert folder.exists()

    assert not folder.exists()


def test_a_taken_port_leads_to_the_next_one() -> None:
    with listening() as taken:
        port = taken.getsockname()[1]
        with listening(port) as other:
            assert port < other.getsockname()[1]


def test_beyond_the_last_port_there_is_none() -> None:
    with contextlib.suppress(PortRefused), listening(HIGHEST_PORT) as last:
        assert last.getsockname()[1] == HIGHEST_PORT
        with pytest.raises(PortRefused, match="no free port"):
            listening(HIGHEST_PORT)


def test_tables_are_those_of_the_template(engine: Engine) -> None:
    names = create_tables(engine.endpoint, stack="schema")

    dynamodb: DynamoDBClient = client("dynamodb", engine.endpoint)
    games = dynamodb.describe_table(TableName=names["GAMES_TABLE"])["Table"]
    asked = merge_template()["Resources"]["Games"]["Properties"]
    assert names == {
        "GAMES_TABLE": "schema-games",
        "PLAYER_GAMES_TABLE": "schema-player-games",
        "PAIRINGS_TABLE": "schema-pairings",
        "WATCH_TABLE": "schema-watch",
        "CLUBS_TABLE": "schema-clubs",
        "RESULTS_TABLE": "schema-results",
        "CHANGES_TABLE": "schema-changes",
        "RATINGS_TABLE": "schema-ratings",
        "DESK_TABLE": "schema-desk",
    }
    assert games["KeySchema"] == asked["KeySchema"]
    assert games["StreamSpecification"]["StreamViewType"] == asked["StreamSpecification"]["StreamViewType"]
    index, wanted = games["GlobalSecondaryIndexes"][0], asked["GlobalSecondaryIndexes"][0]
    assert (index["IndexName"], index["KeySchema"]) == (wanted["IndexName"], wanted["KeySchema"])
