"""The one place where time is read. Everything else is handed `now_ms`."""

from __future__ import annotations

import time

from msgspec import Struct


def real_ms() -> int:
    """Real time, in ms since the epoch; for tokens and for the watch over the scan, never for games."""
    return time.time_ns() // 1_000_000


class TimeSource(Struct, frozen=True):
    """Game time: `anchor_ms` at the real time `anchor_real_ms`, then `speed` times as fast as real time.

    With the default anchor and speed it is real time. A 30-day account can be watched to its flag at high speed.

    >>> TimeSource(speed=60, anchor_real_ms=1_000, anchor_ms=5_000).at(1_500)
    35000
    """

    speed: float = 1
    anchor_real_ms: int = 0
    anchor_ms: int = 0

    def at(self, real_ms: int) -> int:
        return self.anchor_ms + round((real_ms - self.anchor_real_ms) * self.speed)

    def now_ms(self) -> int:
        return self.at(real_ms())
