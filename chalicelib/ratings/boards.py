"""Standings of one generation, put in order: what every reader of a board, or of a rank in it, begins with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from chalicelib.core.durations import MINUTE
from chalicelib.ratings import ledger
from chalicelib.ratings.board import Row, board
from chalicelib.ratings.decay import Runs, decays
from chalicelib.ratings.generation import Generation
from chalicelib.ratings.model import Partition, Projection, Standing
from chalicelib.ratings.reading import read

_KEPT: Final = 8

_ordered: Final[dict[Any, tuple[Row, ...]]] = {}
"""Boards that were put in order in this process: to look at one page after the other takes no more sorting."""


class Standings(Struct, frozen=True):
    """The standings of a projection in one generation, to be shown as of an instant; `runs` are those until then."""

    partition: Partition
    projection: Projection
    generation: int
    as_of_ms: int
    runs: Runs
    of: Mapping[str, Standing]
    source: str

    @property
    def rows(self) -> tuple[Row, ...]:
        """The board, best first."""
        key = (self.partition, self.projection, self.source, self.mark)
        rows = _ordered.get(key)
        if rows is None:
            rows = board(self.partition, self.of, self.runs, self.as_of_ms)
            for oldest in list(_ordered)[: 1 - _KEPT]:
                _ordered.pop(oldest, None)
            _ordered[key] = rows
        return rows

    @property
    def mark(self) -> str:
        """An ETag for what follows from these: deviations in pools grow by the minute, elsewhere only runs count."""
        shown = self.as_of_ms // MINUTE if self.partition.scope == "POOL" else self.runs.last or ""
        return f'W/"{self.generation}.{shown}"'


def as_of(now_ms: int) -> int:
    """Everything is shown as of a full minute, so that what is read twice is the same."""
    return now_ms - now_ms % MINUTE


def runs_of(partition: Partition) -> Runs:
    """The ledger, as far as it matters for a partition."""
    return ledger.runs() if decays(partition) else Runs()


def standings(partition: Partition, projection: Projection, as_of_ms: int) -> Standings:
    """All standings of a projection, to be shown as of an instant."""
    runs = runs_of(partition).until(as_of_ms)

    def look(seen: Generation) -> Standings:
        control = seen.control
        source = f"{control.generation}-{control.holder}"
        return Standings(partition, projection, control.generation, as_of_ms, runs, seen.standings(projection), source)

    return read(partition, look)
