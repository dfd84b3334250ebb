"""What others may ask of the ratings. Every answer is from one generation of a partition, never from half of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final, TypeVar

from msgspec import Struct

from chalicelib.ratings import generation, marking, store
from chalicelib.ratings.generation import Generation, snapshot_of
from chalicelib.ratings.model import Partition, Played, Projection, Snapshot, Standing
from chalicelib.ratings.store import Control, Corrupt, Vanished

_ATTEMPTS: Final = 5

Answer = TypeVar("Answer")


class Entry(Struct, frozen=True):
    """A game in the history of a subject: its number in the log, from 0, and what it did to the subject."""

    no: int
    played: Played
    snapshot: Snapshot


class Progress(Struct, frozen=True):
    """How far a partition is behind.

    `waiting` changes are not taken in yet, the oldest since `oldest_ms` (real time). A long replay has done `done`
    lines of about `total`; both None if none is under way. `generation` counts commits, `lines` those of the log.
    """

    generation: int
    lines: int
    waiting: int
    oldest_ms: int | None
    done: int | None = None
    total: int | None = None


def control(partition: Partition) -> Control:
    """The control of a partition; its generation changes with everything that is shown."""
    return store.control(partition)


def read(partition: Partition, look: Callable[[Generation], Answer]) -> Answer:
    """What `look` sees in one generation, the newest. It is called again if the generation was cleared away meanwhile,
    which takes two rewritings of the log within one look."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return look(generation.load(store.control(partition)))
        except Vanished:
            continue
    return look(generation.load(store.control(partition)))


def board(partition: Partition, projection: Projection) -> dict[str, Standing]:
    """All standings, by subject."""
    return read(partition, lambda seen: seen.standings(projection))


def standing(partition: Partition, projection: Projection, subject: str) -> Standing | None:
    """The standing of a subject; None without a rated game."""
    return read(partition, lambda seen: seen.standings(projection, of=(subject,)).get(subject))


def history(
    partition: Partition, projection: Projection, subject: str, before_no: int | None = None, limit: int = 20
) -> list[Entry]:
    """The games of a subject, newest first; only those before number `before_no` of the log, if given.

    Numbers move when games are put in before them: a page that follows may then begin at the wrong game. Whoever goes
    through pages compares generations.
    """
    return read(partition, lambda seen: list(islice(entries(seen, projection, subject, before_no), limit)))


def progress(partition: Partition) -> Progress:
    """How far a partition is behind."""

    def look(seen: Generation) -> Progress:
        waits = marking.since_when(partition)
        frontier = store.frontier(partition, seen.control.frontier) if seen.control.frontier else None
        return Progress(
            generation=seen.control.generation,
            lines=seen.lines,
            waiting=len(waits),
            oldest_ms=min(waits, default=None),
            done=frontier.done if frontier else None,
            total=frontier.total if frontier else None,
        )

    return read(partition, look)


def entries(seen: Generation, projection: Projection, subject: str, before_no: int | None = None) -> Iterator[Entry]:
    """As `history`, in a generation at hand and without an end; what is not asked for is not read."""
    no = _newest_before(seen, projection, subject, before_no)
    while no >= 0:
        line = seen.line(no)
        snapshot = snapshot_of(subject, line, projection)
        if snapshot is None:
            raise Corrupt(f"{seen.control.partition.key}: {subject} is not in line {no}")
        yield Entry(no, line.played, snapshot)
        no = snapshot.before.last_no


def _newest_before(seen: Generation, projection: Projection, subject: str, before_no: int | None) -> int:
    """The number of the subject's newest game before a number; -1 if there is none."""
    if before_no is not None and before_no < seen.lines:
        at_hand = snapshot_of(subject, seen.line(before_no), projection)
        if at_hand is not None:
            return at_hand.before.last_no
    known = seen.standings(projection, of=(subject,)).get(subject)
    no = known.last_no if known else -1
    while before_no is not None and no >= before_no:
        newer = snapshot_of(subject, seen.line(no), projection)
        no = newer.before.last_no if newer else -1
    return no
