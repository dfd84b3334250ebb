"""How a move changes an account: two strategies behind one interface (source: seed 000, "Strategy Pattern").

The unified formula of the source serves both; `StaticReset` states the old rigid model in its own words, and a
property test holds the two together. Nothing else in the project asks which model a profile follows.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from chalicelib.clock.profiles import Profile


class NewBalance(Struct, frozen=True):
    """An account after a move, and the part of the increment that the cap cut off. Both in ms."""

    remaining_ms: int
    lapsed_ms: int


class TimeControl(Protocol):
    """The source's ClockInterface."""

    def new_balance(self, profile: Profile, remaining_ms: int, used_ms: int, own_move: int) -> NewBalance:
        """The account after the own move number `own_move` that took `used_ms` and did not end the game."""

    def deadline(self, profile: Profile, remaining_ms: int, turn_started_at_ms: int) -> int:
        """The instant at which the running account is used up, without grace."""


class DynamicAccumulation:
    """30-30-1 and its relatives: what is left, plus the increment, up to the cap.

    >>> from chalicelib.clock.profiles import named
    >>> from chalicelib.core.durations import DAY
    >>> DynamicAccumulation().new_balance(named("30-30-1"), 30 * DAY, used_ms=DAY // 4, own_move=1)
    NewBalance(remaining_ms=2592000000, lapsed_ms=64800000)
    """

    def new_balance(self, profile: Profile, remaining_ms: int, used_ms: int, own_move: int) -> NewBalance:
        interim = max(0, remaining_ms - used_ms) + profile.increment_for(own_move)
        return NewBalance(min(profile.cap_ms, interim), max(0, interim - profile.cap_ms))

    def deadline(self, profile: Profile, remaining_ms: int, turn_started_at_ms: int) -> int:
        return turn_started_at_ms + remaining_ms


class StaticReset:
    """So many days for every move (T3_1, T7_1): each move puts the account back to the full length.

    >>> from chalicelib.clock.profiles import rigid
    >>> StaticReset().new_balance(rigid(3), 259_200_000, used_ms=259_199_999, own_move=40)
    NewBalance(remaining_ms=259200000, lapsed_ms=1)
    """

    def new_balance(self, profile: Profile, remaining_ms: int, used_ms: int, own_move: int) -> NewBalance:
        return NewBalance(profile.initial_buffer_ms, max(0, remaining_ms - used_ms))

    def deadline(self, profile: Profile, remaining_ms: int, turn_started_at_ms: int) -> int:
        return turn_started_at_ms + remaining_ms


_DYNAMIC = DynamicAccumulation()
_STATIC = StaticReset()


def time_control(profile: Profile) -> TimeControl:
    """The strategy a profile asks for."""
    is_rigid = profile.increment_ms == profile.initial_buffer_ms == profile.cap_ms
    return _STATIC if is_rigid and profile.late_from_move is None else _DYNAMIC
