"""The product's clock against one that counts single ms: balances, deadlines, and the balance law."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from tests.clock.effort import effort
from tests.clock.side_by_side import SideBySide, games, profiles

guillotines = st.one_of(st.none(), st.integers(1, 150))
Acts = list[tuple[int, tuple[Any, ...]]]


@effort(120)
@given(profiles(), profiles(), guillotines, st.booleans(), games)
def test_balances_and_deadlines_are_what_counting_gives(
    white: Profile, black: Profile, guillotine: int | None, shifts: bool, acts: Acts
) -> None:
    both = SideBySide.begin((white, black), guillotine, shifts)
    for ms, act in acts:
        both.pass_by(ms, act)
        clock, counting = both.clock, both.counting
        assert (clock.to_move, clock.ply) == (counting.to_move, counting.ply)
        assert clock.pause_reasons == counting.reasons
        for later in (0, 1, 7):
            for side in Side:
                assert clocks.live_remaining(clock, side, both.now + later) == counting.live(side, both.now + later)
        end, due = counting.end(), clocks.due(clock)
        assert (due.effective_ms if due else None) == (end[1] if end else None)
        if both.is_over:
            return


@effort(120)
@given(profiles(), profiles(), games)
def test_what_ends_the_turn_and_when(white: Profile, black: Profile, acts: Acts) -> None:
    """What players see, what the index holds, and why: the account, the first-move limit or the guillotine."""
    both = SideBySide.begin((white, black))
    for ms, act in acts:
        both.pass_by(ms, act)
        due, end = clocks.due(both.clock), both.counting.end()
        assert ((due.at_ms, due.effective_ms, due.cause) if due else None) == end
        if both.is_over:
            return


@effort(120)
@given(profiles(), profiles(), games)
def test_balances_stay_between_nothing_and_the_cap(white: Profile, black: Profile, acts: Acts) -> None:
    both = SideBySide.begin((white, black))
    for ms, act in acts:
        both.pass_by(ms, act)
        for side in Side:
            account = both.clock.account(side)
            assert 0 <= account.remaining_ms <= account.profile.cap_ms
            assert 0 <= clocks.live_remaining(both.clock, side, both.now) <= account.remaining_ms
        if both.is_over:
            return


@effort(150)
@given(profiles(), profiles(), games)
def test_the_balance_law(white: Profile, black: Profile, acts: Acts) -> None:
    """used + left = start + increments - lapsed + adjustments + lag credit + grace overrun (settled 13).

    Used is what counting says has been charged; increments, lapses, adjustments and overruns are the product's own.
    """
    both = SideBySide.begin((white, black))
    for ms, act in acts:
        if both.is_over:
            break
        both.pass_by(ms, act)
    for side in Side:
        account = both.clock.account(side)
        left = account.remaining_ms
        assert both.gross_used[side] + left == account.profile.initial_buffer_ms + both.earned[side]


@effort(120)
@given(profiles(), profiles(), games)
def test_the_turn_start_never_goes_back(white: Profile, black: Profile, acts: Acts) -> None:
    both, before = SideBySide.begin((white, black)), 0
    for ms, act in acts:
        both.pass_by(ms, act)
        assert both.clock.turn_started_at_ms >= before
        before = both.clock.turn_started_at_ms
        if both.is_over:
            return


@effort(120)
@given(profiles(), profiles(), guillotines, games, st.integers(0, 60))
def test_settling_never_moves_a_deadline(
    white: Profile, black: Profile, guillotine: int | None, acts: Acts, later: int
) -> None:
    """Settled 14, after any history: the same deadline, the same live balances from then on."""
    both = SideBySide.begin((white, black), guillotine)
    for ms, act in acts:
        both.pass_by(ms, act)
        if both.is_over:
            return
    at_ms = both.now + later
    try:
        settled = clocks.settle(both.clock, at_ms)
    except clocks.NotRunning:
        assert both.counting.live(both.counting.to_move, at_ms) == 0
        return
    assert clocks.due(settled) == clocks.due(both.clock)
    assert settled.account(settled.to_move).remaining_ms == both.counting.live(settled.to_move, at_ms)
    for after in (at_ms, at_ms + 1, at_ms + 50):
        for side in Side:
            assert clocks.live_remaining(settled, side, after) == clocks.live_remaining(both.clock, side, after)
    assert clocks.settle(settled, at_ms) == settled
