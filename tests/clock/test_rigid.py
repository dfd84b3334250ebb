"""Rigid profiles are the old model, deadline = last move + days, for every sequence of moves (seed 000, 4)."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import NAMED, Profile, rigid
from chalicelib.clock.strategies import DynamicAccumulation, StaticReset, time_control
from chalicelib.core.durations import DAY
from tests.clock.effort import effort
from tests.clock.passed import passed

FULL = 3 * DAY
GRACE = 1_500
think_times = st.one_of(
    st.integers(-10, 10),
    st.integers(FULL - 10, FULL + 10),
    st.integers(FULL + GRACE - 10, FULL + GRACE + 10),
    st.integers(0, FULL + 2 * GRACE),
)


@dataclass
class OldModel:
    """How it was before there were accounts."""

    last_move: int
    days: int

    def is_in_time(self, now: int) -> bool:
        return now < self.last_move + self.days * DAY + GRACE

    def move(self, now: int) -> None:
        self.last_move = max(self.last_move, now)


@effort(120)
@given(st.lists(think_times, max_size=40))
def test_a_rigid_clock_is_the_old_model(times: list[int]) -> None:
    clock, old, now = clocks.release((rigid(3), rigid(3)), 0), OldModel(0, 3), 0
    for time in times:
        now += time
        due = clocks.due(clock)
        assert due is not None
        assert (due.at_ms, due.cause) == (old.last_move + 3 * DAY, "time")
        assert (passed(clock, now) is None) == old.is_in_time(now)
        if not old.is_in_time(now):
            return
        clock = clocks.press(clock, now).clock
        old.move(now)
        assert clock.turn_started_at_ms == old.last_move
        assert {clock.white.remaining_ms, clock.black.remaining_ms} == {3 * DAY}


@effort(120)
@given(st.integers(1, 3650), st.data())
def test_both_strategies_agree_on_rigid_profiles(days: int, data: st.DataObject) -> None:
    """The unified formula of the source is the rigid model when increment = buffer = cap."""
    profile = rigid(days)
    remaining = data.draw(st.integers(0, days * DAY))
    used = data.draw(st.one_of(st.integers(0, days * DAY + GRACE), st.integers(remaining - 2, remaining + 2)))
    own_move = data.draw(st.integers(1, 100))
    fixed = StaticReset().new_balance(profile, remaining, used, own_move)
    assert fixed == DynamicAccumulation().new_balance(profile, remaining, used, own_move)
    assert fixed.remaining_ms == days * DAY
    assert StaticReset().deadline(profile, remaining, used) == DynamicAccumulation().deadline(profile, remaining, used)


def test_the_numbers_choose_the_strategy() -> None:
    chosen = {code for code, profile in NAMED.items() if isinstance(time_control(profile), StaticReset)}
    assert chosen == {"T3_1", "T7_1"}
    assert isinstance(time_control(rigid(12)), StaticReset)
    almost = [
        replace(rigid(3), increment_ms=3 * DAY - 1),
        replace(rigid(3), initial_buffer_ms=3 * DAY - 1),
        replace(rigid(3), late_increment_ms=DAY, late_from_move=51),
        Profile("more room", 3 * DAY, 3 * DAY, 3 * DAY + 1),
    ]
    assert all(isinstance(time_control(profile), DynamicAccumulation) for profile in almost)
