"""What DynamoDB charges, by its documented rules (Developer Guide: "Item sizes and formats", "Read/write units").

Items are in the form of the wire: {"id": {"S": "abc"}, "version": {"N": "3"}, "seen": {"B": b"..."}}.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec import Struct

WRITE_UNIT: Final = 1024
READ_UNIT: Final = 4096

Item = Mapping[str, Mapping[str, Any]]


class WriteUnits(Struct, frozen=True):
    """Write units of one change: for the table, and for an index that shows keys only."""

    table: int
    index: int

    @property
    def total(self) -> int:
        return self.table + self.index


def item_bytes(item: Item) -> int:
    """Size of an item: the UTF-8 bytes of all names and values.

    >>> item_bytes({"id": {"S": "é"}, "n": {"N": "-1200"}, "b": {"B": b"123"}})
    12
    """
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Mapping[str, Any]) -> int:
    """A number takes a byte for every two significant digits, one more, and another if it is negative."""
    ((kind, content),) = value.items()
    if kind == "S":
        return len(str(content).encode())
    if kind == "B":
        return len(bytes(content))
    if kind == "N":
        digits = str(content).lstrip("-").replace(".", "").strip("0")
        return math.ceil(len(digits) / 2) + 1 + str(content).startswith("-")
    raise ValueError(f"items of games have no attributes of type {kind}")


def write_units(before: Item, after: Item, index: tuple[str, ...]) -> WriteUnits:
    """Units of a change of an item: the larger of its two sizes, and what it does to the index on the keys `index`.

    An entry that appears or goes is one write, one whose key changes is two: the old goes, a new one comes.

    >>> before = {"id": {"S": "a" * 1022}, "due": {"N": "1"}}
    >>> write_units(before, {**before, "due": {"N": "2"}}, ("due",))
    WriteUnits(table=2, index=4)
    >>> write_units(before, {"id": {"S": "a"}}, ("due",)).index, write_units(before, before, ("due",)).index
    (2, 0)
    """
    entries = [_entry(item, index) for item in (before, after)]
    changed = entries[0] != entries[1]
    return WriteUnits(
        table=_rounded(max(item_bytes(before), item_bytes(after)), WRITE_UNIT),
        index=sum(_rounded(item_bytes(entry), WRITE_UNIT) for entry in entries if entry) if changed else 0,
    )


def _entry(item: Item, index: tuple[str, ...]) -> Item:
    """What a keys-only index keeps of an item: the keys of both; nothing if the item lacks one of the index's."""
    return {name: item[name] for name in ("id", *index)} if all(name in item for name in index) else {}


def read_units(items: Iterable[Item], *, consistent: bool) -> float:
    """Units of a request that read `items`, at least those of one step; half for an eventually consistent one.

    >>> read_units([], consistent=False), read_units([{"id": {"S": "a" * 3000}}] * 2, consistent=True)
    (0.5, 2.0)
    """
    return _rounded(sum(item_bytes(item) for item in items), READ_UNIT) * (1.0 if consistent else 0.5)


def _rounded(size: int, step: int) -> int:
    return max(1, math.ceil(size / step))
