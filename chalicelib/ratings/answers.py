"""From the errors of the slice to what the API says: one table, used by every endpoint that is about ratings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from chalicelib.core.problems import Problem
from chalicelib.ratings.addresses import UnknownPartition, partition_at
from chalicelib.ratings.model import Partition
from chalicelib.ratings.prediction import MemberTwice, NoPair, SinglePlayersOnly

_PROBLEMS: Final[dict[type[Exception], tuple[int, str, str]]] = {
    MemberTwice: (400, "member_twice", "{}"),
    NoPair: (422, "no_pair", "{}"),
    SinglePlayersOnly: (422, "single_players_only", "{}"),
    UnknownPartition: (404, "unknown_partition", "{} can be the address of no partition"),
}


@contextmanager
def problems() -> Iterator[None]:
    """Turn the errors of the slice into Problems."""
    try:
        yield
    except tuple(_PROBLEMS) as error:
        status, code, detail = _PROBLEMS[type(error)]
        raise Problem(status, code, detail.format(error)) from error


def partition_named(text: str) -> Partition:
    """The partition at an address that somebody sent. Raises a 404 Problem."""
    with problems():
        return partition_at(text)
