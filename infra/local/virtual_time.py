"""Changing the speed of game time from run to run, so that no deadline that was ahead is suddenly passed or gone."""

from __future__ import annotations

import json
from pathlib import Path

from msgspec.structs import asdict

from chalicelib.core.time import TimeSource, real_ms


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
