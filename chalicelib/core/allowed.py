"""Which values a place in a body or query may have, where there are only some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import inspect

_STEP: Final = re.compile(r"\.(\w+)|\[")


def allowed(kind: type[msgspec.Struct], path: str) -> list[str]:
    """The values allowed at a path, as msgspec's errors write it; none where they cannot be listed.

    >>> from typing import Literal
    >>> Seat = msgspec.defstruct("Seat", [("colour", Literal["white", "black"] | None)])
    >>> Table = msgspec.defstruct("Table", [("seats", list[Seat])])
    >>> allowed(Table, "$.seats[1].colour"), allowed(Table, "$.seats")
    (['black', 'white'], [])
    """
    places: list[inspect.Type] = [inspect.type_info(kind)]
    for step in _STEP.finditer(path):
        places = [inside for place in places for inside in _inside(place, step[1])]
    return [str(value) for place in places for value in _values(place)]


def _inside(place: inspect.Type, field: str | None) -> Iterator[inspect.Type]:
    """What lies in the field of this name, or among the elements if it is None."""
    match place:
        case inspect.Metadata(inner):
            yield from _inside(inner, field)
        case inspect.UnionType(kinds):
            yield from (inside for kind in kinds for inside in _inside(kind, field))
        case inspect.StructType(_, fields):
            yield from (known.type for known in fields if known.encode_name == field)
        case inspect.ListType(item) | inspect.VarTupleType(item) | inspect.DictType(_, item) if field is None:
            yield item
        case inspect.TupleType(items) if field is None:
            yield from items


def _values(place: inspect.Type) -> Iterator[Any]:
    match place:
        case inspect.Metadata(inner):
            yield from _values(inner)
        case inspect.UnionType(kinds):
            yield from (value for kind in kinds for value in _values(kind))
        case inspect.LiteralType(values):
            yield from values
        case inspect.EnumType(enum):
            yield from (member.value for member in enum)
