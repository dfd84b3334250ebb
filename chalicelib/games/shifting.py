"""Taking a window out of every clock, a page of games at a time.

The walk goes over the deadline index from the latest deadline to the earliest: a game whose clock is shifted falls due
later, and so moves to where the walk has been. What players do meanwhile takes the window out by itself (see
`act`). A window is never taken out of a clock twice, so any page may be worked on again.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from chalicelib.core.batches import Tally, each
from chalicelib.games import store
from chalicelib.games.act import act, carry_out
from chalicelib.games.commands import ShiftForWindow
from chalicelib.games.item import PAUSED, RUNNING, SHARDS
from chalicelib.games.model import Game

PAGE: Final = 100
"""Games that one request reads."""

_PARTITIONS: Final = tuple((stage, shard) for stage in (RUNNING, PAUSED) for shard in range(SHARDS))
"""Paused ones last: what is resumed during the walk has the window taken out by that."""


class Place(Struct, frozen=True):
    """How far a walk has come: a partition of the index, and the last entry in it, id and index time, that was met."""

    partition: int = 0
    after: tuple[str, int] | None = None


class Page(Struct, frozen=True):
    """What became of the games of a page: looked at, shifted, and those that failed, by id. `next` None: the end."""

    looked: int
    shifted: int
    failed: tuple[str, ...]
    next: Place | None


def running() -> int:
    """How many clocks run or are paused, as the index says."""
    return sum(store.count_in_shard(stage, shard) for stage, shard in _PARTITIONS)


def shift_page(command: ShiftForWindow, place: Place, now_ms: int) -> Page:
    """Take the window out of the clocks of the next games; one that fails stops no other."""
    stage, shard = _PARTITIONS[place.partition]
    found = store.latest_in_shard(stage, shard, place.after, PAGE)
    ids = [game_id for game_id, _ in found]
    failed, tally = _shifted(ids, command, now_ms)
    return Page(len(ids), tally.done, failed, _following(place, found))


def _following(place: Place, found: list[tuple[str, int]]) -> Place | None:
    if len(found) == PAGE:
        return Place(place.partition, found[-1])
    return Place(place.partition + 1) if place.partition + 1 < len(_PARTITIONS) else None


def _shifted(ids: list[str], command: ShiftForWindow, now_ms: int) -> tuple[tuple[str, ...], Tally]:
    failed = dict.fromkeys(ids)

    def shift(game_id: str) -> bool:
        game = games.get(game_id)
        try:
            outcome = carry_out(game, command, now_ms) if game else act(game_id, command, now_ms)
        except store.UnknownGame:
            del failed[game_id]
            return False
        del failed[game_id]
        return outcome.entry is not None

    games = _loaded(ids)
    tally = each(ids, shift)
    return tuple(failed), tally


def _loaded(ids: list[str]) -> dict[str, Game]:
    """The games by id; none if one of them cannot be read, so that each is read for itself."""
    try:
        return {game.id: game for game in store.load_many(ids)}
    except (LookupError, TypeError, ValueError):
        return {}
