"""Decay of ratings that rest (seed 002): an overlay over what the last game left, never a part of it.

A run of the daily job is only a date in a ledger. What is shown follows from the ledger and the last game, so a replay
can neither lose runs nor count them twice, and a game that is deleted gives the runs since the game before it back.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.core.durations import DAY
from chalicelib.ratings.model import Partition, Scope
from chalicelib.ratings.plackett_luce import SIGMA, ordinal

STEP: Final = 0.05
CAP: Final = SIGMA
REST: Final = 30 * DAY
"""A run counts for a rating if it is more than this after its last game."""

EXEMPT: Final[tuple[Scope, ...]] = ("EVENT", "POOL")
"""An event is a closed span of time; the deviations of pools age on their own."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_DAY: Final = timedelta(days=1)


class Runs(Struct, frozen=True):
    """The ledger: runs of all dates from `first` to `last`, each at `hour` of the clocks in `zone`; None: no run yet.

    There are no gaps, since dates that were missed are caught up.
    """

    first: date | None = None
    last: date | None = None
    hour: int = 4
    zone: str = "Europe/Berlin"

    def since(self, last_at_ms: int | None, until_ms: int | None = None) -> int:
        """How many runs count for a rating whose last game was at `last_at_ms`; only those up to `until_ms`, if given.

        >>> Runs(date(2026, 2, 1), date(2026, 2, 10)).since(1_767_297_600_000)
        10
        """
        if last_at_ms is None:
            return 0
        instants = _instants(self)
        reached = len(instants) if until_ms is None else bisect_right(instants, until_ms)
        return max(0, reached - bisect_right(instants, last_at_ms + REST))

    def until(self, instant_ms: int) -> Runs:
        """The ledger as it was at an instant.

        >>> Runs(date(2026, 2, 1), date(2026, 2, 10)).until(1_770_274_800_000).last
        datetime.date(2026, 2, 5)
        """
        if self.first is None or self.last is None:
            return self
        last = min(self.last, self._reached(instant_ms))
        return replace(self, last=last) if self.first <= last else replace(self, first=None, last=None)

    def at_ms(self, day: date) -> int:
        """The instant of the run of a date. An hour that the clocks leave out counts as if they had not moved."""
        local = datetime(day.year, day.month, day.day, self.hour, tzinfo=ZoneInfo(self.zone))
        return (local - _EPOCH) // _MILLISECOND

    def _reached(self, instant_ms: int) -> date:
        """The last date whose run is not after an instant."""
        day = (_EPOCH + instant_ms * _MILLISECOND).astimezone(ZoneInfo(self.zone)).date()
        return day if self.at_ms(day) <= instant_ms else day - _DAY


@lru_cache(maxsize=4)
def _instants(runs: Runs) -> tuple[int, ...]:
    """When the runs were, oldest first. Kept: a board asks for every row, and time zones are slow."""
    if runs.first is None or runs.last is None:
        return ()
    return tuple(runs.at_ms(runs.first + _DAY * ahead) for ahead in range((runs.last - runs.first).days + 1))


def due_dates(runs: Runs, now_ms: int) -> tuple[date, ...]:
    """The dates that are to be added to the ledger, oldest first: all since the last run, or the first run ever.

    >>> [day.day for day in due_dates(Runs(date(2026, 2, 1), date(2026, 2, 1)), 1_770_274_800_000)]
    [2, 3, 4, 5]
    """
    today = runs._reached(now_ms)
    if runs.last is None:
        return (today,)
    return tuple(runs.last + _DAY * ahead for ahead in range(1, (today - runs.last).days + 1))


def decays(partition: Partition) -> bool:
    return partition.scope not in EXEMPT


def shown_sigma(sigma: float, runs: int) -> float:
    """The sigma that is shown after so many runs. One that is not below the cap, as after a surprise, stays.

    >>> shown_sigma(5.0, 1), shown_sigma(8.3, 5) == CAP, shown_sigma(8.334, 5)
    (5.05, True, 8.334)
    """
    return sigma if sigma >= CAP else min(sigma + STEP * runs, CAP)


def shown_ordinal(mu: float, sigma: float, runs: int) -> float:
    return ordinal(mu, shown_sigma(sigma, runs))
