"""Every path that touches the store, walked on the deployed stack: the engine enforces the policies of the roles.

A permission that is missing is a 500 or an unread batch here; the rules behind the answers are tested elsewhere.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from infra.local import functions
from infra.local.api import Player
from infra.local.stack import RunningStack
from tests.engine_fixtures import started

pytestmark = pytest.mark.stack

PATIENCE_SECONDS = 90.0


class Table:
    """Two players who meet for the first time, and a way to seat them."""

    def __init__(self, stack: RunningStack) -> None:
        self.white = Player(stack, f"w-{uuid4().hex[:8]}")
        self.black = Player(stack, f"b-{uuid4().hex[:8]}")

    def game(self, profile: str = "30-30-1") -> str:
        wish = {"opponent": self.black.name, "profile": profile, "colour": "white"}
        game: str = self.white.post("/v1/challenges", wish, key=uuid4().hex)["id"]
        self.black.post(f"/v1/challenges/{game}/accept")
        return game


@pytest.fixture
def table(stack: RunningStack) -> Table:
    return Table(stack)


def eventually(look: Callable[[], Any]) -> Any:
    """The first true answer of `look`; fails after a while without one."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (found := look()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
    return found


def test_a_challenge_can_be_answered_in_every_way(table: Table) -> None:
    for answer, player in (("decline", table.black), ("withdraw", table.white)):
        wish = {"opponent": table.black.name, "profile": "30-30-1"}
        challenge = table.white.post("/v1/challenges", wish, key=uuid4().hex)["id"]
        assert player.post(f"/v1/challenges/{challenge}/{answer}")["type"] == "end"


def test_a_seek_finds_an_opponent_and_leaves_the_lobby(table: Table) -> None:
    seek = table.white.post("/v1/seeks", {"profile": "30-30-1"}, key=uuid4().hex)["id"]
    assert seek in {card["id"] for card in table.black.get("/v1/seeks?limit=100")["games"]}

    table.black.post(f"/v1/seeks/{seek}/accept")

    assert seek not in {card["id"] for card in table.black.get("/v1/seeks?limit=100")["games"]}
    assert {card["id"] for card in table.black.get("/v1/games")["their_turn"] + table.black.get("/v1/games")["my_turn"]}


def test_an_ended_game_moves_to_the_finished_ones_of_both(table: Table) -> None:
    game = table.game()
    table.white.post(f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"})
    table.black.post(f"/v1/games/{game}/draw-offer", {"ply": 1})
    table.white.post(f"/v1/games/{game}/draw-offer/accept", {"ply": 1})

    def finished(player: Player) -> Any:
        return player.get(f"/v1/players/{player.name}/games")["games"]

    for player in (table.white, table.black):
        assert [card["id"] for card in eventually(partial(finished, player))] == [game]


def test_an_event_is_paired_at_once(stack: RunningStack, table: Table) -> None:
    organiser = Player(stack, "organiser", scope="record")
    boards = [{"white": table.white.name, "black": table.black.name}] * 40
    body = {"event": "open", "profile": "30-30-1", "boards": boards}

    games = organiser.post("/v1/pairings", body, key=uuid4().hex)["games"]

    assert len(set(games)) == len(boards)
    assert {card["id"] for card in table.white.get("/v1/games")["my_turn"]} == set(games)


def test_a_timer_reads_its_game_and_a_poisonous_one_is_given_back(stack: RunningStack, table: Table) -> None:
    good, bad = json.dumps({"game": table.game(), "due_ms": 0}), "poison"
    messages = [
        {"messageId": str(number), "receiptHandle": str(number), "body": body}
        for number, body in enumerate([good, bad])
    ]

    report = functions.invoke(stack, "TimerFunction", {"Records": messages})

    assert report == {"batchItemFailures": [{"itemIdentifier": "1"}]}


def test_the_scan_ends_a_game_at_which_nobody_looks(tmp_path: Path) -> None:
    with started(tmp_path, "--speed", "20000") as run:
        table = Table(run.stack)
        game = table.game(profile="T1_1")
        table.white.post(f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"})
        rows = run.stack.client("dynamodb")

        def ended() -> bool:
            found = rows.query(
                TableName="zeitnot-player-games",
                KeyConditionExpression="player = :player AND begins_with(entry, :ended)",
                ExpressionAttributeValues={":player": {"S": table.black.name}, ":ended": {"S": "ended#"}},
            )
            return bool(found["Items"])

        assert eventually(ended)
        assert table.white.get(f"/v1/games/{game}")["result"]["reason"] == "time"
