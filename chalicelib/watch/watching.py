"""What other slices ask of the watch."""

from __future__ import annotations

from chalicelib.core.time import real_ms
from chalicelib.watch import store
from chalicelib.watch.model import Silence


def silence_now() -> Silence | None:
    """The silence that forbids flagging at this moment, if any."""
    return store.load().silence_at(real_ms())


def scan_begins(game_ms: int) -> Silence | None:
    """Note the heartbeat of a scan; returns the silence that forbids it to flag, which is then kept until settled.

    If there is none, none can begin that reaches back before this scan, however long the scan takes.
    """
    real = real_ms()
    silence = store.load().silence_at(real)
    if silence is not None:
        store.note(silence)
        return silence
    return store.beat(real, game_ms)


def settling_begins(silence: Silence) -> None:
    """Keep a silence that is being settled, so that it stands until that is done, whoever has noticed it."""
    store.note(silence)


def silence_settled(silence: Silence, game_ms: int) -> bool:
    """Every clock has been given the silence back; scans may flag again. False if another silence stands."""
    return store.settled(silence, real_ms(), game_ms)
