"""Results in DynamoDB: one item a result, and a transaction a change, with the marks of the logs that it touches.

A result that moved to another club leaves a signpost behind: a request that is repeated where it was sent first finds
the result, and no second one can be made there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import TransactWriteError
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.clubs import lookup
from chalicelib.core.database import Table
from chalicelib.core.settings import settings
from chalicelib.ratings import marking
from chalicelib.ratings.model import Change, Partition
from chalicelib.results.model import Result

MOST_ITEMS: Final = 100
"""Of a transaction."""

_RESULTS_A_READ: Final = 1_000
"""Of those that read all results: a third of what a page could hold, so that none takes as long as we wait for it."""

_BEFORE_ALL: Final = "0"
_AFTER_ALL: Final = "~"
_MOST_SIGNPOSTS: Final = 100


class UnknownResult(LookupError):
    """There is no result with this id in this club."""


class Stale(Exception):
    """What a commit relied on is no longer so, or others were at it in the same instant; nothing was written."""


class ClubTimeIndex(GlobalSecondaryIndex["ResultItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "club_time"
        projection = KeysOnlyProjection()

    club = UnicodeAttribute(hash_key=True)
    place = UnicodeAttribute(range_key=True)


class EventTimeIndex(GlobalSecondaryIndex["ResultItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "event_time"
        projection = KeysOnlyProjection()

    event = UnicodeAttribute(hash_key=True)
    place = UnicodeAttribute(range_key=True)


class ResultItem(Model):
    """A result, with its place in the lists unless it was deleted; or, with `moved_to`, a signpost."""

    class Meta(Table):
        table_name = settings().results_table

    club = UnicodeAttribute(hash_key=True)
    id = UnicodeAttribute(range_key=True)
    version = NumberAttribute()
    body = UnicodeAttribute(null=True)
    place = UnicodeAttribute(null=True)
    event = UnicodeAttribute(null=True)
    moved_to = UnicodeAttribute(null=True)
    club_time = ClubTimeIndex()
    event_time = EventTimeIndex()


class Step(Struct, frozen=True):
    """A result from one version to the next; `old` None: it is new."""

    old: Result | None
    new: Result


class Page(Struct, frozen=True):
    """Results of a page, and the place of the last where another follows."""

    results: list[Result]
    next_place: str | None


# --- reading


def find(club: str, result_id: str) -> Result | None:
    """The result that has, or once had, this id in this club, by strongly consistent reads; None if there is none."""
    for _ in range(_MOST_SIGNPOSTS):
        try:
            item = ResultItem.get(club, result_id, consistent_read=True)
        except ResultItem.DoesNotExist:
            return None
        if item.body:
            return _result(item)
        club = item.moved_to or ""
    return None


def load(club: str, result_id: str) -> Result:
    """As `find`. Raises UnknownResult."""
    found = find(club, result_id)
    if found is None:
        raise UnknownResult(result_id)
    return found


def load_many(keys: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Result]:
    """The results with these keys (club, id), strongly consistent; those that do not exist or moved on are left out."""
    items = ResultItem.batch_get(list(dict.fromkeys(keys)), consistent_read=True)
    return {(item.club, item.id): _result(item) for item in items if item.body}


def page_of_club(club: str, limit: int, before: str | None = None) -> Page:
    """A page of a club's results, newest first; what is entered meanwhile moves no page."""
    index: Any = ResultItem.club_time
    return _page(index, club, limit, before)


def page_of_event(event: str, limit: int, before: str | None = None) -> Page:
    """A page of an event's results of whatever club, newest first."""
    index: Any = ResultItem.event_time
    return _page(index, event, limit, before)


def _page(index: Any, of: str, limit: int, before: str | None) -> Page:
    condition = ResultItem.place.between(_BEFORE_ALL, before or _AFTER_ALL)
    found = list(index.query(of, condition, scan_index_forward=False, limit=limit + 2))
    rows = [row for row in found if row.place != before]
    shown = rows[:limit]
    loaded = load_many((row.club, row.id) for row in shown)
    results = [loaded[row.club, row.id] for row in shown if (row.club, row.id) in loaded]
    return Page([result for result in results if not result.deleted], shown[-1].place if len(rows) > limit else None)


def of_club(club: str) -> Iterator[Result]:
    """All results of a club, strongly consistent, in the order of their ids."""
    return (
        _result(item) for item in ResultItem.query(club, consistent_read=True, page_size=_RESULTS_A_READ) if item.body
    )


def everywhere() -> Iterator[Result]:
    """All results of the server, strongly consistent, in no order; one that moves meanwhile may come twice or not."""
    return (_result(item) for item in ResultItem.scan(consistent_read=True, page_size=_RESULTS_A_READ) if item.body)


def _result(item: ResultItem) -> Result:
    return msgspec.json.decode(item.body or "", type=Result)


# --- writing


def commit(steps: Sequence[Step], changes: Mapping[Partition, Change], clubs: Mapping[str, int]) -> None:
    """Store the new versions and mark the logs they touch: one transaction, of MOST_ITEMS items at the most.

    `clubs` are the versions of the clubs whose seasons and links the changes were made with. Raises Stale.
    """
    try:
        with TransactWrite(connection=ResultItem._get_connection().connection) as transaction:
            for step in steps:
                _put(transaction, step)
            marking.mark(transaction, changes)
            for club, version in clubs.items():
                lookup.check_unchanged(transaction, club, version)
    except TransactWriteError as error:
        if error.cause_response_code != "TransactionCanceledException":
            raise
        raise Stale from error


def _put(transaction: TransactWrite, step: Step) -> None:
    old, new = step.old, step.new
    is_free = ResultItem.id.does_not_exist() | ResultItem.moved_to.exists()
    if old is None:
        transaction.save(_item(new), condition=ResultItem.id.does_not_exist())
        return
    stands = (ResultItem.version == old.version) & ResultItem.body.exists()
    if old.club == new.club:
        transaction.save(_item(new), condition=stands)
        return
    transaction.save(ResultItem(old.club, old.id, version=new.version, moved_to=new.club), condition=stands)
    transaction.save(_item(new), condition=is_free)


def _item(result: Result) -> ResultItem:
    return ResultItem(
        result.club,
        result.id,
        version=result.version,
        body=msgspec.json.encode(result).decode(),
        place=None if result.deleted else result.place,
        event=None if result.deleted else result.event,
    )
