"""Control, batches, objects: what a replay has made, and the right to make it anew.

A pass takes the lease of a partition and with it a fence, a number that nobody else gets. Everything it writes bears
the fence in its name; nobody reads it until one conditional update of control, `commit`, names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from secrets import token_hex
from typing import Any, Final

import msgspec
from botocore.config import Config
from botocore.exceptions import ClientError
from msgspec import Struct
from msgspec.structs import replace
from pynamodb.attributes import BinaryAttribute, BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model

from chalicelib.core.aws import session
from chalicelib.core.database import Conflict, Table, update
from chalicelib.core.settings import settings
from chalicelib.ratings.manifest import Frontier, Manifest
from chalicelib.ratings.model import Line, Partition, Standing

LEASE_MS: Final = 200_000
"""Longer than the function that holds it can run (real time): whoever outlives its lease has been killed, or is not
one of ours. The fence, not the lease, keeps such a one from writing."""

_CONTROL: Final = "control"
_BATCH: Final = "batch#"
_DELETED_AT_ONCE: Final = 1_000

Lines = tuple[Line, ...]
Board = dict[str, Standing]


class Busy(Exception):
    """Somebody else has the lease of the partition, or has just had it."""


class Overtaken(Exception):
    """The lease ran out, and somebody else has the partition: nothing of this pass was committed."""


class Vanished(LookupError):
    """Something that an old control names has been cleared away: read control again."""


class Corrupt(ValueError):
    """Something stored is none that this program has written; the message names it."""


class Control(Struct, frozen=True):
    """The one mutable item of a partition.

    `lease_until_ms` is real time, 0 for a free lease, which `holder` has or had. `manifest` names the object with the
    chunks ("" for none yet), `batches` are younger than all chunks, in order. `frontier` names the object of a replay
    that is to go on.
    """

    partition: Partition
    fence: int = 0
    lease_until_ms: int = 0
    holder: str = ""
    generation: int = 0
    manifest: str = ""
    batches: tuple[str, ...] = ()
    frontier: str = ""

    def name(self, what: str) -> str:
        """The name of an object that is made under this fence, and never under another."""
        return f"{self.fence:08x}-{self.holder}-{what}"

    @property
    def batch_name(self) -> str:
        """The name of the batch of this fence: short, since control names up to 64 of them and stays below 1 KB."""
        return f"{self.fence:x}"

    def may_clear(self, name: str) -> bool:
        """Whether an object or a batch was made before this fence, so that nobody is making it now."""
        return int(name.partition("-")[0], 16) < self.fence


class RatingItem(Model):
    """Control, a batch, or a run of the ledger, see `ledger`."""

    class Meta(Table):
        table_name = settings().ratings_table

    partition = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    fence = NumberAttribute(null=True)
    lease_until_ms = NumberAttribute(null=True)
    holder = UnicodeAttribute(null=True)
    generation = NumberAttribute(null=True)
    manifest = UnicodeAttribute(null=True)
    batches = UnicodeAttribute(null=True)
    frontier = UnicodeAttribute(null=True)
    lines = BinaryAttribute(legacy_encoding=False, null=True)
    ran_ms = NumberAttribute(null=True)
    caught_up = BooleanAttribute(null=True)


# ---- control


def control(partition: Partition) -> Control:
    """The control of a partition, by a strongly consistent read; one that was never rated has an empty one."""
    try:
        return _control(partition, RatingItem.get(partition.key, _CONTROL, consistent_read=True))
    except RatingItem.DoesNotExist:
        return Control(partition)


def take_lease(read: Control, now_ms: int) -> Control:
    """Take the lease if nobody has it and nothing was committed since `read` was read. Raises Busy."""
    if read.lease_until_ms > now_ms:
        raise Busy(read.partition.key)
    taken = replace(read, fence=read.fence + 1, lease_until_ms=now_ms + LEASE_MS, holder=token_hex(4))
    actions: list[Action] = [
        RatingItem.fence.set(taken.fence),
        RatingItem.lease_until_ms.set(taken.lease_until_ms),
        RatingItem.holder.set(taken.holder),
        RatingItem.generation.set(taken.generation),
    ]
    unchanged = (RatingItem.fence == read.fence) & (RatingItem.generation == read.generation)
    try:
        _update(read, actions, unchanged if read.fence else RatingItem.fence.does_not_exist())
    except Conflict as conflict:
        # The answer to our own write may have got lost, and botocore has sent it again.
        if not isinstance(conflict.current, RatingItem) or conflict.current.holder != taken.holder:
            raise Busy(read.partition.key) from conflict
    return taken


def commit(before: Control, after: Control) -> Control:
    """Make `after` what readers see, and free the lease. Raises Overtaken if the fence is not ours any more."""
    freed = replace(after, lease_until_ms=0)
    actions: list[Action] = [RatingItem.lease_until_ms.set(0)]
    if before.generation != after.generation:
        actions.append(RatingItem.generation.set(after.generation))
    for name in ("manifest", "batches", "frontier"):
        value = getattr(after, name)
        if value != getattr(before, name):
            attribute = getattr(RatingItem, name)
            text = " ".join(value) if name == "batches" else value
            actions.append(attribute.set(text) if text else attribute.remove())
    try:
        _update(before, actions, RatingItem.fence == before.fence)
    except Conflict as conflict:
        raise Overtaken(before.partition.key) from conflict
    return freed


def free_lease(held: Control) -> None:
    """Give the lease back without a commit; harmless if it is not ours any more."""
    try:
        commit(held, held)
    except Overtaken:
        return


def _update(read: Control, actions: list[Action], condition: Condition) -> None:
    update(RatingItem(read.partition.key, _CONTROL), actions, condition)


def _control(partition: Partition, item: RatingItem) -> Control:
    return Control(
        partition,
        fence=int(item.fence or 0),
        lease_until_ms=int(item.lease_until_ms or 0),
        holder=item.holder or "",
        generation=int(item.generation or 0),
        manifest=item.manifest or "",
        batches=tuple((item.batches or "").split()),
        frontier=item.frontier or "",
    )


# ---- batches


def put_batch(held: Control, lines: bytes) -> str:
    """Store the lines of a batch (see `encoded`) under our fence; returns its name."""
    RatingItem(held.partition.key, _BATCH + held.batch_name, lines=lines).save()
    return held.batch_name


def batches(read: Control) -> list[tuple[str, Lines]]:
    """The batches that a control names, in order. Raises Vanished."""
    keys = [(read.partition.key, _BATCH + name) for name in read.batches]
    found = {item.entry: item for item in RatingItem.batch_get(keys, consistent_read=True)} if keys else {}
    try:
        items = [(name, found[_BATCH + name]) for name in read.batches]
    except KeyError as missing:
        raise Vanished(f"{read.partition.key} {missing}") from missing
    return [(name, _decoded(item.lines or b"", Lines, f"{item.partition} {item.entry}")) for name, item in items]


def batch_names(partition: Partition) -> Iterator[str]:
    """The names of all batches that a partition has, named by control or not."""
    for item in RatingItem.query(partition.key, RatingItem.entry.startswith(_BATCH), attributes_to_get=["entry"]):
        yield item.entry.removeprefix(_BATCH)


def delete_batches(partition: Partition, names: Iterable[str]) -> None:
    with RatingItem.batch_write() as batch:
        for name in names:
            batch.delete(RatingItem(partition.key, _BATCH + name))


# ---- objects


def encoded(content: object) -> bytes:
    return msgspec.msgpack.encode(content)


def put_object(partition: Partition, name: str, content: object) -> str:
    """Store an object under a name that nobody has used before; returns the name."""
    _s3().put_object(Bucket=settings().ratings_bucket, Key=_key(partition, name), Body=encoded(content))
    return name


@lru_cache(maxsize=8)
def chunk(partition: Partition, name: str) -> Lines:
    """The lines of a chunk. As all that reads objects, raises Vanished or Corrupt."""
    found: Lines = _object(partition, name, Lines)
    return found


@lru_cache(maxsize=8)
def board(partition: Partition, name: str) -> Board:
    """The standings of a board; nobody may change them, since whoever asks again gets the same ones."""
    found: Board = _object(partition, name, Board)
    return found


@lru_cache(maxsize=64)
def manifest(partition: Partition, name: str) -> Manifest:
    """The manifest of this name; the one of "" has no chunks."""
    found: Manifest = _object(partition, name, Manifest) if name else Manifest()
    return found


def frontier(partition: Partition, name: str) -> Frontier:
    found: Frontier = _object(partition, name, Frontier)
    return found


def object_names(partition: Partition) -> Iterator[str]:
    """The names of all objects that a partition has, named by control or not."""
    folder = _key(partition, "")
    for page in _s3().get_paginator("list_objects_v2").paginate(Bucket=settings().ratings_bucket, Prefix=folder):
        for found in page.get("Contents", ()):
            yield found["Key"].removeprefix(folder)


def delete_objects(partition: Partition, names: list[str]) -> None:
    for start in range(0, len(names), _DELETED_AT_ONCE):
        keys = [{"Key": _key(partition, name)} for name in names[start : start + _DELETED_AT_ONCE]]
        _s3().delete_objects(Bucket=settings().ratings_bucket, Delete={"Objects": keys, "Quiet": True})


def _object(partition: Partition, name: str, kind: Any) -> Any:
    key = _key(partition, name)
    try:
        body = _s3().get_object(Bucket=settings().ratings_bucket, Key=key)["Body"].read()
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchKey":
            raise
        raise Vanished(key) from error
    return _decoded(body, kind, key)


def _decoded(body: bytes, kind: Any, where: str) -> Any:
    try:
        return msgspec.msgpack.decode(body, type=kind)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{where}: {error}") from error


def _key(partition: Partition, name: str) -> str:
    return f"{partition.key.replace('#', '/')}/{name}"


@cache
def _s3() -> Any:
    config = Config(connect_timeout=1, read_timeout=10, retries={"mode": "standard", "max_attempts": 4})
    return session().create_client("s3", region_name=settings().region, config=config)
