"""From a legacy row to a game here: the deadline is kept to the millisecond, before, while and after it catches up."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import Profile, rigid
from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games.commands import Look, Move, Pause, Resume, ShiftForWindow
from chalicelib.games.decide import decide
from chalicelib.games.events import Adjusted, Moved, Shifted
from chalicelib.games.history import evolve
from chalicelib.games.invariants import faults
from chalicelib.games.item import index_keys
from chalicelib.games.model import Game
from chalicelib.migration import takeover
from chalicelib.migration.shadow import shadow
from chalicelib.migration.takeover import REASON, Unfit
from chalicelib.rules import referee
from tests.clock.effort import effort
from tests.migration.exports import NOW, legacy_games, played_on
from tests.migration.test_shadow import a_game, row_of

CHESS = referee("chess")
FREEZE = NOW + HOUR
SWAP = FREEZE + HOUR // 2


def original(game: dict[str, Any], now_ms: int = NOW) -> Game:
    found = shadow(row_of(game), now_ms).game
    assert found is not None
    return found


def deadline(game: Game) -> int:
    assert game.clock is not None
    reached = clocks.due(game.clock)
    assert reached is not None
    return reached.at_ms


def sound(game: Game) -> Game:
    assert list(faults(game, index_keys(game), CHESS)) == []
    return game


def swapped(game: Game, at_ms: int = SWAP) -> Game:
    return sound(decide(game, Resume(reason=REASON, key="swap"), at_ms, CHESS).game)


def test_c62_the_account_is_settled_at_now_and_the_turn_starts_now() -> None:
    """The case's numbers: deadline 259 200 000, settled at 100 000 000; then a move at 200 000 000."""
    t0 = NOW - 100_000_000
    row = row_of(a_game() | {"last_move_at": t0, "current_deadline": t0 + 259_200_000, "move_times": None})
    settled = takeover.account_of(row, NOW)
    assert settled == takeover.Settled(159_200_000, NOW)
    profile = Profile("C62", 3 * DAY, 3 * DAY, 3 * DAY)
    clock = clocks.Clock(
        white=clocks.Account(profile, settled.remaining_ms),
        black=clocks.Account(profile, 3 * DAY),
        to_move=Side.WHITE,
        ply=0,
        turn_started_at_ms=settled.turn_started_at_ms,
    )
    assert (reached := clocks.due(clock)) and reached.at_ms == row.deadline_ms
    after = clocks.press(clock, t0 + 200_000_000).clock
    assert (after.white.remaining_ms, after.black.remaining_ms) == (259_200_000, 259_200_000)
    assert (reached := clocks.due(after)) and reached.at_ms == t0 + 459_200_000


def test_no_account_is_left_from_the_deadline_on() -> None:
    row = row_of(a_game())
    assert takeover.account_of(row, row.deadline_ms - 1).remaining_ms == 1
    with pytest.raises(clocks.WouldExpire):
        takeover.account_of(row, row.deadline_ms)


@effort(60)
@given(st.data())
def test_any_deadline_that_an_account_can_hold_is_kept(data: st.DataObject) -> None:
    legacy = a_game()
    now_ms = NOW + data.draw(st.integers(0, 10 * DAY))
    deadline_ms = data.draw(st.integers(now_ms + 1, now_ms + 3 * DAY) | st.just(now_ms + 3 * DAY))
    row = row_of(legacy | {"current_deadline": deadline_ms})
    game = shadow(row, now_ms).game
    assert game is not None and game.clock is not None
    assert deadline(game) == deadline_ms
    settled = takeover.account_of(row, now_ms)
    assert clocks.live_remaining(game.clock, game.clock.to_move, now_ms) == settled.remaining_ms
    sound(game)
    copy = sound(takeover.backfilled(game))
    caught_up = takeover.frozen(takeover.caught_up(copy, game, now_ms), now_ms)
    assert deadline(swapped(sound(caught_up), now_ms)) == deadline_ms


def test_a_difference_to_the_rule_is_an_event_of_the_log() -> None:
    legacy = a_game()
    later = original(legacy | {"current_deadline": legacy["current_deadline"] + 5})
    earlier = original(legacy | {"current_deadline": legacy["current_deadline"] - 5})
    assert next(later.log.backwards()) == Shifted(legacy["last_move_at"] + 5, "legacy", legacy["last_move_at"])
    assert isinstance(next(earlier.log.backwards()), Adjusted)
    assert len(later.log) == len(earlier.log) == len(original(legacy).log) + 1


def test_a_copy_neither_flags_nor_plays_before_the_swap() -> None:
    legacy = a_game()
    for copy in (
        takeover.backfilled(original(legacy)),
        takeover.frozen(takeover.caught_up(takeover.backfilled(original(legacy)), original(legacy), FREEZE), FREEZE),
    ):
        after_ms = legacy["current_deadline"] + DAY
        assert clocks.due(copy.clock) is None if copy.clock else False
        assert decide(copy, Look(), after_ms, CHESS).game is copy
        outcome = decide(copy, Move(legacy["white"], 6, legacy["moves"][0]), NOW, CHESS)
        assert outcome.refusal is not None and outcome.refusal.code == "game_paused"
        assert outcome.game is copy
        assert index_keys(copy) is not None and index_keys(copy)[0].startswith("paused")  # type: ignore[index]


def test_a_referee_who_resumes_for_another_reason_releases_no_copy() -> None:
    copy = takeover.backfilled(original(a_game()))
    ill = decide(copy, Pause(reason="illness"), NOW, CHESS).game
    well = decide(ill, Resume(reason="illness"), NOW + 1, CHESS).game
    assert takeover.is_copy(well) and deadline(takeover._going_on(well)) == deadline(original(a_game()))


def test_moves_made_since_the_backfill_are_caught_up_at_their_times() -> None:
    chance = random.Random(1)
    grown = 0
    for legacy in legacy_games(150):
        copy = sound(takeover.backfilled(original(legacy)))
        later = played_on(legacy, chance, FREEZE)
        if later["current_deadline"] <= FREEZE:
            continue
        now = original(later, FREEZE)
        grown += len(later["moves"]) > len(legacy["moves"])
        assert takeover.is_as_in(copy, now) == (later == legacy)
        frozen = sound(takeover.frozen(takeover.caught_up(copy, now, FREEZE), FREEZE))
        assert [e for e in frozen.log if isinstance(e, Moved)] == [e for e in now.log if isinstance(e, Moved)]
        assert takeover.is_as_in(frozen, now) and takeover.is_caught_up(frozen, FREEZE)
        assert deadline(swapped(frozen)) == later["current_deadline"] + SWAP - FREEZE
    assert grown > 50


def test_the_freeze_and_the_window_of_the_swap_are_given_back_together() -> None:
    """Released at different instants inside of the window, all get the same: from the freeze to the window's end."""
    legacy = a_game()
    copy = takeover.backfilled(original(legacy))
    frozen = takeover.frozen(takeover.caught_up(copy, original(legacy), FREEZE), FREEZE)
    opened_ms, closed_ms = SWAP - 5_000, SWAP + 20_000
    for released_ms in (opened_ms, SWAP, closed_ms - 1):
        released = swapped(frozen, released_ms)
        after = decide(released, ShiftForWindow("w", opened_ms, closed_ms), closed_ms, CHESS).game
        assert deadline(sound(after)) == legacy["current_deadline"] + closed_ms - FREEZE


def test_a_copy_follows_a_deadline_that_the_old_platform_changed() -> None:
    legacy = a_game()
    copy = takeover.backfilled(original(legacy))
    for more in (HOUR, 3 * HOUR, -HOUR, 2 * HOUR, -5 * HOUR, 0):
        later = original(legacy | {"current_deadline": legacy["current_deadline"] + more})
        copy = sound(takeover.backfilled(takeover.caught_up(copy, later, NOW)))
        assert takeover.is_as_in(copy, later)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"white": "somebody"}, "white"),
        ({"black": "else"}, "black"),
        ({"code": "T4_1"}, "profiles"),
        ({"moves": ["a2a3"], "to_move": "black", "move_times": None}, "moves"),
        ({"moves": [], "to_move": "white", "move_times": None}, "moves"),
    ],
)
def test_what_is_not_the_same_game_is_refused(changes: dict[str, Any], field: str) -> None:
    legacy = a_game()
    copy = takeover.backfilled(original(legacy))
    assert legacy["moves"][0] != "a2a3"
    with pytest.raises(Unfit) as refused:
        takeover.caught_up(copy, original({k: v for k, v in (legacy | changes).items() if v is not None}), NOW)
    assert refused.value.field == field


def test_a_game_that_runs_here_never_follows_the_old_platform_again() -> None:
    legacy = a_game()
    released = swapped(takeover.frozen(original(legacy), FREEZE))
    assert not takeover.is_copy(released)
    with pytest.raises(Unfit, match="since the swap"):
        takeover.caught_up(released, original(legacy), SWAP + 1)
    over = takeover.ended_before(takeover.backfilled(original(legacy)), FREEZE)
    with pytest.raises(Unfit, match="over"):
        takeover.caught_up(over, original(legacy), SWAP)


def test_a_game_that_ended_there_before_the_swap_leaves_no_trace_in_lists_and_ratings() -> None:
    over = sound(takeover.ended_before(takeover.backfilled(original(a_game())), FREEZE))
    assert (over.status(FREEZE), over.rates) == ("aborted", False)


def test_a_game_from_a_set_up_where_black_begins() -> None:
    legacy = a_game(plies=0) | {"setup": "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "to_move": "black", "move_times": []}
    game = sound(original(legacy))
    assert game.clock is not None and game.clock.to_move is Side.BLACK
    assert game.profiles == (rigid(3), rigid(3))


def test_a_migrated_game_is_not_aborted_by_its_players() -> None:
    game = evolve(original(a_game(plies=1)), Moved(NOW, "a7a6"))[0]
    assert not game.terms.is_abortable
    assert replace(game.terms, origin="challenge").is_abortable
