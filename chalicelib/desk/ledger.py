"""The ledger of windows in DynamoDB: subject "windows" of the desk table, one item a window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Table
from chalicelib.core.settings import settings
from chalicelib.desk.windows import Record, Work

_WINDOWS: Final = "windows"

Addition = Callable[[TransactWrite], None]
"""Adds requests to a transaction."""


class Stale(Exception):
    """The ledger, or the watch, has moved on, or somebody is just writing; nothing was written."""


class WindowItem(Model):
    class Meta(Table):
        table_name = settings().desk_table

    subject = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    kind = UnicodeAttribute()
    reason = UnicodeAttribute()
    from_ms = NumberAttribute()
    opened_by = UnicodeAttribute()
    opened_ms = NumberAttribute()
    asked = UnicodeAttribute(null=True)
    until_ms = NumberAttribute(null=True)
    closed_by = UnicodeAttribute(null=True)
    closed_ms = NumberAttribute(null=True)
    work_from_ms = NumberAttribute()
    work = UnicodeAttribute(null=True)
    settled_ms = NumberAttribute(null=True)
    version = NumberAttribute()


def find(window_id: str) -> Record | None:
    """The record of a window, by a strongly consistent read."""
    try:
        return _record(WindowItem.get(_WINDOWS, window_id, consistent_read=True))
    except WindowItem.DoesNotExist:
        return None


def listed() -> list[Record]:
    """All windows that ever were, newest first."""
    found = [_record(item) for item in WindowItem.query(_WINDOWS, consistent_read=True)]
    return sorted(found, key=lambda record: record.opened_ms, reverse=True)


def save(record: Record, *additions: Addition) -> None:
    """Store a record whose version is one higher than that which stands (1: there is none), and what comes with it.

    All or nothing. Raises Stale.
    """
    try:
        with TransactWrite(connection=WindowItem._get_connection().connection) as transaction:
            transaction.save(_item(record), condition=_follows(record.version))
            for add in additions:
                add(transaction)
    except TransactWriteError as error:
        if error.cause_response_code != "TransactionCanceledException":
            raise
        raise Stale(record.id) from error


def _follows(version: int) -> Condition:
    before: Condition = WindowItem.entry.does_not_exist() if version == 1 else WindowItem.version == version - 1
    return before


def _item(record: Record) -> WindowItem:
    values: dict[str, Any] = {name: getattr(record, name) for name in Record.__struct_fields__ if name != "id"}
    work = msgspec.json.encode(record.work).decode() if record.work else None
    return WindowItem(_WINDOWS, record.id, **{**values, "asked": record.asked or None, "work": work})


def _record(item: WindowItem) -> Record:
    values = {name: value for name, value in item.attribute_values.items() if name in Record.__struct_fields__}
    if "work" in values:
        values["work"] = msgspec.json.decode(values["work"], type=Work)
    return msgspec.convert({"id": item.entry, **values}, Record, strict=False)
