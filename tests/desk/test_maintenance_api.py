"""Windows at the HTTP door: who may open and close them, and what they are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.core.durations import HOUR
from chalicelib.desk import worker
from chalicelib.desk.windows import LONGEST_REQUEST
from chalicelib.games import flagfall
from chalicelib.games.item import GameItem
from chalicelib.watch.model import AHEAD
from tests.desk.hand import Referee
from tests.desk.maintenance import due_ms, stored
from tests.desk.table import code
from tests.games.conftest import Hand, Time

pytestmark = pytest.mark.engine

WINDOWS = "/v1/admin/windows"


@pytest.fixture
def boss(alone: Time, desk: Callable[..., Referee]) -> Referee:
    """An operator whose key is in the tables of this test."""
    return desk()


def minute() -> dict[str, Any]:
    """What the schedule does every minute."""
    event = dict.fromkeys(("version", "account", "region", "source", "id", "time", "detail-type"), "")
    return dict(worker.maintenance({**event, "detail": {}, "resources": []}, None))


def test_a_window_from_announcement_to_settlement(boss: Referee, alone: Time, door: Callable[..., Hand]) -> None:
    (game,) = stored(alone)
    deadline = due_ms(game)
    opened = boss.post(WINDOWS, {"reason": "new disks"}, key="night")
    assert opened.status_code == 201, opened.body
    window = opened.json_body
    assert (window["kind"], window["state"], window["from_ms"]) == ("window", "planned", alone.ms + AHEAD)
    assert boss.post(WINDOWS, {"reason": "new disks"}, key="night").json_body == window
    assert code(boss.post(WINDOWS, {"reason": "other"}, key="night")) == "idempotency_key_reused"
    refused = boss.post(WINDOWS, {"reason": "another"})
    assert (refused.status_code, code(refused), refused.json_body["window"]) == (409, "window_stands", window["id"])
    path = f"{WINDOWS}/{window['id']}"
    assert opened.headers["Location"] == path

    alone.pass_by(AHEAD + HOUR)
    assert boss.get(path).json_body["state"] == "open"
    assert boss.get(WINDOWS).json_body["suspended"] is True
    alone.ms = deadline + HOUR
    assert door("anna").get(f"/v1/games/{game}").json_body["status"] == "active"

    closed = boss.post(f"{path}/close")
    assert (closed.status_code, closed.json_body["until_ms"]) == (200, alone.ms + AHEAD)
    assert boss.post(f"{path}/close").json_body == closed.json_body
    assert minute() == {window["id"]: 0}
    alone.pass_by(AHEAD + LONGEST_REQUEST)
    assert boss.get(path).json_body["state"] == "closing"
    assert minute() == {window["id"]: 1}
    done = boss.get(path).json_body
    assert (done["state"], done["settled_ms"], done["closed_by"]) == ("closed", alone.ms, "otto")
    assert done["progress"] == {"walk": 2, "done": 1, "left": 0, "failed": 0, "failing": [], "shifted": 1}
    assert boss.get(WINDOWS).json_body == {"suspended": False, "windows": [done]}
    assert minute() == {}
    assert due_ms(game) == deadline + done["until_ms"] - done["from_ms"]


def test_an_outage_is_seen_and_closed_by_operators(boss: Referee, alone: Time) -> None:
    stored(alone)
    flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    listed = boss.get(WINDOWS).json_body
    assert listed["suspended"] is True
    (silence,) = listed["windows"]
    assert (silence["kind"], silence["state"], silence["from_ms"]) == ("silence", "open", alone.ms - HOUR)
    path = f"{WINDOWS}/{silence['id']}"
    assert boss.get(path).json_body == silence
    assert boss.post(f"{path}/close").status_code == 200
    alone.pass_by(AHEAD + LONGEST_REQUEST)
    minute()
    assert boss.get(path).json_body["state"] == "closed"
    assert boss.get(WINDOWS).json_body["suspended"] is False


def test_a_game_that_fails_is_named_and_holds_the_window_up(boss: Referee, alone: Time) -> None:
    games = stored(alone, count=3)
    window = boss.post(WINDOWS, {"reason": "new disks"}).json_body["id"]
    alone.pass_by(AHEAD + HOUR)
    boss.post(f"{WINDOWS}/{window}/close")
    alone.pass_by(AHEAD + LONGEST_REQUEST)
    GameItem(games[1]).update([GameItem.kind.set("shogi")])
    for walk in (1, 2):
        with pytest.raises(worker.NotSettled, match=games[1]):
            minute()
        progress = boss.get(f"{WINDOWS}/{window}").json_body["progress"]
        assert (progress["walk"], progress["failed"], progress["failing"]) == (walk, 1, [games[1]])
    GameItem(games[1]).update([GameItem.kind.set("chess")])
    minute()
    assert boss.get(f"{WINDOWS}/{window}").json_body["state"] == "closed"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (400, "reason_required")),
        ({"reason": ""}, (400, "invalid_body")),
        ({"reason": "x" * 501}, (400, "invalid_body")),
        ({"reason": "x", "from_ms": 0}, (422, "window_too_soon")),
        ({"reason": "x", "from_ms": "soon"}, (400, "invalid_body")),
        ({"reason": "x", "until_ms": 1}, (400, "invalid_body")),
    ],
)
def test_bad_windows_are_refused(boss: Referee, body: Any, expected: tuple[int, str]) -> None:
    answer = boss.post(WINDOWS, body)
    assert (answer.status_code, code(answer)) == expected
    assert boss.get(WINDOWS).json_body == {"suspended": False, "windows": []}


def test_windows_are_for_operators(alone: Time, desk: Callable[..., Referee], boss: Referee) -> None:
    director = desk("director", events=("open",))
    assert code(director.post(WINDOWS, {"reason": "x"})) == "role_required"
    assert code(director.get(WINDOWS)) == "role_required"
    assert code(boss.get(f"{WINDOWS}/abcdefghijkm")) == "unknown_window"
    assert code(boss.post(f"{WINDOWS}/silence-1/close")) == "unknown_window"
