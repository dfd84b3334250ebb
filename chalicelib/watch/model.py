"""When the scan last ran, and since when it has been silent. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from chalicelib.core.durations import MINUTE

LONGEST_SILENCE: Final = 10 * MINUTE
"""Real time without a scan after which nothing is flagged until the gap is settled as a window (settled 17)."""


class Heartbeat(Struct, frozen=True):
    """The last scan, in real time and in game time (ms)."""

    real_ms: int
    game_ms: int


class Silence(Struct, frozen=True):
    """A stretch without scans that has to be settled: everything since the last one, in game time."""

    id: str
    from_ms: int


class Watch(Struct, frozen=True):
    """What the store knows of the scan. `silence` is set once a scan has found one, until it is settled."""

    heartbeat: Heartbeat | None = None
    silence: Silence | None = None

    def silence_at(self, real_ms: int) -> Silence | None:
        """The silence that holds at `real_ms`. A store that has never been scanned is new, not silent.

        >>> watch = Watch(Heartbeat(real_ms=0, game_ms=500))
        >>> watch.silence_at(10 * MINUTE)
        >>> watch.silence_at(10 * MINUTE + 1)
        Silence(id='silence-500', from_ms=500)
        """
        if self.silence is not None or self.heartbeat is None:
            return self.silence
        if real_ms - self.heartbeat.real_ms <= LONGEST_SILENCE:
            return None
        return Silence(f"silence-{self.heartbeat.game_ms}", self.heartbeat.game_ms)
