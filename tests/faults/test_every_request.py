"""Every act of the API, with a fault at every single request that it makes of the database.

What is answered 2xx has been done, once; what is not is a 503 that asks to try again, and trying again settles it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from chalice.test import HTTPResponse

from chalicelib.core.durations import DAY
from chalicelib.core.problems import PROBLEM_TYPE
from chalicelib.games import rows, store
from chalicelib.games.item import GameItem
from chalicelib.watch import watching
from tests.faults.wire import ARRIVED, FOR_GOOD, IS_SOAK, ONCE, Line
from tests.games.conftest import Hand, Time
from tests.games.test_api import start

Door = Callable[..., Hand]

WRITES: Final = ("UpdateItem", "PutItem", "TransactWriteItems")
MAKING: Final = ("challenge", "seek", "pair")
"""Acts that nobody else can be in the middle of: a conflict is told as 503."""


@dataclass(frozen=True)
class Act:
    """Something asked of the API: `ask` may be called again, `check` fails unless it was done exactly once."""

    ask: Callable[[], HTTPResponse]
    check: Callable[[HTTPResponse], None]


def _in_game(path: str, body: Any = None, before: Callable[[str, Hand, Hand], None] | None = None) -> Any:
    """An act of White in a game that has just begun; its event is the last one and the only one of its kind."""

    def make(door: Door, now: Time) -> Act:
        game, white, black = start(door)
        if before:
            before(game, white, black)
        events = len(store.load(game).log)

        def check(answer: HTTPResponse) -> None:
            log = store.load(game).log
            assert len(log) == events + 1
            assert answer.json_body["version"] == events + 1

        return Act(lambda: white.post(f"/v1/games/{game}/{path}", body), check)

    return make


def _offered(game: str, white: Hand, black: Hand) -> None:
    assert black.post(f"/v1/games/{game}/draw-offer", {"ply": 0}).status_code == 200


def _challenge(door: Door) -> tuple[str, Hand, Hand]:
    anna, bert = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("anna", "bert"))
    game = anna.post("/v1/challenges", {"opponent": bert.player, "profile": "30-30-1"}).json_body["id"]
    return game, anna, bert


def _of_invitation(verb: str) -> Any:
    def make(door: Door, now: Time) -> Act:
        game, anna, bert = _challenge(door)
        hand = anna if verb == "withdraw" else bert

        def check(answer: HTTPResponse) -> None:
            assert len(store.load(game).log) == 1

        return Act(lambda: hand.post(f"/v1/challenges/{game}/{verb}"), check)

    return make


def _accept_seek(door: Door, now: Time) -> Act:
    anna, bert = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("anna", "bert"))
    game = anna.post("/v1/seeks", {"profile": "30-30-1"}).json_body["id"]

    def check(answer: HTTPResponse) -> None:
        assert len(store.load(game).log) == 1
        assert rows.running_of(bert.player) == [game]
        assert game not in rows.running_of(rows.LOBBY)

    return Act(lambda: bert.post(f"/v1/seeks/{game}/accept"), check)


def _make(path: str) -> Any:
    def make(door: Door, now: Time) -> Act:
        anna = door(f"anna-{uuid.uuid4().hex[:8]}")
        body = {"profile": "30-30-1"} | ({"opponent": "bert"} if path == "/v1/challenges" else {})

        def check(answer: HTTPResponse) -> None:
            assert rows.running_of(anna.player) == [answer.json_body["id"]]
            assert store.load(answer.json_body["id"]).version == 0

        return Act(lambda: anna.post(path, body, key="once"), check)

    return make


def _pair(door: Door, now: Time) -> Act:
    """So many boards that they take two transactions."""
    mark = uuid.uuid4().hex[:8]
    arbiter = door("arbiter", scope="record")
    boards = [{"white": f"w{number}-{mark}", "black": f"b{number}-{mark}"} for number in range(34)]

    def check(answer: HTTPResponse) -> None:
        games = store.load_many(answer.json_body["games"])
        assert [{"white": game.white, "black": game.black} for game in games] == boards
        assert rows.running_of(boards[33]["black"]) == [games[33].id]

    body = {"event": "Open", "profile": "T3_1", "boards": boards}
    return Act(lambda: arbiter.post("/v1/pairings", body, key=mark), check)


def _read_when_due(door: Door, now: Time) -> Act:
    game, white, _ = start(door, profile="T3_1")
    now.pass_by(4 * DAY)

    def check(answer: HTTPResponse) -> None:
        assert answer.json_body["result"]["reason"] == "time"
        assert len(store.load(game).log) == 2

    return Act(lambda: white.get(f"/v1/games/{game}"), check)


def _list_when_due(door: Door, now: Time) -> Act:
    game, white, _ = start(door, profile="T3_1")
    now.pass_by(4 * DAY)

    def check(answer: HTTPResponse) -> None:
        assert [card["id"] for card in answer.json_body["finished"]] == [game]
        assert len(store.load(game).log) == 2

    return Act(lambda: white.get("/v1/games"), check)


ACTS: Final[dict[str, Callable[[Door, Time], Act]]] = {
    "move": _in_game("moves", {"ply": 0, "move": "e2e4"}),
    "resign": _in_game("resign"),
    "abort": _in_game("abort"),
    "offer": _in_game("draw-offer", {"ply": 0}),
    "accept the offer": _in_game("draw-offer/accept", {"ply": 0}, _offered),
    "decline the offer": _in_game("draw-offer/decline", {"ply": 0}, _offered),
    "accept": _of_invitation("accept"),
    "decline": _of_invitation("decline"),
    "withdraw": _of_invitation("withdraw"),
    "accept a seek": _accept_seek,
    "challenge": _make("/v1/challenges"),
    "seek": _make("/v1/seeks"),
    "pair": _pair,
    "read": _read_when_due,
    "list": _list_when_due,
}


@pytest.fixture(autouse=True)
def unwatched(on_engine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """No heartbeat of another test: it would soon be a silence. This process has just heard of the watch."""
    from chalicelib.watch.store import WatchItem

    WatchItem("scan").delete()
    monkeypatch.setattr(watching, "real_ms", lambda: 0)
    watching.windows(0, surely=False)


def _requests(line: Line, act: Act) -> list[str]:
    """The requests that an act makes of a database without faults, the read of the watch included."""
    line.is_mended()
    watching.forget()
    assert act.ask().status_code in (200, 201)
    return list(line.seen)


def _faults(operations: list[str], every: bool) -> Iterator[tuple[int, str, bool]]:
    """Number of the request, fault, and whether it stays. Not `every`: the faults of each kind take turns."""
    for number, operation in enumerate(operations, 1):
        yield from ((number, fault, False) for fault in (ONCE if every else [ONCE[number % len(ONCE)]]))
        if operation in WRITES:
            yield number, "answer lost", False
            yield number, "conflict", False
            yield from ((number, fault, True) for fault in (FOR_GOOD if every else [FOR_GOOD[number % len(FOR_GOOD)]]))


@pytest.mark.parametrize("name", ACTS)
def test_a_fault_at_every_request(door: Door, now: Time, line: Line, name: str) -> None:
    make = ACTS[name]
    for number, fault, for_good in _faults(_requests(line, make(door, now)), IS_SOAK):
        line.is_mended()
        act = make(door, now)
        line.breaks(fault, first=number, for_good=for_good)
        watching.forget()
        first = act.ask()
        line.is_mended()
        second = act.ask()
        case = f"{fault} at request {number}{' and after' if for_good else ''}"
        if first.status_code >= 300:
            assert (first.status_code, first.json_body["code"]) == (503, "store_unavailable"), case
            assert first.headers["Content-Type"] == PROBLEM_TYPE
            assert for_good or (fault == "conflict" and name in MAKING), case
        else:
            act.check(first)
            assert _timeless(first) == _timeless(second), case
        assert second.status_code in (200, 201), case
        act.check(second)


@pytest.mark.parametrize("name", ACTS)
def test_a_lost_answer_is_settled_by_asking_again(door: Door, now: Time, line: Line, name: str) -> None:
    """When a process has met many faults, botocore repeats no request any more."""
    make = ACTS[name]
    operations = _requests(line, make(door, now))
    line.is_asked_again = False
    for number, operation in enumerate(operations, 1):
        if operation not in WRITES:
            continue
        line.is_mended()
        act = make(door, now)
        line.breaks("answer lost", first=number)
        watching.forget()
        assert act.ask().status_code in (200, 201, 503)
        line.is_mended()
        second = act.ask()
        assert second.status_code in (200, 201), f"{operation}, request {number}"
        act.check(second)


def _timeless(answer: HTTPResponse) -> Any:
    """The body without the instant at which it was written."""
    return {name: value for name, value in answer.json_body.items() if name != "now_ms"}


@pytest.mark.parametrize("mode", ["legacy", "standard", "adaptive"])
@pytest.mark.parametrize("fault", ["answer lost", "connection lost"])
def test_a_lost_answer_in_every_retry_mode(
    door: Door, line: Line, mode: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = GameItem._get_connection().connection
    monkeypatch.setattr(connection, "_retry_configuration", {"mode": mode, "total_max_attempts": 4})
    monkeypatch.setattr(connection, "_client", None)
    assert connection.client.meta.config.retries["mode"] == mode
    game, white, _ = start(door)
    line.breaks(fault, first=2)
    answer = white.move(game, 0, "e2e4")
    assert line.seen == ["GetItem", "UpdateItem", "UpdateItem"]
    assert answer.status_code == 200
    assert white.move(game, 0, "e2e4").body == answer.body
    assert len(store.load(game).log) == 2


@pytest.mark.parametrize(
    "faults",
    [
        ("refused", "answer lost"),
        ("answer lost", "answer lost"),
        ("throttled", "answer lost"),
        ("answer lost", "throttled"),
        ("connection lost", "refused", "server error"),
    ],
    ids=", ".join,
)
def test_one_fault_after_another(door: Door, line: Line, faults: tuple[str, ...]) -> None:
    game, white, _ = start(door)
    line.breaks(*faults, first=2)
    answer = white.move(game, 0, "e2e4")
    assert line.seen == ["GetItem", *["UpdateItem"] * (len(faults) + 1)]
    assert answer.status_code == 200
    assert white.move(game, 0, "e2e4").body == answer.body
    assert len(store.load(game).log) == 2


def test_a_rival_move_in_between_does_not_pass_for_our_own(door: Door, line: Line) -> None:
    """Our request is dropped, a rival's move is written, then ours is sent again."""
    game, white, _ = start(door)

    def rival_comes_first() -> None:
        line.is_mended()
        assert white.move(game, 0, "d2d4").status_code == 200

    line.between = rival_comes_first
    line.breaks("refused", first=2)
    refused = white.move(game, 0, "e2e4")
    assert (refused.status_code, refused.json_body["code"]) == (409, "already_played")
    assert refused.json_body["game"]["events"][-1]["move"] == "d2d4"
    assert len(store.load(game).log) == 2


@pytest.mark.parametrize("fault", ARRIVED)
def test_a_reply_in_between_does_not_hide_our_own_move(door: Door, line: Line, fault: str) -> None:
    """Our move is written and its answer lost, the opponent replies, then ours is sent again."""
    game, white, black = start(door)

    def opponent_replies() -> None:
        line.is_mended()
        assert black.move(game, 1, "e7e5").status_code == 200

    line.between = opponent_replies
    line.breaks(fault, first=2)
    answer = white.move(game, 0, "e2e4")
    assert (answer.status_code, answer.json_body["version"]) == (200, 2)
    assert white.move(game, 0, "e2e4").body == answer.body
    assert len(store.load(game).log) == 3
