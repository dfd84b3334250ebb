"""Time-control profiles as data (source: seed 000, "Metadaten der Zeitkontrolle").

A profile says how an account starts, what a move earns, where the account ends, and what the source describes in
prose: the limit for the first move, the smaller increment late in the game, the grace for slow lines.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND

CORRESPONDENCE_GRACE = 1_500
"""Tolerance after the deadline of a correspondence account (settled 11; the seed asks for 1 to 2 seconds)."""

FIRST_MOVE_LIMIT = 7 * DAY
"""Seed 000, "Die Startphase": a game must be opened within 7 days of its release, or it is lost."""

LIVE_FIRST_MOVE_LIMIT = 30 * SECOND
"""Seed 003: a live game whose first two plies do not come within 30 s each aborts itself."""

LONGEST_ACCOUNT = 3_650 * DAY

BLITZ_LIMIT = 3 * MINUTE
RAPID_LIMIT = 10 * MINUTE
"""The longest base times of blitz and rapid (seed 003); everything longer is classical."""

FirstMoveScope = Literal["game", "each_player"]
NoStart = Literal["loss", "abort"]
TimeClass = Literal["blitz", "rapid", "classical"]


class ImpossibleProfile(ValueError):
    """The numbers of a profile contradict each other; the message says which and why."""


class UnknownProfile(ValueError):
    """There is no profile of this name."""


class Profile(Struct, frozen=True):
    """One side's time control. All times in ms.

    `first_move_scope` "game" limits the first move of the game only, "each_player" the first of either side.
    `no_start` says what a missed first-move limit does. From the own move `late_from_move` on, a move earns
    `late_increment_ms` instead of `increment_ms` (both None: never).

    >>> Profile("2d", initial_buffer_ms=2 * DAY, increment_ms=DAY, cap_ms=DAY)
    Traceback (most recent call last):
    ...
    chalicelib.clock.profiles.ImpossibleProfile: cap_ms 86400000 is below initial_buffer_ms 172800000
    """

    code: str
    initial_buffer_ms: int
    increment_ms: int
    cap_ms: int
    first_move_limit_ms: int | None = None
    first_move_scope: FirstMoveScope = "game"
    no_start: NoStart = "loss"
    grace_ms: int = 0
    late_increment_ms: int | None = None
    late_from_move: int | None = None

    def __post_init__(self) -> None:
        reason = _contradiction(self)
        if reason:
            raise ImpossibleProfile(reason)

    @property
    def is_regenerative(self) -> bool:
        """Whether an account can grow step by step; false for rigid days-per-move profiles (settled 10)."""
        return self.increment_ms < self.cap_ms

    @property
    def is_live(self) -> bool:
        """Live games have a base time under one day (settled 7)."""
        return self.initial_buffer_ms < DAY

    @property
    def time_class(self) -> TimeClass:
        return time_class(self.initial_buffer_ms)

    def increment_for(self, own_move: int) -> int:
        """What the player's own move number `own_move` (from 1) earns.

        >>> half = named("30-30-1-half")
        >>> [half.increment_for(n) // HOUR for n in (1, 50, 51)]
        [24, 24, 12]
        """
        if self.late_from_move is not None and self.late_increment_ms is not None and own_move >= self.late_from_move:
            return self.late_increment_ms
        return self.increment_ms


def time_class(base_ms: int) -> TimeClass:
    """By base time alone: the increment does not count."""
    if base_ms <= BLITZ_LIMIT:
        return "blitz"
    return "rapid" if base_ms <= RAPID_LIMIT else "classical"


def _contradiction(profile: Profile) -> str | None:
    return _wrong_account(profile) or _wrong_start(profile) or _wrong_late_stage(profile)


def _wrong_account(profile: Profile) -> str | None:
    if profile.initial_buffer_ms <= 0:
        return f"initial_buffer_ms must be positive, not {profile.initial_buffer_ms}"
    if profile.increment_ms < 0:
        return f"increment_ms must not be negative, not {profile.increment_ms}"
    if profile.cap_ms < profile.initial_buffer_ms:
        return f"cap_ms {profile.cap_ms} is below initial_buffer_ms {profile.initial_buffer_ms}"
    if profile.increment_ms > profile.cap_ms:
        return f"increment_ms {profile.increment_ms} is above cap_ms {profile.cap_ms}"
    if profile.cap_ms > LONGEST_ACCOUNT:
        return f"cap_ms {profile.cap_ms} is above ten years ({LONGEST_ACCOUNT})"
    if not 0 <= profile.grace_ms <= MINUTE:
        return f"grace_ms must lie between 0 and {MINUTE}, not {profile.grace_ms}"
    return None


def _wrong_start(profile: Profile) -> str | None:
    limit = profile.first_move_limit_ms
    if limit is not None and not 0 < limit <= LONGEST_ACCOUNT:
        return f"first_move_limit_ms must be positive and at most {LONGEST_ACCOUNT}, not {limit}"
    if profile.first_move_scope not in ("game", "each_player"):
        return f"first_move_scope must be 'game' or 'each_player', not {profile.first_move_scope!r}"
    if profile.no_start not in ("loss", "abort"):
        return f"no_start must be 'loss' or 'abort', not {profile.no_start!r}"
    return None


def _wrong_late_stage(profile: Profile) -> str | None:
    if (profile.late_increment_ms is None) != (profile.late_from_move is None):
        return "late_increment_ms and late_from_move belong together"
    if profile.late_increment_ms is not None and not 0 <= profile.late_increment_ms <= profile.cap_ms:
        return f"late_increment_ms must lie between 0 and cap_ms {profile.cap_ms}, not {profile.late_increment_ms}"
    if profile.late_from_move is not None and profile.late_from_move <= 1:
        return f"late_from_move must be above 1, not {profile.late_from_move}"
    return None


def _accumulating(code: str, buffer_ms: int, increment_ms: int, late_increment_ms: int | None = None) -> Profile:
    return Profile(
        code,
        initial_buffer_ms=buffer_ms,
        increment_ms=increment_ms,
        cap_ms=buffer_ms,
        first_move_limit_ms=FIRST_MOVE_LIMIT,
        grace_ms=CORRESPONDENCE_GRACE,
        late_increment_ms=late_increment_ms,
        late_from_move=None if late_increment_ms is None else 51,
    )


def rigid(days: int) -> Profile:
    """The old model "so many days for every move" as a profile: increment = buffer = cap (seed 000, 4).

    >>> rigid(3).code, rigid(3).is_regenerative
    ('T3_1', False)
    """
    length = days * DAY
    return Profile(f"T{days}_1", length, increment_ms=length, cap_ms=length, grace_ms=CORRESPONDENCE_GRACE)


def _live(code: str, base_ms: int, increment_ms: int) -> Profile:
    return Profile(
        code,
        initial_buffer_ms=base_ms,
        increment_ms=increment_ms,
        cap_ms=DAY,
        first_move_limit_ms=LIVE_FIRST_MOVE_LIMIT,
        first_move_scope="each_player",
        no_start="abort",
    )


NAMED: dict[str, Profile] = {
    profile.code: profile
    for profile in (
        _accumulating("30-30-1", 30 * DAY, DAY),
        _accumulating("30-30-1-half", 30 * DAY, DAY, late_increment_ms=12 * HOUR),
        _accumulating("40-40-0.8", 40 * DAY, DAY * 8 // 10),
        _accumulating("20-20-1.2", 20 * DAY, DAY * 12 // 10),
        _accumulating("20-20-1.0", 20 * DAY, DAY),
        _accumulating("15-15-0.8", 15 * DAY, DAY * 8 // 10),
        _accumulating("10-10-0.6", 10 * DAY, DAY * 6 // 10),
        _accumulating("5-5-0.4", 5 * DAY, DAY * 4 // 10),
        rigid(3),
        rigid(7),
        _live("3+2", 3 * MINUTE, 2 * SECOND),
        _live("10+5", 10 * MINUTE, 5 * SECOND),
        _live("30+20", 30 * MINUTE, 20 * SECOND),
    )
}
"""The profiles of the source. Live ones are capped at one day, which no live account comes near."""

_RIGID_CODE = re.compile(r"T([0-9]{1,4})_([0-9]{1,4})")


def is_rigid_code(code: str) -> bool:
    """Whether a code is of the form T<days>_<moves>, be there such a profile or not."""
    return _RIGID_CODE.fullmatch(code) is not None


def named(code: str) -> Profile:
    """The profile called `code`: one of `NAMED`, or any rigid `T<days>_1`. Raises UnknownProfile.

    >>> named("T5_1").increment_ms == 5 * DAY
    True
    >>> named("T10_5")
    Traceback (most recent call last):
    ...
    chalicelib.clock.profiles.UnknownProfile: 'T10_5' gives 5 moves together; only T10_1 is played
    """
    if code in NAMED:
        return NAMED[code]
    parts = _RIGID_CODE.fullmatch(code)
    if parts is None:
        raise UnknownProfile(f"unknown profile {code!r}; known: {', '.join(NAMED)} and T<days>_1")
    days, moves = int(parts[1]), int(parts[2])
    if moves != 1:
        raise UnknownProfile(f"{code!r} gives {moves} moves together; only T{days}_1 is played")
    if not 0 < days * DAY <= LONGEST_ACCOUNT:
        raise UnknownProfile(f"{code!r}: days per move must lie between 1 and {LONGEST_ACCOUNT // DAY}")
    return rigid(days)
