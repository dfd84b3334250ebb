"""The results themselves as logs: what a rebuild reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from chalicelib.clubs import lookup
from chalicelib.ratings.model import Partition, Played
from chalicelib.results import store
from chalicelib.results.model import Result
from chalicelib.results.rules import counts, played


def played_in(partition: Partition) -> Iterator[Played]:
    """The rated results of a partition that is no pool, in the order of their places, by strongly consistent reads.

    A result that changes while this reads is seen as it was or as it is; its change then waits in the partition.
    """
    found = (played(result) for result in _newest(_candidates(partition)) if counts(result))
    return iter(sorted(found, key=lambda game: game.place))


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
        case "SEASON":
            return _of_season(partition)
        case "GLOBAL":
            return store.everywhere()
        case _:
            raise ValueError(f"{partition.key} has no results of clubs in it")


def _of_season(partition: Partition) -> Iterable[Result]:
    span = lookup.season_span(partition)
    if span is None:
        return ()
    club, start_ms, end_ms = span
    return (result for result in store.of_club(club) if start_ms <= result.played_at_ms < end_ms)
