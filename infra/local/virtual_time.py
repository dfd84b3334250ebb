"""Time that runs faster than real time, for rehearsals: the line through an anchor, and how the line may be bent."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class VirtualTime:
    """Virtual time is `anchor_ms + (real - anchor_real_ms) * speed`; all but `speed` in ms since the epoch.

    >>> VirtualTime().at(1_000)
    1000
    >>> VirtualTime(speed=60, anchor_real_ms=1_000, anchor_ms=5_000).at(1_500)
    35000
    """

    speed: float = 1
    anchor_real_ms: int = 0
    anchor_ms: int = 0

    def at(self, real_ms: int) -> int:
        return self.anchor_ms + round((real_ms - self.anchor_real_ms) * self.speed)

    def with_speed(self, speed: float, real_ms: int) -> VirtualTime:
        """From `real_ms` on at another speed. Time neither jumps nor steps back: a deadline stays ahead or passed.

        >>> fast = VirtualTime().with_speed(1_000, 5_000)
        >>> fast.at(5_000), fast.at(5_001)
        (5000, 6000)
        >>> fast.with_speed(1, 6_000).at(6_001)
        1005001
        """
        return self if speed == self.speed else VirtualTime(speed, real_ms, self.at(real_ms))

    @staticmethod
    def kept_in(path: Path, speed: float) -> VirtualTime:
        """What the state folder says, bent to `speed` if that is another one; written back at once."""
        kept = VirtualTime(**json.loads(path.read_text())) if path.exists() else VirtualTime()
        bent = kept.with_speed(speed, time.time_ns() // 1_000_000)
        path.write_text(json.dumps(asdict(bent)))
        return bent
