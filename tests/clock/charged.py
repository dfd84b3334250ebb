"""A second clock, for tests: it counts single ms.

It shares no idea with the product. A turn is a set of ms; each is charged to the side to move unless a pause or a
window made it free. Balances and deadlines are found by counting, so times must be small.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side


@dataclass
class CountingClock:
    """White to move first. The instants that callers give never go back.

    The turn runs from `opened`; what was charged before `began` has already been taken off the account.
    """

    profiles: tuple[Profile, Profile]
    opened: int = 0
    guillotine: int | None = None
    guillotine_shifts: bool = False
    to_move: Side = Side.WHITE
    ply: int = 0
    began: int = 0
    left: list[int] = field(default_factory=list)
    free: set[int] = field(default_factory=set)
    free_before: int = 0
    paused_at: int | None = None
    reasons: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.left = [profile.initial_buffer_ms for profile in self.profiles]
        self.began = self.opened

    @property
    def profile(self) -> Profile:
        return self.profiles[self.to_move]

    def charged(self, now: int) -> int:
        """How many ms since `began` are charged."""
        until = now if self.paused_at is None else min(now, self.paused_at)
        return sum(1 for ms in range(self.began, until) if ms not in self.free)

    def live(self, side: Side, now: int) -> int:
        return max(0, self.left[side] - self.charged(now)) if side is self.to_move else self.left[side]

    def _after(self, start: int, charged: int) -> int:
        """The instant at which `charged` ms that are not free have passed since `start`."""
        at = start
        while charged or at in self.free:
            charged -= at not in self.free
            at += 1
        return at

    def ends(self) -> list[tuple[int, int, str]]:
        """What can end the turn: (deadline, the same with grace, cause), in the order of precedence."""
        if self.paused_at is not None:
            return []
        deadline = self._after(self.began, self.left[self.to_move])
        found = [(deadline, deadline + self.profile.grace_ms, "time")]
        limited = 2 if self.profile.first_move_scope == "each_player" else 1
        if self.profile.first_move_limit_ms is not None and self.ply < limited:
            limit = self._after(self.opened, self.profile.first_move_limit_ms)
            found.append((limit, limit, "no_start"))
        if self.guillotine is not None:
            moved = self.free_before + len(self.free) if self.guillotine_shifts else 0
            found.append((self.guillotine + moved, self.guillotine + moved, "guillotine"))
        return found

    def end(self) -> tuple[int, int, str] | None:
        """When the first of them takes effect, and what had passed first by then; at one instant, the first in order.

        So a limit that falls into the grace cuts it short, but the account had run out before (P10, settled 4).
        """
        ends = self.ends()
        if not ends:
            return None
        effective = min(end[1] for end in ends)
        deadline, _, cause = min((end for end in ends if end[0] <= effective), key=lambda end: end[0])
        return deadline, effective, cause

    def move(self, now: int, lag: int = 0) -> None:
        """The side to move moves; the game goes on."""
        profile = self.profile
        used = max(0, self.charged(now) - lag)
        earned = profile.increment_ms
        if profile.late_from_move is not None and self.ply // 2 + 1 >= profile.late_from_move:
            earned = profile.late_increment_ms or 0
        self.left[self.to_move] = min(profile.cap_ms, max(0, self.left[self.to_move] - used) + earned)
        self.to_move, self.ply = self.to_move.other, self.ply + 1
        self.opened = self.began = max(self.began, now)
        self.free_before += len(self.free)
        self.free = set()

    def correct(self, now: int, side: Side, left: int) -> None:
        """A referee sets the live balance; what the turn used so far is taken off the account."""
        if side is self.to_move:
            self.began = max(self.began, now if self.paused_at is None else self.paused_at)
        self.left[side] = min(left, self.profiles[side].cap_ms)

    def pause(self, now: int, reason: str) -> None:
        self.reasons.add(reason)
        if self.paused_at is None:
            self.paused_at = now

    def resume(self, now: int, reason: str) -> None:
        self.reasons.discard(reason)
        if not self.reasons and self.paused_at is not None:
            self.free |= set(range(max(self.paused_at, self.began), now))
            self.paused_at = None

    def window(self, start: int, end: int) -> None:
        """Make free what lies in the turn; a window over a pause that still runs adds nothing to it.

        What a correction has already taken off the account is paid back, up to the cap.
        """
        until = end if self.paused_at is None else min(end, self.paused_at)
        taken = set(range(max(start, self.opened), min(end, self.began))) - self.free
        self.left[self.to_move] = min(self.profile.cap_ms, self.left[self.to_move] + len(taken))
        self.free |= taken | set(range(max(start, self.began), until))
