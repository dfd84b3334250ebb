"""Every act of the desk, with a fault at every request that it makes of the database, and killed at every step.

What is answered 200 has been done, once, with its line in the audit log; what is not is a 503 that asks to try again,
and trying again with the same Idempotency-Key settles it.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from chalice.test import HTTPResponse

from chalicelib.core.durations import DAY, HOUR
from chalicelib.desk import audit
from chalicelib.games import store
from chalicelib.games.events import RefereesEvent
from chalicelib.watch import watching
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from tests.desk.hand import Referee
from tests.desk.table import lists, paired, sound
from tests.faults.conftest import line
from tests.faults.wire import FOR_GOOD, IS_SOAK, ONCE, Line
from tests.games.conftest import PUBLIC_URL, Hand, Time
from tests.races.processes import Processes, processes

__all__ = ["line"]

Door = Callable[..., Hand]
WRITES: Final = ("UpdateItem", "TransactWriteItems")


@dataclass(frozen=True)
class Asked:
    """An act that may be asked for again with the same key, on a game that stands so that it can be done."""

    operator: Referee
    game: str
    path: str
    body: dict[str, Any]
    key: str
    acts_before: int

    def ask(self) -> HTTPResponse:
        return self.operator.post(f"/v1/admin/games/{self.game}/{self.path}", self.body, key=self.key)

    def check(self, answer: HTTPResponse) -> None:
        """It was done exactly once, in the log and in the audit log."""
        act = answer.json_body
        game = sound(self.game)
        logged = [event.key for event in game.log if isinstance(event, RefereesEvent) and event.key]
        lines = audit.of_subject(f"game#{self.game}", 20).acts
        assert len(lines) == len(logged) == self.acts_before + 1
        assert logged[-1] == act["id"]
        assert sum(one.id == act["id"] for one in lines) == 1
        assert act["version"] == game.version


def _gift(door: Door, now: Time, operator: Referee) -> Asked:
    game, _, _ = paired(door, moves=0)
    return Asked(operator, game, "adjust", {"side": "white", "delta_ms": -HOUR, "reason": "x"}, uuid.uuid4().hex, 0)


def _decision(door: Door, now: Time, operator: Referee) -> Asked:
    game, _, _ = paired(door, moves=0)
    return Asked(operator, game, "adjudicate", {"result": "draw", "reason": "x"}, uuid.uuid4().hex, 0)


def _undo_of_a_decision(door: Door, now: Time, operator: Referee) -> Asked:
    game, _, _ = paired(door, moves=0)
    decided = operator.post(f"/v1/admin/games/{game}/adjudicate", {"result": "draw", "reason": "x"})
    assert decided.status_code == 200
    return Asked(operator, game, "undo", {"reason": "x"}, uuid.uuid4().hex, 1)


def _reinstatement(door: Door, now: Time, operator: Referee) -> Asked:
    game, white, _ = paired(door, profile="T3_1", moves=0)
    now.pass_by(4 * DAY)
    assert white.get(f"/v1/games/{game}").json_body["result"]["reason"] == "time"
    return Asked(operator, game, "reinstate", {"to_ms": DAY, "reason": "x"}, uuid.uuid4().hex, 0)


ACTS: Final = {
    "gift": _gift,
    "decision": _decision,
    "undo of a decision": _undo_of_a_decision,
    "reinstatement": _reinstatement,
}


@pytest.fixture(autouse=True)
def unwatched(on_engine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No heartbeat of another test: it would soon be a silence. This process has just heard of the watch."""
    from chalicelib.watch.store import WatchItem

    WatchItem("scan").delete()
    monkeypatch.setattr(watching, "real_ms", lambda: 0)
    watching.windows(0, surely=False)


def _requests(line: Line, act: Asked) -> list[str]:
    line.is_mended()
    assert act.ask().status_code == 200
    return list(line.seen)


def _faults(operations: list[str]) -> Iterator[tuple[int, str, bool]]:
    """Number of the request, fault, and whether it stays; in the suite the faults of each kind take turns."""
    for number, operation in enumerate(operations, 1):
        yield from ((number, fault, False) for fault in (ONCE if IS_SOAK else [ONCE[number % len(ONCE)]]))
        if operation in WRITES:
            yield number, "answer lost", False
            yield number, "conflict", False
            yield from ((number, fault, True) for fault in (FOR_GOOD if IS_SOAK else [FOR_GOOD[number % 3]]))


@pytest.mark.parametrize("name", ACTS)
def test_a_fault_at_every_request(door: Door, now: Time, operator: Referee, line: Line, name: str) -> None:
    make = ACTS[name]
    for number, fault, for_good in _faults(_requests(line, make(door, now, operator))):
        line.is_mended()
        act = make(door, now, operator)
        line.breaks(fault, first=number, for_good=for_good)
        first = act.ask()
        line.is_mended()
        second = act.ask()
        case = f"{fault} at request {number}{' and after' if for_good else ''}"
        assert second.status_code == 200, (case, second.body)
        act.check(second)
        if first.status_code != 200:
            assert (first.status_code, first.json_body["code"]) == (503, "store_unavailable"), case
        else:
            assert first.body == second.body, case


def test_after_a_lost_answer_the_lists_say_what_the_game_says(
    door: Door, now: Time, operator: Referee, line: Line
) -> None:
    game, white, black = paired(door, moves=0)
    operator.post(f"/v1/admin/games/{game}/adjudicate", {"result": "draw", "reason": "x"})
    line.is_asked_again = False
    line.breaks("answer lost", first=4)
    answer = operator.post(f"/v1/admin/games/{game}/undo", {"reason": "x"}, key="k")
    assert "TransactWriteItems" in line.seen
    line.is_mended()
    assert answer.status_code in (200, 503)
    assert operator.post(f"/v1/admin/games/{game}/undo", {"reason": "x"}, key="k").status_code == 200
    assert lists(white.player) == lists(black.player) == ([game], [])
    assert store.load(game).result is None
    sound(game)


@pytest.fixture(scope="module")
def forks(storage: dict[str, str], issuer: tuple[Issuer, str]) -> Iterator[Processes]:
    """The app in processes of its own."""
    known = {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer[1], "PUBLIC_URL": PUBLIC_URL}
    with processes({**storage, **known}) as ready:
        yield ready


@pytest.mark.parametrize("step", ["before TransactWriteItems", "after TransactWriteItems", "before the answer"])
@pytest.mark.parametrize("name", ["gift", "undo of a decision"])
def test_death_in_the_middle_of_an_act(
    door: Door, now: Time, operator: Referee, forks: Processes, name: str, step: str
) -> None:
    act = ACTS[name](door, now, operator)
    target, body = f"/v1/admin/games/{act.game}/{act.path}", json.dumps(act.body)
    headers = {"idempotency-key": act.key, "content-type": "application/json"}
    signed = headers | operator.signature("POST", target, body.encode(), headers)
    asked = {"path": target, "headers": signed, "body": body, "now_ms": now.ms, "die": step}
    before = store.load(act.game).version
    assert forks.one(asked) is None
    assert store.load(act.game).version == before + (not step.startswith("before Trans"))
    assert len(audit.of_subject(f"game#{act.game}", 20).acts) == act.acts_before + (not step.startswith("before Trans"))
    answer = act.ask()
    assert answer.status_code == 200, answer.body
    act.check(answer)
