"""When the scan last ran, and which time is charged to nobody: that of maintenance windows and silences. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from chalicelib.core.durations import MINUTE, SECOND

LONGEST_SILENCE: Final = 10 * MINUTE
"""Real time without a scan after which nothing is flagged until the gap is settled as a window (settled 17)."""

REMEMBERED: Final = 3 * SECOND
"""Real time for which a process may go by what it last read of the watch."""

AHEAD: Final = 10 * SECOND
"""Real time by which a window begins, or ends, after that was decided.

Every process has heard of it by then, although none asks for each move; clocks of hosts may differ by the rest of it.
"""


class Heartbeat(Struct, frozen=True):
    """The last scan, in real time and in game time (ms)."""

    real_ms: int
    game_ms: int


class Window(Struct, frozen=True):
    """A stretch [from, until) of game time that is charged to nobody, and until it is settled nothing is flagged.

    A maintenance window, or a silence: everything since the last scan. `until_ms` is set once it is known.
    """

    id: str
    from_ms: int
    until_ms: int | None = None

    def end_at(self, now_ms: int) -> int:
        """Where it ends as far as `now_ms` is concerned.

        >>> Window("w", 100).end_at(300), Window("w", 100, 200).end_at(300), Window("w", 100, 200).end_at(150)
        (300, 200, 150)
        """
        return now_ms if self.until_ms is None else min(now_ms, self.until_ms)


class Watch(Struct, frozen=True):
    """What the store knows. `silence` is set once a scan has found one, `window` once one was opened, each until it has
    been settled: taken out of every clock."""

    heartbeat: Heartbeat | None = None
    silence: Window | None = None
    window: Window | None = None

    def silence_at(self, real_ms: int) -> Window | None:
        """The silence that holds at `real_ms`. A store that has never been scanned is new, not silent.

        >>> watch = Watch(Heartbeat(real_ms=0, game_ms=500))
        >>> watch.silence_at(10 * MINUTE)
        >>> watch.silence_at(10 * MINUTE + 1)
        Window(id='silence-500', from_ms=500, until_ms=None)

        In an open window the scan may be silent: what is not scanned then is given back with the window.

        >>> Watch(watch.heartbeat, window=Window("night", 600)).silence_at(10 * MINUTE + 1)
        """
        if self.silence is not None or self.heartbeat is None:
            return self.silence
        if not self.is_overdue_at(real_ms) or self._is_expected_since(self.heartbeat.game_ms):
            return None
        return Window(f"silence-{self.heartbeat.game_ms}", self.heartbeat.game_ms)

    def is_excused_at(self, real_ms: int) -> bool:
        """Whether it is an open window for which there is no silence at `real_ms`."""
        return self.is_overdue_at(real_ms) and self.silence_at(real_ms) is None

    def is_overdue_at(self, real_ms: int) -> bool:
        """Whether no scan has run for too long."""
        return self.heartbeat is not None and real_ms - self.heartbeat.real_ms > LONGEST_SILENCE

    def standing_at(self, now_ms: int) -> tuple[Window, ...]:
        """The window and the silence that have begun by `now_ms` (game time) and are not settled, in their order."""
        noted = [window for window in (self.silence, self.window) if window is not None and window.from_ms <= now_ms]
        return tuple(sorted(noted, key=lambda window: window.from_ms))

    def _is_expected_since(self, scanned_ms: int) -> bool:
        """Whether an open window explains that no scan ran since `scanned_ms`; it may have begun minutes later."""
        window = self.window
        return window is not None and window.until_ms is None and window.from_ms - scanned_ms <= LONGEST_SILENCE
