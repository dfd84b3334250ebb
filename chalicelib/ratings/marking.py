"""Changes that wait in partitions: put with the commit that causes them, announced after it, taken in by a pass.

The items are the truth about pending work; a message only saves waiting for the sweep (`stale`, every minute).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from secrets import token_hex

import msgspec
from msgspec import Struct
from pynamodb.attributes import BinaryAttribute, BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core import time
from chalicelib.core.database import Table
from chalicelib.core.durations import MINUTE
from chalicelib.core.logging import log
from chalicelib.core.queues import send_in_groups
from chalicelib.core.settings import settings
from chalicelib.ratings.model import Change, Edit, Partition


class ChangeItem(Model):
    """A change as it waits. `marked_ms` is real time; `by` is who ordered a reload."""

    class Meta(Table):
        table_name = settings().changes_table

    partition = UnicodeAttribute(hash_key=True)
    id = UnicodeAttribute(range_key=True)
    edits = BinaryAttribute(legacy_encoding=False, null=True)
    reload = BooleanAttribute(null=True)
    by = UnicodeAttribute(null=True)
    marked_ms = NumberAttribute()


class Waiting(Struct, frozen=True):
    """A change of a partition, and since when it has waited (real time)."""

    partition: Partition
    change_id: str
    since_ms: int


class Wakeup(Struct, frozen=True, omit_defaults=True):
    """A message: something waits in the partition of this key. `again`: the sweep has found it."""

    partition: str
    again: bool = False

    @property
    def named(self) -> Partition:
        return Partition.of_key(self.partition)


class Undecodable(ValueError):
    """A waiting change is none that this program has written."""


def mark(transaction: TransactWrite, changes: Mapping[Partition, Change]) -> None:
    """Add to a transaction that these changes wait; one put a partition. Wake the partitions once it is committed."""
    for partition, change in changes.items():
        transaction.save(_item(partition, change))


def put(changes: Mapping[Partition, Change]) -> None:
    """Store changes that no transaction is needed for. A change that waits already is replaced by itself."""
    for partition, change in changes.items():
        _item(partition, change).save()


def wake(changes: Mapping[Partition, Change]) -> None:
    """Announce committed changes. If that fails, they are found by the sweep; it never raises."""
    _send([_message(partition, change.id) for partition, change in changes.items()])


def wake_again(some: Iterable[Waiting], now_ms: int) -> None:
    """Announce what should have been done a while ago.

    The queue drops what it has been told within five minutes, so these messages differ from the first ones, and from
    those of another minute. They have a group of their own: the other one stands still while a message that failed in
    it is hidden.
    """
    _send(
        [
            (
                msgspec.json.encode(Wakeup(one.partition.key, again=True)).decode(),
                f"{one.partition.key}#again",
                f"{one.partition.key}#{one.change_id}#{now_ms // MINUTE}",
            )
            for one in some
        ]
    )


def go_on(partition: Partition, fence: int) -> None:
    """Wake a partition whose pass under this fence left work behind."""
    _send([_message(partition, str(fence))])


def rebuild(partition: Partition, by: str) -> Change:
    """Order that a partition is read again from the results themselves; `by` is who wants that."""
    change = Change(f"reload-{token_hex(8)}", reload=True)
    _item(partition, change, by).save()
    wake({partition: change})
    return change


def waiting(partition: Partition) -> list[Change]:
    """All changes that wait in a partition, by strongly consistent reads. Raises Undecodable.

    Beside a reload an edit that cannot be decoded counts as none: a reload is the way out, and reads what it said.
    """
    items = list(ChangeItem.query(partition.key, consistent_read=True))
    has_reload = any(item.reload for item in items)
    return [_change(item, is_replaced=has_reload) for item in items]


def is_waiting(partition: Partition) -> bool:
    return next(iter(ChangeItem.query(partition.key, consistent_read=True, limit=1)), None) is not None


def since_when(partition: Partition) -> list[int]:
    """For each change that waits in a partition, since when (real time)."""
    return [int(item.marked_ms) for item in ChangeItem.query(partition.key, attributes_to_get=["marked_ms"])]


def let_go(partition: Partition, waves: Iterable[Iterable[str]]) -> None:
    """Delete changes that are in the log now, one group after the other."""
    for ids in waves:
        items = [ChangeItem(partition.key, change_id) for change_id in ids]
        if len(items) == 1:
            items[0].delete()
            continue
        with ChangeItem.batch_write() as batch:
            for item in items:
                batch.delete(item)


def stale(before_ms: int) -> Iterator[Waiting]:
    """One change of each partition that has had one waiting since before `before_ms` (real time)."""
    seen = set()
    for item in ChangeItem.scan(attributes_to_get=["partition", "id", "marked_ms"]):
        if item.marked_ms < before_ms and item.partition not in seen:
            seen.add(item.partition)
            yield Waiting(Partition.of_key(item.partition), item.id, int(item.marked_ms))


def _item(partition: Partition, change: Change, by: str | None = None) -> ChangeItem:
    return ChangeItem(
        partition.key,
        change.id,
        edits=None if change.reload else msgspec.msgpack.encode(change.edits),
        reload=change.reload or None,
        by=by,
        marked_ms=time.real_ms(),
    )


def _change(item: ChangeItem, *, is_replaced: bool) -> Change:
    if item.reload:
        return Change(item.id, reload=True)
    try:
        return Change(item.id, msgspec.msgpack.decode(item.edits or b"", type=tuple[Edit, ...]))
    except msgspec.DecodeError as error:
        if is_replaced:
            return Change(item.id)
        raise Undecodable(f"change {item.id} of {item.partition}: {error}") from error


def _message(partition: Partition, once: str) -> tuple[str, str, str]:
    return msgspec.json.encode(Wakeup(partition.key)).decode(), partition.key, f"{partition.key}#{once}"


def _send(messages: list[tuple[str, str, str]]) -> None:
    try:
        send_in_groups(settings().recompute_queue_url, messages)
    except Exception:
        log().exception("partitions were not woken", extra={"groups": [group for _, group, _ in messages][:10]})
