"""Ending games on time when nobody looks: the minute scan, the timers for what falls due before the next one, repair.

Nothing here decides anything. A hit of the index is a hint; the game is read and decided like any other command, so a
scan, a timer and a move at the same instant have one outcome (settled 19).
"""

from __future__ import annotations

import json
import time
from typing import Final

from msgspec import Struct

from chalicelib.core.durations import MINUTE, SECOND
from chalicelib.core.queues import send_later
from chalicelib.core.settings import settings
from chalicelib.games import fan_out, pairings, store
from chalicelib.games.act import act
from chalicelib.games.commands import Look, ShiftForWindow
from chalicelib.games.item import ENDED, RUNNING
from chalicelib.watch.model import Silence
from chalicelib.watch.watching import scan_begins, silence_settled

LOOK_AHEAD: Final = MINUTE
"""The scan runs every minute; what falls due before the next one gets a timer."""

REPAIR_AFTER: Final = MINUTE
"""Work of the stream that is older than this was lost on its way and is done by the scan."""

LONGEST_WAIT_SECONDS: Final = 2.0
"""A timer comes up to a second early, since queues know whole seconds only; it waits no longer than this."""


class Report(Struct, frozen=True):
    """What a scan did. `silence` is set if it found that nothing may be flagged."""

    flagged: int = 0
    timers: int = 0
    repaired: int = 0
    silence: Silence | None = None


def scan(now_ms: int) -> Report:
    """End what is due, set timers for what falls due within the next minute, and repair what the stream left undone."""
    silence = scan_begins(now_ms)
    if silence is not None:
        return Report(repaired=repair(now_ms), silence=silence)
    flagged = 0
    soon: list[tuple[str, int]] = []
    for game_id, deadline_ms in store.due_before(RUNNING, now_ms + LOOK_AHEAD):
        if deadline_ms > now_ms:
            soon.append((game_id, deadline_ms))
        elif flag(game_id, now_ms):
            flagged += 1
    set_timers(soon, now_ms)
    return Report(flagged, len(soon), repair(now_ms))


def flag(game_id: str, now_ms: int) -> bool:
    """End the game if its time is up; whether it is over now."""
    try:
        return act(game_id, Look(), now_ms).game.is_over
    except store.UnknownGame:
        return False


def set_timers(deadlines: list[tuple[str, int]], now_ms: int) -> None:
    """Send a message for each pair (game id, deadline) that arrives just before it; at other speeds the scan does."""
    if settings().time.speed != 1:
        return
    messages = [
        (json.dumps({"game": game_id, "due_ms": due_ms}), max(0, due_ms - now_ms) // SECOND)
        for game_id, due_ms in deadlines
    ]
    send_later(settings().timers_queue_url, messages)


def timer(body: str) -> bool:
    """A timer has gone off; whether the game is over now. Raises ValueError or KeyError for a body nobody here sent."""
    message = json.loads(body)
    game_id, due_ms = str(message["game"]), int(message["due_ms"])
    wait_seconds = (due_ms - settings().time.now_ms()) / SECOND
    if 0 < wait_seconds <= LONGEST_WAIT_SECONDS:
        time.sleep(wait_seconds)
    return flag(game_id, max(settings().time.now_ms(), due_ms))


def repair(now_ms: int) -> int:
    """Do what the stream should have done a minute ago; how many games and pairings needed it."""
    ended = [game_id for game_id, _ in store.due_before(ENDED, now_ms - REPAIR_AFTER)]
    for game in store.load_many(ended):
        fan_out.ended(game)
    unfinished = list(pairings.unfinished(now_ms - REPAIR_AFTER))
    for pairing_id in unfinished:
        pairings.make(pairings.load(pairing_id))
    return len(ended) + len(unfinished)


def settle_silence(silence: Silence, now_ms: int) -> int:
    """Take a silence out of every running clock, then let scans flag again; how many clocks it held for.

    May be cut short and repeated: a window is never taken out of a clock twice.
    """
    command = ShiftForWindow(silence.id, silence.from_ms, now_ms)
    count = 0
    for game_id, _ in store.due_before(RUNNING, _ANY_TIME):
        count += _shifted(game_id, command, now_ms)
    silence_settled(silence, now_ms)
    return count


_ANY_TIME: Final = 10**15


def _shifted(game_id: str, command: ShiftForWindow, now_ms: int) -> bool:
    try:
        return act(game_id, command, now_ms).refusal is None
    except store.UnknownGame:
        return False
