"""Faults between app and database: answers lost after the write, requests that never arrive, throttles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from chalicelib.games import store
from chalicelib.games.item import GameItem
from tests.games.conftest import Hand
from tests.games.test_api import start


class Wire:
    """Stands between PynamoDB and the engine, and does to the next requests of a kind what a test tells it to."""

    def __init__(self) -> None:
        self.client: Any = GameItem._get_connection().connection.client
        self.plan: list[str] = []
        self.seen: list[str] = []
        self.passing = False
        self.client.meta.events.register("before-send.dynamodb.UpdateItem", self.before_send)

    def before_send(self, request: Any, **_: Any) -> AWSResponse | None:
        if self.passing or not self.plan:
            return None
        fault = self.plan.pop(0)
        self.seen.append(fault)
        if fault == "lost answer":
            self.client._endpoint.http_session.send(request)
            return _answer(request, 500, "InternalServerError")
        if fault == "throttled":
            return _answer(request, 400, "ProvisionedThroughputExceededException")
        return _answer(request, 500, "InternalServerError")

    def close(self) -> None:
        self.client.meta.events.unregister("before-send.dynamodb.UpdateItem", self.before_send)


def _answer(request: Any, status: int, code: str) -> AWSResponse:
    body = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code}).encode()

    class Raw:
        def stream(self, **_: Any) -> Iterator[bytes]:
            yield body

        def read(self, *_: Any) -> bytes:
            return body

    headers = HTTPHeaders.from_dict({"content-type": "application/x-amz-json-1.0"})
    return AWSResponse(request.url, status, headers, Raw())


@pytest.fixture
def wire(on_engine: dict[str, str]) -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


@pytest.mark.parametrize(
    "plan",
    [
        ["lost answer"],
        ["never arrived", "lost answer"],
        ["lost answer", "lost answer"],
        ["throttled", "lost answer"],
        ["lost answer", "throttled"],
    ],
)
def test_a_move_whose_answer_got_lost_is_answered_as_done(
    door: Callable[..., Hand], wire: Wire, plan: list[str]
) -> None:
    game, white, _ = start(door)
    wire.plan = list(plan)
    first = white.move(game, 0, "e2e4")
    again = white.move(game, 0, "e2e4")
    assert wire.seen == plan
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.body == again.body
    assert len(store.load(game).log) == 2


def test_a_rival_move_behind_a_lost_answer_is_refused(door: Callable[..., Hand], wire: Wire) -> None:
    game, white, _ = start(door)
    wire.plan = ["lost answer"]
    assert white.move(game, 0, "e2e4").status_code == 200
    refused = white.move(game, 0, "d2d4")
    assert (refused.status_code, refused.json_body["code"]) == (409, "already_played")
    assert refused.json_body["game"]["ply"] == 1


@pytest.mark.parametrize("fault", ["never arrived", "throttled"])
def test_a_database_that_stays_away_is_told_as_such_and_nothing_is_half_done(
    door: Callable[..., Hand], wire: Wire, fault: str
) -> None:
    game, white, _ = start(door)
    wire.plan = [fault] * 20
    refused = white.move(game, 0, "e2e4")
    assert (refused.status_code, refused.json_body["code"]) == (503, "store_unavailable")
    assert refused.headers["Retry-After"]
    wire.plan = []
    assert store.load(game).version == 1
    assert white.move(game, 0, "e2e4").status_code == 200


def test_a_lost_answer_to_resignation_and_acceptance_settles_too(door: Callable[..., Hand], wire: Wire) -> None:
    game, white, black = start(door)
    wire.plan = ["lost answer"]
    assert white.post(f"/v1/games/{game}/draw-offer", {"ply": 0}).status_code == 200
    wire.plan = ["lost answer"]
    accepted = black.post(f"/v1/games/{game}/draw-offer/accept", {"ply": 0})
    assert (accepted.status_code, accepted.json_body["reason"]) == (200, "agreement")
    assert len(store.load(game).log) == 3
