"""Ending games on time when nobody looks: the minute scan, the timers for what falls due before the next one, repair.

Nothing here decides anything. A hit of the index is a hint; the game is read and decided like any other command, so a
scan, a timer and a move at the same instant have one outcome (settled 19).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from chalicelib.core.batches import Tally, each
from chalicelib.core.durations import MINUTE, SECOND
from chalicelib.core.queues import LARGEST_BATCH, send_later
from chalicelib.core.settings import settings
from chalicelib.games import fan_out, pairings, store
from chalicelib.games.act import Windows, act
from chalicelib.games.commands import Look
from chalicelib.games.item import ENDED, RUNNING, SHARDS
from chalicelib.watch import watching
from chalicelib.watch.model import Window

LOOK_AHEAD: Final = MINUTE
"""The scan runs every minute; what falls due before the next one gets a timer."""

REPAIR_AFTER: Final = MINUTE
"""Work of the stream that is older than this was lost on its way and is done by the scan."""

LONGEST_WAIT: Final = 2 * SECOND
"""A timer comes up to a second early, since queues know whole seconds only; it waits no longer than this."""


Hint = tuple[str, int]
"""Id of a game, and when it falls due as the index says, in ms: no more than a hint."""


class Report(Struct, frozen=True):
    """What a scan did and could not do. `standing` are the windows and silences for which nothing may be flagged."""

    flagged: int = 0
    timers: int = 0
    repaired: int = 0
    failed: int = 0
    standing: tuple[Window, ...] = ()


def scan(now_ms: int) -> Report:
    """End what is due, set timers for what falls due within the next minute, and repair what the stream left undone.

    What cannot be done for one game stops no other; it is logged, counted, and tried again by the next scan.
    """
    standing = watching.scan_begins(now_ms)
    if standing:
        repaired = repair(now_ms)
        return Report(repaired=repaired.done, failed=repaired.failed, standing=standing)
    due_soon: list[Hint] = []

    def find(shard: int) -> bool:
        due_soon.extend(store.due_in_shard(RUNNING, shard, now_ms + LOOK_AHEAD))
        return True

    found = each(range(SHARDS), find)
    # Timers first: many flags take long, and must not make late what falls due next.
    timers = each(_in_messages(due_soon, now_ms), lambda hints: set_timers(hints, now_ms))
    # Repair before flags: what this scan ends late bears its deadline in the index, and would look as if left undone.
    repaired = repair(now_ms)
    due_now = (game_id for game_id, due_ms in due_soon if due_ms <= now_ms)
    flagged = each(due_now, lambda game_id: flag(game_id, now_ms, _nothing_stands))
    failed = found.failed + timers.failed + repaired.failed + flagged.failed
    return Report(flagged.done, timers.done, repaired.done, failed)


def _nothing_stands(now_ms: int, *, surely: bool) -> tuple[Window, ...]:
    """What a scan knows of windows to its end: it flags as of its beginning, when there was none."""
    return ()


def _in_messages(due_soon: list[Hint], now_ms: int) -> Iterator[list[Hint]]:
    """The hints that are still ahead, as many at a time as a request takes: if the queue refuses some, others go."""
    ahead = [hint for hint in due_soon if hint[1] > now_ms]
    return (ahead[start : start + LARGEST_BATCH] for start in range(0, len(ahead), LARGEST_BATCH))


def flag(game_id: str, now_ms: int, windows: Windows = watching.windows) -> bool:
    """End the game if its time is up; whether it is over now."""
    try:
        return act(game_id, Look(), now_ms, windows).game.is_over
    except store.UnknownGame:
        return False


def set_timers(hints: list[Hint], now_ms: int) -> int:
    """Send a message for each hint that arrives just before its deadline; returns how many were sent.

    At other speeds than real time the scan, which then runs more often, is enough.
    """
    if settings().time.speed != 1:
        return 0
    messages = [
        (json.dumps({"game": game_id, "due_ms": due_ms}), max(0, due_ms - now_ms) // SECOND)
        for game_id, due_ms in hints
    ]
    send_later(settings().timers_queue_url, messages)
    return len(messages)


def timer(body: str) -> bool:
    """A timer has gone off; whether the game is over now. Raises ValueError or KeyError for a body nobody here sent.

    The message is a hint: it says how long it is worth waiting, never what time it is.
    """
    message = json.loads(body)
    game_id, due_ms = str(message["game"]), int(message["due_ms"])
    early_ms = due_ms - settings().time.now_ms()
    if 0 < early_ms <= LONGEST_WAIT:
        time.sleep((early_ms + 1) / SECOND)
    return flag(game_id, settings().time.now_ms())


def repair(now_ms: int) -> Tally:
    """Do what the stream should have done a minute ago, for games and pairings."""
    before_ms = now_ms - REPAIR_AFTER
    ended = each((game_id for game_id, _ in store.due_before(ENDED, before_ms)), _fan_out_again)
    return ended + each(pairings.unfinished(before_ms), _make_the_rest)


def _fan_out_again(game_id: str) -> bool:
    fan_out.ended(store.load(game_id))
    return True


def _make_the_rest(pairing_id: str) -> bool:
    pairings.make(pairings.load(pairing_id))
    return True
