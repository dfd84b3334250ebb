"""Where days begin in the time zones of the world. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from chalicelib.clubs.model import InvalidDate, SeasonEndsBeforeItStarts, UnknownTimeZone

EARLIEST_DAY: Final = date(1800, 1, 1)
LATEST_DAY: Final = date(2999, 12, 30)

_ZONE_NAME: Final = re.compile(r"[A-Z][A-Za-z0-9_+-]*(/[A-Z][A-Za-z0-9_+-]*)*")
"""Files of other names lie in the database of some systems too: other clocks, and the machine's own choice."""
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)


@cache
def zone(name: str) -> ZoneInfo:
    """The time zone of this IANA name. Raises UnknownTimeZone."""
    try:
        if not _ZONE_NAME.fullmatch(name):
            raise ZoneInfoNotFoundError(name)
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownTimeZone(f"{name!r} is not a time zone of the IANA database") from error


def day(text: str, field: str) -> date:
    """A day written as YYYY-MM-DD. Raises InvalidDate, also for days before 1800 or after 2999.

    >>> day("2024-02-29", "first_day")
    datetime.date(2024, 2, 29)
    """
    try:
        read = date.fromisoformat(text) if _ISO_DAY.fullmatch(text) else None
    except ValueError:
        read = None
    if read is None:
        raise InvalidDate(field, f"{text!r} is not a day of the form YYYY-MM-DD")
    if not EARLIEST_DAY <= read <= LATEST_DAY:
        raise InvalidDate(field, f"{text} is not between {EARLIEST_DAY} and {LATEST_DAY}")
    return read


def ordered(first_day: date, last_day: date) -> tuple[date, date]:
    """The two days of a season. Raises SeasonEndsBeforeItStarts."""
    if last_day < first_day:
        raise SeasonEndsBeforeItStarts(f"the last day {last_day} lies before the first, {first_day}")
    return first_day, last_day


def span_ms(first_day: date, last_day: date, time_zone: str) -> tuple[int, int]:
    """The half-open span of instants from the beginning of the first day to the end of the last, in ms.

    >>> start, end = span_ms(date(2026, 3, 29), date(2026, 3, 29), "Europe/Berlin")
    >>> (end - start) / 3_600_000
    23.0
    """
    return starts_at_ms(first_day, time_zone), starts_at_ms(last_day + timedelta(days=1), time_zone)


@lru_cache(maxsize=4096)
def starts_at_ms(beginning: date, time_zone: str) -> int:
    """The first instant of a day in a time zone, in ms: 00:00, or where clocks jump over it, the jump itself.

    Where 00:00 comes twice it is the first of them; a day that a zone left out is empty, at the jump.
    """
    local = zone(time_zone)
    midnight = datetime.combine(beginning, time(), local)
    one, other = (_seconds(midnight.replace(fold=fold)) for fold in (0, 1))
    if one <= other:
        return one * 1_000
    instants = range(other, one + 1)
    return instants[bisect_left(instants, beginning, key=lambda at: _day_at(at, local))] * 1_000


def _seconds(at: datetime) -> int:
    return (at.astimezone(UTC) - _EPOCH) // _SECOND


def _day_at(seconds: int, local: ZoneInfo) -> date:
    return (_EPOCH + timedelta(seconds=seconds)).astimezone(local).date()
