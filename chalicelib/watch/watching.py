"""What other slices ask of the watch.

Whoever is about to end a game asks the store. Whoever moves goes by what this process has read in the last few seconds:
a move then costs no read of its own, and since windows are announced ahead of their beginning and of their end, what is
remembered is never wrong about a window at the instant at which it counts. A silence has not been announced; until a
process has heard of it, moves are charged as usual.
"""

from __future__ import annotations

from pynamodb.transactions import TransactWrite

from chalicelib.core.settings import settings
from chalicelib.core.time import real_ms
from chalicelib.watch import store
from chalicelib.watch.model import AHEAD, REMEMBERED, Heartbeat, Watch, Window


class _Memory:
    """What this process has last read of the watch, and when it asked."""

    watch = Watch()
    asked_ms: int | None = None

    def at(self, now_real_ms: int) -> Watch:
        if self.asked_ms is None or not 0 <= now_real_ms - self.asked_ms < REMEMBERED:
            self.watch, self.asked_ms = store.load(), now_real_ms
        return self.watch

    def forget(self) -> None:
        self.asked_ms = None


_memory = _Memory()


def forget() -> None:
    """Read the watch anew when it is asked for next."""
    _memory.forget()


def windows(now_ms: int, *, surely: bool) -> tuple[Window, ...]:
    """What stands still at `now_ms` (game time).

    `surely`: by a read of the store, and with a silence that no scan has noted yet; else as last heard.
    """
    now_real_ms = real_ms()
    if not surely:
        return _memory.at(now_real_ms).standing_at(now_ms)
    watch = store.load()
    return Watch(watch.heartbeat, watch.silence_at(now_real_ms), watch.window).standing_at(now_ms)


def scan_begins(game_ms: int) -> tuple[Window, ...]:
    """Note the heartbeat of a scan; returns what forbids it to flag. A silence it has found is kept until settled.

    If there is nothing, nothing can begin that reaches back before this scan, however long the scan takes: a window
    begins ahead of now, a silence after a heartbeat.
    """
    now_real_ms = real_ms()
    watch = store.load()
    silence = watch.silence_at(now_real_ms)
    if silence is None:
        silence = store.beat(Heartbeat(now_real_ms, game_ms))
    elif silence.until_ms is None:
        store.note(silence)
    elif not watch.is_overdue_at(now_real_ms):  # else the next silence has begun, and comes up when this one is settled
        store.beat(Heartbeat(now_real_ms, game_ms))
    return Watch(None, silence, watch.window).standing_at(game_ms)


def silence_now() -> Window | None:
    """The silence that forbids flagging at this moment, if any."""
    return store.load().silence_at(real_ms())


def noted_now() -> list[Window]:
    """The silence and the window that are not settled, whether they have begun or not."""
    watch = store.load()
    return [window for window in (watch.silence, watch.window) if window is not None]


def window_now() -> Window | None:
    """The window that was opened and is not settled, whether it has begun or not."""
    return store.load().window


def soon_ms() -> int:
    """The instant of game time that is far enough ahead for a beginning or an end to be heard of everywhere."""
    return settings().time.at(real_ms() + AHEAD)


def open_window(transaction: TransactWrite, window: Window) -> None:
    """Announce a window. Fails if another one stands."""
    store.open_window(transaction, window)


def end_window(transaction: TransactWrite, window: Window, until_ms: int) -> None:
    """Announce the end of a window. Fails if it does not stand, or has an end.

    If no scan has run because of the window, a silence can begin at its end only.
    """
    now_real_ms = real_ms()
    is_excused = store.load().is_excused_at(now_real_ms)
    store.end_window(transaction, window, until_ms, Heartbeat(now_real_ms, until_ms) if is_excused else None)


def end_silence(transaction: TransactWrite, silence: Window, until_ms: int) -> None:
    """Announce the end of a silence, which is noted if no scan has done so. Fails if another one stands."""
    store.note(silence)
    store.end_silence(transaction, silence, until_ms, Heartbeat(real_ms(), until_ms))


def window_settled(transaction: TransactWrite, window: Window) -> None:
    """The window has been taken out of every clock; scans may flag again. Fails if it does not stand."""
    store.window_settled(transaction, window)


def silence_settled(transaction: TransactWrite, silence: Window) -> None:
    """As `window_settled`, for a silence."""
    store.silence_settled(transaction, silence)
