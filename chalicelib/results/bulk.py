"""Many new results at once, for imports: transactions of many results, with one change for each log they touch.

Nothing is done twice: results that stand already as they are to be entered are passed over, so an import that was cut
short anywhere is run again from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clubs import lookup
from chalicelib.clubs.model import Seasons
from chalicelib.core.ids import random_id
from chalicelib.ratings.model import Change, Partition
from chalicelib.results import store
from chalicelib.results.model import Result, Seat
from chalicelib.results.recording import ATTEMPTS, Busy, links_of, pause
from chalicelib.results.rules import Version, changes_of, edits, with_links

MARK: Final = "import"
"""Stands where results that were recorded one by one keep the mark of the request that made them."""


class Entered(Struct, frozen=True):
    """What one transaction did: how many results, and the changes that wait because of it."""

    results: int
    changes: Mapping[Partition, Change]


class Differs(Exception):
    """A result with this id stands, and is another; `standing` is that."""

    def __init__(self, standing: Result) -> None:
        super().__init__(f"result {standing.id} stands already, and is another")
        self.standing = standing


def same(draft: Result, standing: Result) -> bool:
    """Whether a stored result is what is to be entered, whatever its version and the links of its guests."""
    return _as_named(draft) == _as_named(standing)


def _as_named(result: Result) -> Result:
    def named(side: tuple[Seat, ...]) -> tuple[Seat, ...]:
        return tuple(Seat(guest=seat.guest) if seat.guest else seat for seat in side)

    return replace(result, a=named(result.a), b=named(result.b), version=1, requests=())


def calendars_of(clubs: Iterable[str]) -> dict[str, Seasons]:
    """The seasons of each club. Raises UnknownClub."""
    return {club: lookup.seasons(club) for club in sorted(set(clubs))}


def version_of(draft: Result, calendars: Mapping[str, Seasons]) -> Version:
    """A new result with the seasons that contain it."""
    return Version(draft, lookup.season_partitions(calendars[draft.club], draft.played_at_ms))


def packed(versions: Iterable[Version]) -> Iterator[list[Result]]:
    """Results in groups, in their order, each of which fits into one transaction. Pure."""
    group: list[Result] = []
    logs: set[Partition] = set()
    clubs: set[str] = set()
    for version in versions:
        more_logs = logs.union(version.rated.partitions if version.rated else ())
        more_clubs = clubs | {version.result.club}
        if group and len(group) + 1 + len(more_logs) + len(more_clubs) > store.MOST_ITEMS:
            yield group
            group, logs, clubs = [], set(), set()
            more_logs = set(version.rated.partitions if version.rated else ())
            more_clubs = {version.result.club}
        group, logs, clubs = [*group, version.result], more_logs, more_clubs
    if group:
        yield group


def enter_group(group: Sequence[Result]) -> Entered:
    """Store results of a group from `packed`, all or none of those that do not stand yet.

    Members, guests and events that they name must have been checked. Raises Differs, Busy.
    """
    for attempt in range(ATTEMPTS):
        missing = _missing(group)
        if not missing:
            return Entered(0, {})
        calendars = calendars_of(draft.club for draft in missing)
        versions = [version_of(_linked(draft), calendars) for draft in missing]
        if len(list(packed(versions))) > 1:
            return _in_halves(missing)
        changes = changes_of([edits(None, version) for version in versions], random_id())
        steps = [store.Step(None, version.result) for version in versions]
        try:
            store.commit(steps, changes, {club: seasons.version for club, seasons in calendars.items()})
        except store.Stale:
            pause(attempt)
            continue
        return Entered(len(missing), changes)
    raise Busy(f"results from {group[0].id} on met too many others")


def _missing(group: Sequence[Result]) -> list[Result]:
    """Those that do not stand yet. Raises Differs."""
    standing = store.load_many((draft.club, draft.id) for draft in group)
    for draft in group:
        found = standing.get((draft.club, draft.id))
        if found is not None and not same(draft, found):
            raise Differs(found)
    return [draft for draft in group if (draft.club, draft.id) not in standing]


def _linked(draft: Result) -> Result:
    return replace(with_links(draft, links_of(None, draft)), requests=(MARK,))


def _in_halves(group: Sequence[Result]) -> Entered:
    """A season that was added meanwhile made the group too large."""
    middle = len(group) // 2
    first, second = enter_group(group[:middle]), enter_group(group[middle:])
    return Entered(first.results + second.results, {**first.changes, **second.changes})
