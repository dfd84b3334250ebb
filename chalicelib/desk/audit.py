"""The audit log in the desk table: one item an act, written with the act in one transaction, and never changed.

An item stands under what the act was done to, and in two indexes: by who did it, and by the day on which.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import msgspec
from msgspec import Struct
from pynamodb.attributes import UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Table
from chalicelib.core.durations import SECOND
from chalicelib.core.ids import ENTITY_ID
from chalicelib.core.settings import settings
from chalicelib.desk.model import Act

ENTRY: Final = re.compile(rf"[0-9]{{15}}#{ENTITY_ID}")
"""What the place of an act in a list may look like: a cursor is one of these, or it is none."""

_LATEST: Final = "~"


class ActorIndex(GlobalSecondaryIndex["AuditItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "actor"
        projection = AllProjection()

    actor = UnicodeAttribute(hash_key=True)
    at_entry = UnicodeAttribute(range_key=True)


class DayIndex(GlobalSecondaryIndex["AuditItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "day"
        projection = AllProjection()

    day = UnicodeAttribute(hash_key=True)
    at_entry = UnicodeAttribute(range_key=True)


class AuditItem(Model):
    """An act; `act` is all of it as JSON."""

    class Meta(Table):
        table_name = settings().desk_table

    subject = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    actor = UnicodeAttribute()
    day = UnicodeAttribute()
    at_entry = UnicodeAttribute()
    act = UnicodeAttribute()
    by_actor = ActorIndex()
    by_day = DayIndex()


class Page(Struct, frozen=True):
    """Acts, latest first, and the place from which the next page goes on (None: there is none)."""

    acts: list[Act]
    next_entry: str | None


def addition(act: Act) -> Callable[[TransactWrite], None]:
    """Adds an act to the transaction that does it; the transaction fails if the act stands already."""

    def add(transaction: TransactWrite) -> None:
        transaction.save(_item(act), condition=AuditItem.entry.does_not_exist())

    return add


def find(subject: str, at_ms: int, act_id: str) -> Act | None:
    """An act that was done at `at_ms`, by a strongly consistent read."""
    try:
        return _act(AuditItem.get(subject, _entry(at_ms, act_id), consistent_read=True))
    except AuditItem.DoesNotExist:
        return None


def of_subject(subject: str, limit: int, before: str | None = None) -> Page:
    """A page of what was done to a game or a profile, by a strongly consistent read."""
    return _page(AuditItem.query, AuditItem.entry, subject, limit, before, consistent_read=True)


def of_actor(actor: str, limit: int, before: str | None = None) -> Page:
    """A page of what somebody did."""
    return _page(AuditItem.by_actor.query, AuditItem.at_entry, actor, limit, before)


def of_day(day: str, limit: int, before: str | None = None) -> Page:
    """A page of what was done on a day ("2026-11-30", UTC, game time)."""
    return _page(AuditItem.by_day.query, AuditItem.at_entry, day, limit, before)


def day_of(at_ms: int) -> str:
    """
    >>> day_of(1_772_323_200_000)
    '2026-03-01'
    """
    return datetime.fromtimestamp(at_ms // SECOND, UTC).date().isoformat()


def _page(query: Any, range_key: UnicodeAttribute, hash_key: str, limit: int, before: str | None, **more: Any) -> Page:
    """Acts before the place `before`. What is done later comes before the first page, and so moves none."""
    wanted = range_key < (before or _LATEST)
    found = list(query(hash_key, wanted, scan_index_forward=False, limit=limit + 1, **more))
    acts = [_act(item) for item in found[:limit]]
    return Page(acts, _entry(acts[-1].at_ms, acts[-1].id) if len(found) > limit else None)


def _entry(at_ms: int, act_id: str) -> str:
    return f"{at_ms:015d}#{act_id}"


def _item(act: Act) -> AuditItem:
    entry = _entry(act.at_ms, act.id)
    return AuditItem(
        act.subject,
        entry,
        actor=act.actor,
        day=day_of(act.at_ms),
        at_entry=entry,
        act=msgspec.json.encode(act).decode(),
    )


def _act(item: AuditItem) -> Act:
    return msgspec.json.decode(item.act, type=Act)
