"""The app's process is killed at every step of an act: what was answered is there, asking again settles the rest."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from chalicelib.core.durations import MINUTE
from chalicelib.core.ids import derived_id
from chalicelib.games import flagfall, pairings, rows, store
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from tests.games.conftest import Hand, Time
from tests.games.test_api import start
from tests.races.processes import Processes, ask, processes

Door = Callable[..., Hand]


@pytest.fixture(scope="module")
def forks(storage: dict[str, str], issuer: tuple[Issuer, str]) -> Iterator[Processes]:
    """The app in processes of its own."""
    with processes({**storage, "JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer[1]}) as ready:
        yield ready


# Steps of a move, and whether it is in the store by then.
MOVE_STEPS = {
    "before GetItem": False,
    "after GetItem": False,
    "before UpdateItem": False,
    "after UpdateItem": True,
    "before the answer": True,
}


@pytest.mark.parametrize("step", MOVE_STEPS)
def test_death_in_the_middle_of_a_move(door: Door, now: Time, forks: Processes, step: str) -> None:
    game, white, black = start(door)
    path, body = f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"}
    now.pass_by(MINUTE)
    assert forks.one(ask(white, path, body, now_ms=now.ms, die=step)) is None
    is_stored = MOVE_STEPS[step]
    assert store.load(game).ply == int(is_stored)

    now.pass_by(MINUTE)
    answers = [white.post(path, body), black.move(game, 1, "e7e5"), white.post(path, body)]
    assert [answer.status_code for answer in answers] == [200] * 3
    assert answers[0].body == answers[2].body
    assert answers[0].json_body["used_ms"] == (MINUTE if is_stored else 2 * MINUTE)
    assert store.load(game).version == 3


def test_what_was_answered_outlives_the_process(door: Door, now: Time, forks: Processes) -> None:
    game, white, _ = start(door)
    steps = ("", "before the answer", "after UpdateItem", "before UpdateItem")
    what = partial(ask, white, f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"}, now_ms=now.ms)
    replies = forks.at_once([what(die=step) for step in steps])
    assert replies[0] is not None
    assert replies[1] is None
    event = white.move(game, 0, "e2e4").json_body
    assert [reply for reply in replies if reply and reply != (200, event)] == []
    assert store.load(game).version == 2


@pytest.mark.parametrize("step", ["before TransactWriteItems", "after TransactWriteItems", "before the answer"])
def test_death_in_the_acceptance_of_a_seek(door: Door, now: Time, forks: Processes, step: str) -> None:
    seeker, guest = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("seeker", "guest"))
    game = seeker.post("/v1/seeks", {"profile": "30-30-1"}).json_body["id"]
    assert forks.one(ask(guest, f"/v1/seeks/{game}/accept", now_ms=now.ms, die=step)) is None
    is_stored = not step.startswith("before Trans")
    assert (len(store.load(game).log), rows.running_of(guest.player)) == ((1, [game]) if is_stored else (0, []))
    assert (game in rows.running_of(rows.LOBBY)) is not is_stored
    assert guest.post(f"/v1/seeks/{game}/accept").status_code == 200
    assert (len(store.load(game).log), rows.running_of(guest.player)) == (1, [game])


@pytest.mark.parametrize("step", ["before TransactWriteItems", "after TransactWriteItems", "before the answer"])
def test_death_in_the_making_of_a_challenge(door: Door, now: Time, forks: Processes, step: str) -> None:
    anna, bert = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("anna", "bert"))
    body = {"opponent": bert.player, "profile": "30-30-1"}
    assert forks.one(ask(anna, "/v1/challenges", body, key="once", now_ms=now.ms, die=step)) is None
    made = anna.post("/v1/challenges", body, key="once")
    assert made.status_code == 201
    assert rows.running_of(anna.player) == rows.running_of(bert.player) == [made.json_body["id"]]


# Steps of a pairing that takes two transactions, and how many of its games exist by then.
PAIRING_STEPS = {
    "after PutItem": 0,
    "before TransactWriteItems 2": 33,
    "after TransactWriteItems 2": 34,
    "before UpdateItem": 34,
    "before the answer": 34,
}


@pytest.mark.parametrize("settled_by", ["the sweep", "the arbiter"])
@pytest.mark.parametrize("step", PAIRING_STEPS)
def test_death_in_the_middle_of_a_pairing(door: Door, now: Time, forks: Processes, step: str, settled_by: str) -> None:
    mark = uuid.uuid4().hex[:8]
    arbiter = door("arbiter", scope="record")
    boards = [{"white": f"w{number}-{mark}", "black": f"b{number}-{mark}"} for number in range(34)]
    body = {"event": "Open", "profile": "T3_1", "boards": boards}
    assert forks.one(ask(arbiter, "/v1/pairings", body, key=mark, now_ms=now.ms, die=step)) is None
    pairing = pairings.load(derived_id("pairing", arbiter.player, mark))
    assert len(store.load_many(pairing.game_ids)) == PAIRING_STEPS[step]

    if settled_by == "the sweep":
        assert flagfall.repair(now.ms + MINUTE).failed == 0
    else:
        now.pass_by(MINUTE)
        paired = arbiter.post("/v1/pairings", body, key=mark)
        assert (paired.status_code, paired.json_body["games"]) == (201, pairing.game_ids)
    games = store.load_many(pairing.game_ids)
    assert [{"white": game.white, "black": game.black} for game in games] == boards
    assert {game.released_at_ms for game in games} == {pairing.created_at_ms}
    for game, board in zip(games, boards, strict=True):
        assert rows.running_of(board["white"]) == rows.running_of(board["black"]) == [game.id]
    assert pairing.id not in list(pairings.unfinished(10**15))
