"""What a generation of a partition consists of, and what a replay that ran out of time leaves behind: frozen values."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from chalicelib.ratings.model import Edit, Place, Projection, Standing

CHUNK_LINES: Final = 1024
"""Lines of a chunk; the last one of a log may have fewer."""

MOST_BATCHES: Final = 64
MOST_BATCH_LINES: Final = 512
MOST_BATCH_BYTES: Final = 128 * 1024
"""Beyond these, batches become chunks. An item could hold 400 KB, but an object costs as little as five units."""

FIRST_PLACE: Final[Place] = (-(2**63), "")
"""Before every result."""


class Segment(Struct, frozen=True, array_like=True):
    """A chunk of the log: the name of its object, how many lines it has, and the places of its first and last."""

    name: str
    lines: int
    first: Place
    last: Place


class Manifest(Struct, frozen=True, array_like=True):
    """The chunks of a log in order, and the names of the boards as of their end."""

    chunks: tuple[Segment, ...] = ()
    boards: Mapping[Projection, str] = {}

    @property
    def lines(self) -> int:
        return sum(chunk.lines for chunk in self.chunks)

    @property
    def last(self) -> Place:
        """The place where the chunks end."""
        return self.chunks[-1].last if self.chunks else FIRST_PLACE

    @property
    def names(self) -> frozenset[str]:
        return frozenset([*(chunk.name for chunk in self.chunks), *self.boards.values()])

    def index_of(self, place: Place) -> int:
        """The number of the first chunk that ends at `place` or later; the number of chunks if none does.

        >>> two = Manifest((Segment("a", 2, (1, "r"), (4, "s")), Segment("b", 1, (9, "t"), (9, "t"))))
        >>> [two.index_of((at, "s")) for at in (0, 4, 5, 10)]
        [0, 0, 1, 2]
        """
        return bisect_left(self.chunks, place, key=lambda chunk: chunk.last)


class Frontier(Struct, frozen=True, array_like=True):
    """How far a long replay has come, and all that it needs to go on: the same bits as without the stop.

    `taken` are the ids of its changes as `waiting.in_waves` has them; `since` the place where it began, None for a
    reload, which keeps nothing of the old log. `place` is that of the last line done, `chunks` the log up to there,
    `source` the chunks that the rest is read from, `edits` those that lie beyond, `states` the standings of all
    subjects met so far. `total` is how many lines the log had when the replay began.
    """

    taken: tuple[tuple[str, ...], ...]
    since: Place | None
    place: Place
    chunks: tuple[Segment, ...]
    source: tuple[Segment, ...]
    edits: tuple[Edit, ...]
    states: dict[Projection, dict[str, Standing]]
    total: int

    @property
    def done(self) -> int:
        return sum(chunk.lines for chunk in self.chunks)
