"""The results themselves as logs: what a rebuild reads."""

from __future__ import annotations

from collections.abc import Iterable

from chalicelib.clubs import lookup
from chalicelib.ratings.edits import on_top
from chalicelib.ratings.model import Edit, Partition, Played
from chalicelib.results import store
from chalicelib.results.model import Result
from chalicelib.results.rules import counts, played


def played_in(partition: Partition, edits: tuple[Edit, ...] = ()) -> list[Played]:
    """The rated results of a partition that is no pool, in the order of their places, by strongly consistent reads.

    A result that changes while this reads is seen as it was or as it is; its change then waits in the partition.
    Normalised edits are laid over what is read: changes may be seen before their results. Edits of a season may be
    older than its days; what they put in beyond these is not in it.
    """
    if partition.scope != "SEASON":
        return on_top(_rated(_candidates(partition)), edits)
    span = lookup.season_span(partition)
    if span is None:
        return []
    club, start_ms, end_ms = span
    games = on_top(_rated(store.of_club(club)), edits)
    return [game for game in games if start_ms <= game.at_ms < end_ms]


def _rated(results: Iterable[Result]) -> Iterable[Played]:
    return (played(result) for result in _newest(results) if counts(result))


def _newest(results: Iterable[Result]) -> Iterable[Result]:
    """One version of each result: a scan meets one that moves to another club twice, or not at all."""
    by_id: dict[str, Result] = {}
    for result in results:
        if result.id not in by_id or by_id[result.id].version < result.version:
            by_id[result.id] = result
    return by_id.values()


def _candidates(partition: Partition) -> Iterable[Result]:
    match partition.scope:
        case "CLUB":
            return store.of_club(partition.ref)
        case "EVENT":
            return (result for result in store.everywhere() if result.event == partition.ref)
        case "GLOBAL":
            return store.everywhere()
        case _:
            raise ValueError(f"{partition.key} has no results of clubs in it")
