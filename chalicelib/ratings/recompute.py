"""A pass over a partition: what waits is taken into the log, and what follows from it is replayed and committed.

The steps are those of docs/ratings.md. A pass may die at any of them: nothing it wrote is seen before its commit, the
changes are deleted after it, and the next pass computes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from math import isfinite
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.core import time
from chalicelib.core.settings import settings
from chalicelib.ratings import generation, ledger, marking, store
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.edits import beyond, normalised, since
from chalicelib.ratings.generation import Generation, missing
from chalicelib.ratings.manifest import (
    CHUNK_LINES,
    MOST_BATCH_BYTES,
    MOST_BATCH_LINES,
    MOST_BATCHES,
    Frontier,
    Manifest,
    Segment,
)
from chalicelib.ratings.model import Change, Edit, Line, Partition, Place, Played, Projection, Standing
from chalicelib.ratings.replay import (
    NotFinite,
    Rules,
    States,
    changed,
    first_befores,
    rebuild,
    replay,
    rules_of,
    wanted,
)
from chalicelib.ratings.store import Board, Busy, Control, Corrupt, Overtaken, Vanished
from chalicelib.ratings.waiting import in_waves, taken

Truth = Callable[[Partition, tuple[Edit, ...]], Iterable[Played]]
"""The rated results of a partition in the order of their places, read from where they are entered, with edits laid over
them (normalised ones) as far as what these put in still belongs to the partition."""

Spent = Callable[[], bool]
"""Whether the time of an invocation is spent."""

Outcome = Literal["clean", "busy", "overtaken", "unchanged", "committed", "continues"]

_STAGED_LINES: Final = 8 * CHUNK_LINES
_GONE: Final = Standing(())


class PassReport(Struct, frozen=True):
    """What a pass did.

    "clean": nothing waits. "busy" and "overtaken": somebody else has the partition. "unchanged": the log showed the
    changes already. "continues": the time was up, and the partition has been woken again. `changes` were taken in,
    `lines` replayed, `rows_changed` counts standings that differ now, `segments` batches and chunks written.
    """

    partition: str
    outcome: Outcome
    changes: int = 0
    lines: int = 0
    rows_changed: int = 0
    segments: int = 0


class Work(Struct, frozen=True):
    """What a pass has in hand: the lease, the generation it starts from, the rules, its changes in waves."""

    held: Control
    old: Generation
    rules: Rules
    taken: tuple[tuple[str, ...], ...]

    @property
    def partition(self) -> Partition:
        return self.held.partition

    def report(self, outcome: Outcome, lines: int = 0, rows_changed: int = 0, segments: int = 0) -> PassReport:
        changes = sum(len(wave) for wave in self.taken)
        return PassReport(self.partition.key, outcome, changes, lines, rows_changed, segments)


def recompute(partition: Partition, truth: Truth, is_spent: Spent) -> PassReport:
    """One pass. Raises what keeps the partition from being rated (Undecodable, Corrupt, NotFinite) or the database
    from answering; nothing is committed then."""
    read = store.control(partition)
    first_look = marking.waiting(partition)
    if not first_look and not read.frontier:
        return PassReport(partition.key, "clean")
    try:
        held = store.take_lease(read, time.real_ms())
    except Busy:
        return PassReport(partition.key, "busy")
    try:
        return _pass(held, first_look, truth, is_spent)
    except Overtaken:
        return PassReport(partition.key, "overtaken")
    except Exception as error:
        # Who has been overtaken twice may find the generation cleared away that it has begun to read.
        if isinstance(error, Vanished) and store.control(partition).fence != held.fence:
            return PassReport(partition.key, "overtaken")
        store.free_lease(held)
        raise


def _pass(held: Control, first_look: list[Change], truth: Truth, is_spent: Spent) -> PassReport:
    second_look = marking.waiting(held.partition)
    changes = taken(first_look, second_look)
    if any(change.reload for change in changes):
        # A season may have lost what was marked before: nothing of that may be left when the reload is let go.
        changes = taken(second_look, marking.waiting(held.partition))
    rules = rules_of(held.partition, settings().pair_default_opponent, _runs())
    if any(change.reload for change in changes):
        return _reload(held, rules, changes, truth, is_spent)
    old = generation.load(held)
    if held.frontier:
        return _go_on(held, old, rules, store.frontier(held.partition, held.frontier), is_spent)
    work = Work(held, old, rules, in_waves(changes))
    edits = normalised(edit for change in changes for edit in change.edits)
    edits = missing(edits, old.at({place for edit in edits for place in edit.clear}))
    if not edits:
        marking.let_go(held.partition, work.taken)
        store.free_lease(held)
        return work.report("unchanged" if changes else "clean")
    return _in_a_batch(work, edits) or _in_chunks(work, edits, is_spent)


def _runs() -> Runs | None:
    return ledger.runs() if settings().decay_in_replay else None


# ---- few lines at the end of the log


def _in_a_batch(work: Work, edits: tuple[Edit, ...]) -> PassReport | None:
    """Replay within the batches, if the edits lie there and what comes out is small enough for one; else None."""
    old, start = work.old, since(edits)
    if start <= old.manifest.last or sum(len(lines) for _, lines in old.batches) + len(edits) > MOST_BATCH_LINES:
        return None
    stay = [name for name, lines in old.batches if lines[-1].played.place < start]
    if len(stay) >= MOST_BATCHES:
        return None
    untouched = [line for line in old.tail() if line.played.place < start]
    states = _seeds(work, edits, start)
    first_no = old.manifest.lines + len(untouched)
    replayed = list(replay(old.since(start), edits, states, first_no, work.rules))
    lines = untouched[sum(len(lines) for _, lines in old.batches[: len(stay)]) :] + replayed
    body = store.encoded(lines)
    if len(body) > MOST_BATCH_BYTES:
        return None
    names = (*stay, store.put_batch(work.held, body)) if lines else tuple(stay)
    rows_changed = sum(_differences(old.standings(projection, of=after), after) for projection, after in states.items())
    store.commit(work.held, replace(work.held, generation=work.held.generation + 1, batches=names))
    marking.let_go(work.partition, work.taken)
    return work.report("committed", len(replayed), rows_changed, int(bool(lines)))


def _seeds(work: Work, edits: tuple[Edit, ...], start: Place) -> States:
    """How the subjects of new results stand at `start`: as an old line says that follows, else as the board does."""
    names = wanted(edits, work.rules)
    found = first_befores(work.old.since(start), names)
    return {
        projection: work.old.standings(projection, start, of=some) | found[projection]
        for projection, some in names.items()
    }


# ---- everything else


def _in_chunks(work: Work, edits: tuple[Edit, ...], is_spent: Spent) -> PassReport:
    """Rewrite the log from the chunk in which the edits begin; the last one, if it has room, when that is its end."""
    old, start = work.old, since(edits)
    index = old.manifest.index_of(start)
    if index == len(old.manifest.chunks) and index and old.manifest.chunks[-1].lines < CHUNK_LINES:
        index -= 1
    source = old.manifest.chunks[index:]
    stay = old.manifest.chunks[:index]
    head = chain(old.chunk(index) if source else (), old.tail())
    untouched = [line for line in head if line.played.place < start]
    first_no = sum(chunk.lines for chunk in stay) + len(untouched)
    states = _seeds(work, edits, start)
    lines = chain(untouched, replay(old.since(start), edits, states, first_no, work.rules))
    task = Frontier(work.taken, start, start, stay, source, edits, states, old.lines)
    return _write(work, task, lines, lambda: source, is_spent)


def _reload(held: Control, rules: Rules, changes: tuple[Change, ...], truth: Truth, is_spent: Spent) -> PassReport:
    """Make the whole log anew from the truth, or go on with that. What is stored may be broken: it is not needed.

    The edits that wait beside the reload are laid over the truth before they are let go: the items of a transaction
    become visible one by one, so a change may be seen before its result. An edit that comes later waits for the next
    pass, whether the truth had it already or not.
    """
    old = _readable(held)
    if held.frontier and (frontier := _same_reload(held, changes)):
        return _go_on(held, old, rules, frontier, is_spent)
    work = Work(held, old, rules, in_waves(changes))
    games = iter(truth(held.partition, normalised(edit for change in changes for edit in change.edits)))
    states: States = {}
    task = Frontier(work.taken, None, (0, ""), (), (), (), states, old.lines)
    return _write(work, task, rebuild(games, states, 0, rules), lambda: _staged(held, games), is_spent)


def _go_on(held: Control, old: Generation, rules: Rules, frontier: Frontier, is_spent: Spent) -> PassReport:
    """Replay from where the last invocation stopped."""
    work = Work(held, old, rules, frontier.taken)
    tail = () if frontier.since is None else old.tail()
    rest = chain(_lines_of(held.partition, frontier.source), tail)
    coming = (line for line in rest if line.played.place > frontier.place)
    lines = replay(coming, frontier.edits, frontier.states, frontier.done, rules)
    report = _write(work, frontier, lines, lambda: frontier.source, is_spent)
    if report.outcome == "committed" and marking.is_waiting(held.partition):
        # Their messages may have been used up for this replay.
        marking.go_on(held.partition, held.fence)
    return report


def _write(
    work: Work, task: Frontier, lines: Iterator[Line], source: Callable[[], tuple[Segment, ...]], is_spent: Spent
) -> PassReport:
    """Write lines as chunks behind those of `task`, then boards and manifest, and commit; or stop when time is spent,
    though never before the place where the replay begins. `source` gives the chunks that a rest is to be read from."""
    chunks = list(task.chunks)
    replayed = 0
    while some := tuple(islice(lines, CHUNK_LINES)):
        name = store.put_object(work.partition, work.held.name(f"chunk-{len(chunks)}"), some)
        chunks.append(Segment(name, len(some), some[0].played.place, some[-1].played.place))
        replayed += len(some)
        is_past_the_start = task.since is None or chunks[-1].last >= task.since
        if len(some) == CHUNK_LINES and is_past_the_start and is_spent():
            return _stop(work, replace(task, chunks=tuple(chunks), place=chunks[-1].last), source(), replayed)
    return _finish(work, replace(task, chunks=tuple(chunks)), replayed)


def _stop(work: Work, task: Frontier, source: tuple[Segment, ...], replayed: int) -> PassReport:
    rest = tuple(chunk for chunk in source if chunk.last > task.place)
    left = replace(task, source=rest, edits=beyond(task.edits, task.place))
    name = store.put_object(work.partition, work.held.name("frontier"), left)
    store.commit(work.held, replace(work.held, frontier=name))
    marking.go_on(work.partition, work.held.fence)
    return work.report("continues", replayed, segments=len(task.chunks))


def _finish(work: Work, task: Frontier, replayed: int) -> PassReport:
    boards: dict[Projection, str] = {}
    rows_changed = 0
    for projection in work.partition.projections:
        shown = work.old.standings(projection)
        board = _board(work, task, projection)
        rows_changed += _differences(shown, {subject: _GONE for subject in shown} | board)
        boards[projection] = store.put_object(work.partition, work.held.name(projection), board)
    made = Manifest(task.chunks, boards)
    name = store.put_object(work.partition, work.held.name("manifest"), made)
    done = replace(work.held, generation=work.held.generation + 1, manifest=name, batches=(), frontier="")
    store.commit(work.held, done)
    marking.let_go(work.partition, work.taken)
    _clear(work, made, name)
    return work.report("committed", replayed, rows_changed, len(task.chunks))


# ---- parts of these


def _board(work: Work, task: Frontier, projection: Projection) -> Board:
    """The standings at the end of the new log. Raises NotFinite."""
    kept = {} if task.since is None else work.old.standings(projection, task.since)
    board = {
        subject: standing for subject, standing in (kept | task.states.get(projection, {})).items() if standing.games
    }
    for subject, standing in board.items():
        if not isfinite(sum(standing.values)):
            raise NotFinite(subject, (standing.last_at_ms or 0, ""))
    return board


def _differences(before: Board, after: Board) -> int:
    """How many standings differ. A game put in before them moves the numbers of later games, not their standings."""
    return len(changed(_unnumbered(before), _unnumbered(after)))


def _unnumbered(board: Board) -> Board:
    return {subject: replace(standing, last_no=-1) for subject, standing in board.items()}


def _lines_of(partition: Partition, chunks: Iterable[Segment]) -> Iterator[Line]:
    return chain.from_iterable(store.chunk(partition, chunk.name) for chunk in chunks)


def _readable(held: Control) -> Generation:
    """The generation that a reload replaces; an empty one if it cannot be read."""
    try:
        old = generation.load(held)
        for projection in held.partition.projections:
            old.standings(projection)
        return old
    except (Corrupt, Vanished):
        return Generation(held, Manifest(), ())


def _same_reload(held: Control, changes: Iterable[Change]) -> Frontier | None:
    """The frontier, if it is one of a reload that no other was ordered after."""
    try:
        frontier = store.frontier(held.partition, held.frontier)
    except (Corrupt, Vanished):
        return None
    known = set(chain.from_iterable(frontier.taken))
    return frontier if all(change.id in known for change in changes if change.reload) else None


def _staged(held: Control, games: Iterator[Played]) -> tuple[Segment, ...]:
    """Store results that were read and not yet replayed, as lines without snapshots."""
    chunks: list[Segment] = []
    while some := tuple(Line(game, ()) for game in islice(games, _STAGED_LINES)):
        name = store.put_object(held.partition, held.name(f"stage-{len(chunks)}"), some)
        chunks.append(Segment(name, len(some), some[0].played.place, some[-1].played.place))
    return tuple(chunks)


def _clear(work: Work, made: Manifest, name: str) -> None:
    """Delete what neither the new generation names nor the one before, which readers may still be reading.

    What a pass leaves behind that died, or was overtaken, goes the same way. What later fences make is not touched.
    """
    old = work.old
    kept = made.names | old.manifest.names | {name, old.control.manifest}
    objects = [n for n in store.object_names(work.partition) if n not in kept and work.held.may_clear(n)]
    store.delete_objects(work.partition, objects)
    batches = [n for n in store.batch_names(work.partition) if n not in old.control.batches and work.held.may_clear(n)]
    store.delete_batches(work.partition, batches)
