"""Random games under the product's clock and under the counting one, compared after every act."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from tests.clock.charged import CountingClock
from tests.clock.passed import passed

REASONS = ("illness", "outage")


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Profiles of a few dozen ms."""
    start = draw(st.integers(1, 60))
    cap = draw(st.one_of(st.just(start), st.integers(start, 90)))
    late = draw(st.one_of(st.none(), st.tuples(st.integers(0, cap), st.integers(2, 4))))
    return Profile(
        "small",
        start,
        increment_ms=draw(st.one_of(st.just(cap), st.integers(0, min(cap, 20)))),
        cap_ms=cap,
        first_move_limit_ms=draw(st.one_of(st.none(), st.integers(1, 50))),
        first_move_scope=draw(st.sampled_from(["game", "each_player"])),
        grace_ms=draw(st.sampled_from([0, 0, 1, 5])),
        late_increment_ms=late[0] if late else None,
        late_from_move=late[1] if late else None,
    )


acts = st.one_of(
    st.tuples(st.just("move"), st.sampled_from([0, 0, 0, 1, 10])),
    st.tuples(st.sampled_from(["pause", "resume"]), st.sampled_from(REASONS)),
    st.tuples(st.just("stop"), st.integers(1, 20)),
    st.tuples(st.just("correct"), st.sampled_from(list(Side)), st.integers(-30, 30)),
    st.tuples(st.just("set"), st.sampled_from(list(Side)), st.integers(-1, 95)),
    st.tuples(st.just("window"), st.integers(0, 40), st.integers(0, 20)),
    st.tuples(st.just("again")),
)
games = st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 3, 5, 8, 13, 21]), acts), max_size=30)


@dataclass
class SideBySide:
    """One game, twice. `pass_by` advances time and does one act; `is_over` once the time of the turn is up."""

    clock: clocks.Clock
    counting: CountingClock
    now: int = 0
    is_over: bool = False
    windows: list[tuple[int, int]] = field(default_factory=list)
    gross_used: list[int] = field(default_factory=lambda: [0, 0])
    earned: list[int] = field(default_factory=lambda: [0, 0])

    @classmethod
    def begin(cls, both: tuple[Profile, Profile], guillotine: int | None = None, shifts: bool = False) -> SideBySide:
        clock = clocks.release(both, 0, guillotine_ms=guillotine, guillotine_shifts=shifts)
        return cls(clock, CountingClock(both, guillotine=guillotine, guillotine_shifts=shifts))

    def pass_by(self, ms: int, act: tuple[Any, ...]) -> None:
        self.now += ms
        what, *details = act
        getattr(self, what)(*details)
        self.is_over = passed(self.clock, self.now) is not None

    @property
    def _is_settled(self) -> bool:
        """Whether the deadline, grace or not, lies ahead; only then may a referee act."""
        end = self.counting.end()
        return end is None or self.now < min(one[0] for one in self.counting.ends())

    @property
    def _is_running(self) -> bool:
        end = self.counting.end()
        return self.counting.paused_at is None and (end is None or self.now < end[1])

    def move(self, lag: int) -> None:
        if not self._is_running:
            return
        side, charged = self.counting.to_move, self.counting.charged(self.now)
        self.gross_used[side] += charged
        self.counting.move(self.now, lag)
        pressed = clocks.press(self.clock, self.now, lag_ms=lag)
        self.clock, self.windows = pressed.clock, []
        self.earned[side] += pressed.increment_ms - pressed.lapsed_ms + pressed.overrun_ms + min(lag, charged)

    def pause(self, reason: str) -> None:
        if self._is_settled:
            self.counting.pause(self.now, reason)
            self.clock = clocks.pause(self.clock, self.now, reason)

    def resume(self, reason: str) -> None:
        self.counting.resume(self.now, reason)
        self.clock = clocks.resume(self.clock, self.now, reason)

    def stop(self, length: int) -> None:
        """A pause from beginning to end."""
        if self._is_settled:
            self.pause("stop")
            self.now += length
            self.resume("stop")

    def correct(self, side: Side, by: int) -> None:
        self._adjust(side, self.counting.live(side, self.now) + by, delta_ms=by)

    def set(self, side: Side, to: int) -> None:
        self._adjust(side, to, to_ms=to)

    def _adjust(self, side: Side, left: int, **how: int) -> None:
        if not self._is_settled or left <= 0:
            return
        if side is self.counting.to_move:
            self.gross_used[side] += self.counting.charged(self.now)
        self.counting.correct(self.now, side, left)
        adjusted = clocks.adjust(self.clock, self.now, side, **how)
        self.clock = adjusted.clock
        self.earned[side] += adjusted.applied_ms

    def window(self, back: int, length: int) -> None:
        """Close a window that began `back` ms ago; one that began after the deadline is not for this turn."""
        start = self.now - back
        end = min(self.now, start + length)
        ends = self.counting.ends()
        if ends and min(one[0] for one in ends) <= start:
            return
        side, left = self.counting.to_move, self.counting.left[self.counting.to_move]
        self.counting.window(start, end)
        self.gross_used[side] -= self.counting.left[side] - left
        self.clock, _ = clocks.shift_for_window(self.clock, start, end)
        self.windows.append((start, end))

    def again(self) -> None:
        """Close every window of this turn once more."""
        for start, end in self.windows:
            self.clock, by_ms = clocks.shift_for_window(self.clock, start, end)
            assert by_ms == 0
