"""Changing the speed of game time from run to run, so that no deadline that was ahead is suddenly passed or gone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import asdict

from chalicelib.core.time import TimeSource, real_ms

_DAY: Final = 24 * 60  # minutes
_WAY_BACK: Final = "(back to real time, without the games: `make stop fresh`)"


def at_speed(source: TimeSource, speed: float, since_ms: int) -> TimeSource:
    """`source` running at `speed` from the real time `since_ms` on; game time neither jumps nor steps back.

    >>> fast = at_speed(TimeSource(), 1_000, 5_000)
    >>> fast.at(5_000), fast.at(5_001)
    (5000, 6000)
    >>> at_speed(fast, 1, 6_000).at(6_001)
    1005001
    """
    return source if speed == source.speed else TimeSource(speed, since_ms, source.at(since_ms))


def kept_in(path: Path, speed: float) -> TimeSource:
    """The game time of the state folder from now on: what `path` says, brought to `speed`, and written back.

    While the stack is down game time goes on at its last speed; the gap is settled at the next start.
    """
    kept = TimeSource(**json.loads(path.read_text())) if path.exists() else TimeSource()
    source = at_speed(kept, speed, real_ms())
    path.write_text(json.dumps(asdict(source)))
    return source


def as_parameters(source: TimeSource) -> dict[str, str]:
    """`source` as the template takes it."""
    return {
        "TimeSpeed": f"{source.speed:.15g}",
        "TimeAnchorRealMs": str(source.anchor_real_ms),
        "TimeAnchorMs": str(source.anchor_ms),
    }


def of_parameters(parameters: Mapping[str, str]) -> TimeSource:
    """The game time of a stack that was deployed with `parameters`.

    >>> of_parameters(as_parameters(TimeSource(60, 1_000, 5_000)))
    TimeSource(speed=60.0, anchor_real_ms=1000, anchor_ms=5000)
    """
    speed, real, game = (parameters[name] for name in as_parameters(TimeSource()))
    return TimeSource(float(speed), int(real), int(game))


def in_words(source: TimeSource, now_real_ms: int) -> str:
    """What the clocks of all games show, how far that is from real time, how fast it runs, and the way back.

    >>> in_words(TimeSource(), 1_000)
    '1970-01-01 00:00:01 UTC, which is real time'
    >>> print(in_words(TimeSource(60), 3_600_000))
    1970-01-03 12:00:00 UTC, 2 days 11 h 0 min ahead of real time, at 60 times its speed
    (back to real time, without the games: `make stop fresh`)
    """
    at_s, now_s = source.at(now_real_ms) // 1_000, now_real_ms // 1_000
    if source.speed == 1 and at_s == now_s:
        return f"{_date(at_s)}, which is real time"
    pace = "" if source.speed == 1 else f", at {source.speed:g} times its speed"
    return f"{_date(at_s)}, {_span(at_s - now_s)} ahead of real time{pace}\n{_WAY_BACK}"


def _date(seconds: int) -> str:
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, OverflowError):
        return "beyond the year 9999"


def _span(seconds: int) -> str:
    minutes = seconds // 60
    days = f"{minutes // _DAY:,} days " if minutes >= _DAY else ""
    return f"{days}{minutes // 60 % 24} h {minutes % 60} min"
