"""Games and windows for the tests of maintenance: on tables of their own, at a time that the test moves."""

from __future__ import annotations

import uuid

from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import named
from chalicelib.core.sides import Side
from chalicelib.core.signing import Admin
from chalicelib.desk import closing
from chalicelib.desk.windows import LONGEST_REQUEST, Record
from chalicelib.games import store
from chalicelib.games.events import Shifted
from chalicelib.games.making import Match, pair
from chalicelib.games.model import Terms
from chalicelib.rules import referee
from chalicelib.watch.model import AHEAD
from tests.games.conftest import Time

OTTO = Admin("key", "otto", "operator", frozenset(), "nonce")
LATER = AHEAD + LONGEST_REQUEST
"""How long after a window was closed the work begins."""


def stored(now: Time, profile: str = "T3_1", count: int = 1) -> list[str]:
    """Games that begin now between "anna" and "bert"."""
    both = named(profile)
    match = Match("chess", None, (both, both), rated=True)
    made = pair("model", match, referee("chess"), Terms("pairing", event="open"), now.ms, now.ms)
    ids = [uuid.uuid4().hex[:12] for _ in range(count)]
    for game_id in ids:
        store.create([replace(made, id=game_id, white="anna", black="bert")], [])
    return ids


def opened(now: Time, key: str = "k") -> Record:
    """A window that has begun at this instant."""
    record = closing.open_window(OTTO, key, "new disks", None, now.ms)
    now.pass_by(AHEAD)
    return record


def closed(now: Time, record: Record) -> Record:
    """The window has ended at this instant, and the work on it may begin half a minute later."""
    ended = closing.close(OTTO, record.id, now.ms)
    now.pass_by(AHEAD)
    return ended


def settled(now: Time, record: Record) -> Record:
    """The window closed and settled, half a minute after its end."""
    ended = closed(now, record)
    now.pass_by(LONGEST_REQUEST)
    return closing.settle(ended)


def left(game: str, at_ms: int, side: Side = Side.WHITE) -> int:
    """The live balance of a side."""
    clock = store.load(game).clock
    assert clock is not None
    return clocks.live_remaining(clock, side, at_ms)


def due_ms(game: str) -> int:
    clock = store.load(game).clock
    assert clock is not None
    reached = clocks.due(clock)
    assert reached is not None
    return reached.at_ms


def shifts(game: str) -> list[Shifted]:
    return [event for event in store.load(game).log if isinstance(event, Shifted)]
