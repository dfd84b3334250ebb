"""One generation of a partition, whole: the log and the standings that a control names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from msgspec import Struct

from chalicelib.ratings import store
from chalicelib.ratings.manifest import Manifest
from chalicelib.ratings.model import Edit, Line, Place, Played, Projection, Snapshot, Standing
from chalicelib.ratings.store import Board, Control, Lines

END: Final[Place] = (2**63, "")
"""Behind every result."""

_DRAW: Final = 0.5


class Generation(Struct, frozen=True):
    """What a control names. Chunks and boards are read when they are asked for; then Vanished or Corrupt may come."""

    control: Control
    manifest: Manifest
    batches: tuple[tuple[str, Lines], ...]

    @property
    def lines(self) -> int:
        return self.manifest.lines + sum(len(lines) for _, lines in self.batches)

    def tail(self) -> Iterator[Line]:
        """The lines of the batches."""
        return chain.from_iterable(lines for _, lines in self.batches)

    def chunk(self, number: int) -> Lines:
        return store.chunk(self.control.partition, self.manifest.chunks[number].name)

    def line(self, no: int) -> Line:
        """Line number `no` of the log, from 0. Raises IndexError."""
        rest = no
        for number, segment in enumerate(self.manifest.chunks):
            if rest < segment.lines:
                return self.chunk(number)[rest]
            rest -= segment.lines
        for _, lines in self.batches:
            if rest < len(lines):
                return lines[rest]
            rest -= len(lines)
        raise IndexError(no)

    def since(self, place: Place) -> Iterator[Line]:
        """The lines from `place` on."""
        first = self.manifest.index_of(place)
        for number in range(first, len(self.manifest.chunks)):
            yield from (line for line in self.chunk(number) if line.played.place >= place)
        yield from (line for line in self.tail() if line.played.place >= place)

    def at(self, places: Collection[Place]) -> dict[Place, Played]:
        """The results that stand at these places."""
        numbers = sorted({self.manifest.index_of(place) for place in places})
        chunks = (self.chunk(number) for number in numbers if number < len(self.manifest.chunks))
        lines = chain(chain.from_iterable(chunks), self.tail())
        return {line.played.place: line.played for line in lines if line.played.place in places}

    def standings(self, projection: Projection, before: Place = END, of: Collection[str] | None = None) -> Board:
        """The standings after the chunks and those lines of the batches that come before a place.

        `of`: only those of these subjects, as far as they have any.
        """
        name = self.manifest.boards.get(projection)
        board = store.board(self.control.partition, name) if name else {}
        found = dict(board) if of is None else {subject: board[subject] for subject in of if subject in board}
        for no, line in enumerate(self.tail(), self.manifest.lines):
            if line.played.place >= before:
                break
            for snapshot in snapshots(line, projection):
                if of is None or snapshot.subject in of:
                    found[snapshot.subject] = standing_after(snapshot, line.played.at_ms, no)
        return found


def load(control: Control) -> Generation:
    """The generation that a control names. Raises Vanished if it has been cleared away."""
    return Generation(control, store.manifest(control.partition, control.manifest), tuple(store.batches(control)))


def snapshot_of(subject: str, line: Line, projection: Projection) -> Snapshot | None:
    return next((snapshot for snapshot in snapshots(line, projection) if snapshot.subject == subject), None)


def snapshots(line: Line, projection: Projection) -> tuple[Snapshot, ...]:
    return line.individual if projection == "individual" else line.pair


def standing_after(snapshot: Snapshot, at_ms: int, no: int) -> Standing:
    """The standing that a snapshot leaves, of line number `no`."""
    before, score = snapshot.before, snapshot.score
    wins, draws = before.wins + (score == 1), before.draws + (score == _DRAW)
    return Standing(snapshot.after, before.games + 1, wins, draws, at_ms, no)


def missing(edits: Iterable[Edit], found: Mapping[Place, Played]) -> tuple[Edit, ...]:
    """Those of normalised edits that a log does not show yet; `found` is what stands at the places they mention.

    >>> played = Played(5, "r", ("anna",), ("bert",), "A")
    >>> edit = Edit("r", 1, ((5, "r"),), played)
    >>> missing([edit], {(5, "r"): played}), missing([edit], {}) == (edit,)
    ((), True)
    """
    return tuple(
        edit
        for edit in edits
        if [found[place] for place in edit.clear if place in found] != ([edit.played] if edit.played else [])
    )
