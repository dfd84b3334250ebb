"""Whether the time of the turn is up."""

from __future__ import annotations

from chalicelib.clock import clock as clocks


def passed(clock: clocks.Clock, now_ms: int) -> clocks.Due | None:
    """The deadline that has passed at `now_ms`, if one has."""
    reached = clocks.due(clock)
    return reached if reached is not None and reached.has_passed(now_ms) else None
