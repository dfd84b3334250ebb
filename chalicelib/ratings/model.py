"""Partitions, logs and standings: frozen values, no behaviour beyond what can be read off them.

The words are those of docs/ratings.md. Values that are stored by the million are arrays when encoded.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

Scope = Literal["GLOBAL", "CLUB", "EVENT", "SEASON", "POOL"]
Projection = Literal["individual", "pair"]
Winner = Literal["A", "B", ""]
"""The side that won; empty is a draw."""

Values = tuple[float, ...]
"""What a model knows of a subject: (mu, sigma), or (rating, deviation, volatility)."""

Place = tuple[int, str]
"""Where a result stands in a log: (instant it was played or ended, in ms; its id)."""

PAIR_JOINT: Final = "+"
"""Joins the two member ids of a pair; no member id contains it."""

PROVISIONAL_BELOW: Final = 10
"""A standing with fewer rated games is provisional (seed 002)."""


class Partition(Struct, frozen=True, order=True):
    """One log with ratings of its own; `ref` is the id of the club, event or season, or `kind/time class` of a pool.

    >>> Partition("POOL", "chess/classical").key
    'POOL#chess/classical'
    >>> Partition.of_key("GLOBAL")
    Partition(scope='GLOBAL', ref='')
    """

    scope: Scope
    ref: str = ""

    @property
    def key(self) -> str:
        return f"{self.scope}#{self.ref}" if self.ref else self.scope

    @staticmethod
    def of_key(key: str) -> Partition:
        scope, _, ref = key.partition("#")
        return Partition(scope, ref)  # type: ignore[arg-type]

    @property
    def projections(self) -> tuple[Projection, ...]:
        return ("individual",) if self.scope == "POOL" else ("individual", "pair")


class Played(Struct, frozen=True, array_like=True, gc=False):
    """A rated result as a log has it: the members of either side, guests removed. In pools A is White, B is Black."""

    at_ms: int
    id: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    winner: Winner

    @property
    def place(self) -> Place:
        return self.at_ms, self.id


class Standing(Struct, frozen=True, array_like=True, gc=False):
    """A subject after its last game in a partition. `last_no` counts games of the log from 0; -1 and None: no game."""

    values: Values
    games: int = 0
    wins: int = 0
    draws: int = 0
    last_at_ms: int | None = None
    last_no: int = -1

    @property
    def losses(self) -> int:
        return self.games - self.wins - self.draws

    @property
    def is_provisional(self) -> bool:
        return self.games < PROVISIONAL_BELOW


class Snapshot(Struct, frozen=True, array_like=True, gc=False):
    """What one game did to one subject: its standing before, its values after, and 1, 0.5 or 0 for the result."""

    subject: str
    before: Standing
    after: Values
    score: float


class Line(Struct, frozen=True, array_like=True, gc=False):
    """A played result with its snapshots in either projection; a projection that rates nothing has none."""

    played: Played
    individual: tuple[Snapshot, ...]
    pair: tuple[Snapshot, ...] = ()


class Edit(Struct, frozen=True, array_like=True):
    """What an edit of one result means for one partition: clear these places, then put in `played` unless it is None.

    `version` is that of the result, counted from 1: it orders the edits of one result.
    """

    result_id: str
    version: int
    clear: tuple[Place, ...] = ()
    played: Played | None = None


class Change(Struct, frozen=True):
    """The marker: work that waits in a partition. `id` is unique in it; edits that were committed together share it.

    `reload` says that the whole log is to be read again from the results themselves; it has no edits then.
    """

    id: str
    edits: tuple[Edit, ...] = ()
    reload: bool = False


def pair_of(members: tuple[str, ...]) -> str:
    """The subject of an unordered pair.

    >>> pair_of(("bert", "anna"))
    'anna+bert'
    """
    one, other = members
    return f"{one}{PAIR_JOINT}{other}" if one < other else f"{other}{PAIR_JOINT}{one}"
