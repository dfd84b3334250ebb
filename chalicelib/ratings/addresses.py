"""How partitions are named in addresses: one part of a path, readable, and the same for every kind of partition.

| partition | address |
|---|---|
| GLOBAL | `global` |
| CLUB | `club:ID` |
| EVENT | `event:ID` |
| SEASON | `season:CLUB:ID` |
| POOL | `pool:KIND:TIME CLASS` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, get_args

from chalicelib.clock.profiles import TimeClass
from chalicelib.core.ids import ENTITY_ID
from chalicelib.ratings.model import Partition, Scope
from chalicelib.rules import KINDS

_JOINT: Final = ":"
_ID: Final = re.compile(ENTITY_ID, re.ASCII)
_SCOPES: Final[dict[str, Scope]] = {"global": "GLOBAL", "club": "CLUB", "event": "EVENT", "season": "SEASON"}
_IDS: Final[dict[Scope, int]] = {"GLOBAL": 0, "CLUB": 1, "EVENT": 1, "SEASON": 2}


class UnknownPartition(ValueError):
    """This can be the address of no partition."""


def pools() -> Iterator[Partition]:
    """All pools there are: every kind of game in every time class."""
    for kind in KINDS:
        for time_class in get_args(TimeClass):
            yield Partition("POOL", f"{kind}/{time_class}")


def address(partition: Partition) -> str:
    """
    >>> address(Partition("SEASON", "abcdefghjkmn/23456789abcd")), address(Partition("GLOBAL"))
    ('season:abcdefghjkmn:23456789abcd', 'global')
    """
    return _JOINT.join([partition.scope.lower(), *filter(None, partition.ref.split("/"))])


def partition_at(text: str) -> Partition:
    """The partition at an address; whether anything was ever rated in it is another question. Raises UnknownPartition.

    >>> partition_at("pool:chess:rapid")
    Partition(scope='POOL', ref='chess/rapid')
    """
    if text in _POOLS:
        return _POOLS[text]
    name, *ids = text.split(_JOINT)
    scope = _SCOPES.get(name)
    if scope is None or not _are_ids(ids, _IDS[scope]):
        raise UnknownPartition(text)
    return Partition(scope, "/".join(ids))


def _are_ids(parts: list[str], number: int) -> bool:
    return len(parts) == number and all(_ID.fullmatch(part) for part in parts)


_POOLS: Final = {address(pool): pool for pool in pools()}
