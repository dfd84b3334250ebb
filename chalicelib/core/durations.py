"""Lengths of time in integer milliseconds, the one unit of this project."""

from __future__ import annotations

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"))


def spelled(ms: int) -> str:
    """A length of time for a sentence, exact to the millisecond.

    >>> spelled(-2 * HOUR), spelled(10 * DAY + 4 * HOUR), spelled(61_500), spelled(0)
    ('-2 h', '10 d 4 h', '1 min 1.5 s', '0 s')
    """
    rest, words = abs(ms), []
    for length, unit in _UNITS:
        count, rest = divmod(rest, length)
        words += [f"{count} {unit}"] if count else []
    words += [f"{rest / SECOND:g} s"] if rest or not words else []
    return ("-" if ms < 0 else "") + " ".join(words)
