"""Ended games in the pools: which ones rate, where, and that each does so once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from chalice.test import Client
from msgspec.structs import replace

from chalicelib.clock.profiles import Profile, named
from chalicelib.core.durations import MINUTE
from chalicelib.core.settings import settings
from chalicelib.core.sides import Side
from chalicelib.games import rated, store
from chalicelib.games.item import ENDED
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game, Result
from chalicelib.ratings import marking
from chalicelib.ratings.model import Partition, Played
from chalicelib.recomputing import truth
from chalicelib.rules import referee
from tests.faults.events import image, stream
from tests.games.conftest import Hand
from tests.games.test_api import start

T0 = 1_772_323_200_000
CLASSICAL = Partition("POOL", "chess/classical")


def ended(kind: str = "chess", setup: str | None = None, **more: object) -> Game:
    both = named("30-30-1")
    match = Match(kind, setup, (both, both), rated=True)
    sent = invitation(match, T0, challenger="anna", opponent="bert", colour="white")
    game = invite("game00000001", match, referee(kind), sent, T0)
    over = replace(game, white="anna", black="bert", result=Result("resignation", Side.BLACK, T0 + 5), invitation=None)
    return replace(over, **more)  # type: ignore[arg-type]


def test_a_game_is_white_against_black_at_its_end() -> None:
    assert rated.played_of(ended()) == (CLASSICAL, Played(T0 + 5, "game00000001", ("anna",), ("bert",), "B"))
    drawn = rated.played_of(ended(result=Result("agreement", None, T0 + 9)))
    assert drawn == (CLASSICAL, Played(T0 + 9, "game00000001", ("anna",), ("bert",), ""))


@pytest.mark.parametrize("reason", ["no_start", "aborted", "auto_aborted", "declined", "withdrawn", "expired"])
def test_what_was_never_played_does_not_rate(reason: str) -> None:
    assert rated.played_of(ended(result=Result(reason, Side.WHITE, T0))) is None
    assert rated.played_of(ended(result=None)) is None
    assert rated.played_of(ended(terms=replace(ended().terms, rated=False))) is None


def test_versions_of_a_game_wait_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass deletes what it took in: were it named alike, what came meanwhile would go with it unseen. So would the
    same version put again after a late image, which would have the last word then."""
    monkeypatch.setattr(rated, "ends_taken_back", lambda game: ())
    changes = [rated.changes_of(ended(version=version))[CLASSICAL] for version in (5, 5, 7)]
    assert len({change.id for change in changes}) == 3
    assert changes[0].edits == changes[1].edits != changes[2].edits


def test_a_position_of_ones_own_does_not_rate_a_numbered_start_does() -> None:
    assert rated.played_of(ended(setup="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")) is None
    for setup in (None, "0", "518", "959"):
        found = rated.played_of(ended("chess960", setup))
        assert found is not None
        assert found[0] == Partition("POOL", "chess960/classical")


def test_the_longer_base_time_decides() -> None:
    fast = Profile("3+2", 3 * MINUTE, 2_000, 60 * MINUTE)
    slow = Profile("10+0", 10 * MINUTE, 0, 60 * MINUTE)
    for profiles, pool in {(fast, fast): "blitz", (fast, slow): "rapid", (slow, fast): "rapid"}.items():
        found = rated.played_of(ended(profiles=profiles))
        assert found is not None
        assert found[0].ref == f"chess/{pool}"


@pytest.mark.engine
def test_an_ended_game_waits_in_its_pool_before_it_leaves_the_index(door: Callable[..., Hand]) -> None:
    from app import app

    settings.cache_clear()
    game, white, black = start(door)
    assert white.move(game, 0, "e2e4").status_code == 200
    assert black.post(f"/v1/games/{game}/resign").status_code == 200
    for _ in range(2):
        Client(app).lambda_.invoke("fan_out", stream([image(game)] * 2))
    changes = {change.edits[0].result_id: change for change in marking.waiting(CLASSICAL)}
    assert game not in {found for found, _ in store.due_before(ENDED, 10**15)}
    (edit,) = changes[game].edits
    assert edit.played is not None
    assert (edit.played.a, edit.played.b, edit.played.winner) == ((white.player,), (black.player,), "A")
    assert edit.played in list(truth(CLASSICAL))


@pytest.mark.engine
def test_a_game_that_cannot_wait_stays_in_the_index(door: Callable[..., Hand], monkeypatch: pytest.MonkeyPatch) -> None:
    from app import app

    game, white, black = start(door)
    assert white.move(game, 0, "e2e4").status_code == 200
    assert black.post(f"/v1/games/{game}/resign").status_code == 200
    with monkeypatch.context() as patch, pytest.raises(Exception, match="not fanned out"):
        patch.setattr(marking, "put", _fails)
        Client(app).lambda_.invoke("fan_out", stream([image(game)]))
    assert game in {found for found, _ in store.due_before(ENDED, 10**15)}
    Client(app).lambda_.invoke("fan_out", stream([image(game)]))
    assert game in {change.edits[0].result_id for change in marking.waiting(CLASSICAL)}


def _fails(changes: object) -> None:
    raise RuntimeError("the table does not answer")
