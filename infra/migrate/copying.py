"""Copies of running games in the store: made, or brought up to what an export says. What `backfill` and `delta` share.

A copy is made in one transaction with its players' list rows and is brought up in one conditional write, and which of
both is to be done is read from the store. So a run that was killed anywhere is simply run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct

from chalicelib.migration.rows import Fault, Over, Row
from chalicelib.migration.shadow import Difference, Shadow, shadow
from chalicelib.migration.takeover import (
    Unfit,
    caught_up,
    check_is_same,
    ended_before,
    game_id,
    is_as_in,
)
from infra.migrate.report import Report
from infra.migrate.source import rows_of

if TYPE_CHECKING:
    from chalicelib.games.model import Game

_GROUP: Final = 33
"""A transaction takes 100 items; a game is three: itself and a row for each player."""

_AT_ONCE: Final = 8
"""Groups that are written at the same time: what takes time is the way to the store and back."""

Thing = TypeVar("Thing")
Finding = tuple[Row | Over, Difference | Unfit]


class Pass(Struct, frozen=True):
    """A pass over an export: `at_ms` is the instant it is about, `stop` makes a game that runs a copy, and `is_done`
    says of a copy that is as in the export whether it stands as this pass would leave it."""

    at_ms: int
    stop: Callable[[Game], Game]
    is_done: Callable[[Game], bool]


class Tally(Struct):
    """What became of the rows of an export."""

    created: int = 0
    caught_up: int = 0
    standing: int = 0
    ended: int = 0
    passed_by: int = 0

    def add(self, other: Tally) -> None:
        for name in Tally.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


def carry_out(file: Path, label: str, task: Pass, report: Report) -> Tally:
    """Bring the store to what a file says; what cannot be done for one row stops no other, and is reported."""
    tally = Tally()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for some in _chunks(_readable(rows_of(file, label), report), _GROUP * _AT_ONCE):
            for done, findings in pool.map(lambda group: _bring(group, task), _chunks(some, _GROUP)):
                tally.add(done)
                for row, found in findings:
                    if isinstance(found, Unfit):
                        report.unfit(row.number, row.id, found)
                    elif isinstance(row, Row):
                        report.difference(row, found)
    return tally


def _chunks(things: Iterable[Thing], length: int) -> Iterator[list[Thing]]:
    source = iter(things)
    while some := list(islice(source, length)):
        yield some


def _readable(found: Iterable[Row | Over | Fault], report: Report) -> Iterator[Row | Over]:
    for one in found:
        if isinstance(one, Fault):
            report.fault(one)
        else:
            yield one


def _bring(group: list[Row | Over], task: Pass) -> tuple[Tally, list[Finding]]:
    """Bring one group up; begun again if somebody else made one of its games meanwhile."""
    from chalicelib.games import store

    shadows = {row.id: shadow(row, task.at_ms) for row in group if isinstance(row, Row)}
    while True:
        standing = {game.id: game for game in store.load_many(game_id(row.id) for row in group)}
        originals = [beside.game for beside in shadows.values() if beside.game is not None]
        fresh = [task.stop(original) for original in originals if original.id not in standing]
        rows = [(player, game.id) for game in fresh for player in (game.white, game.black) if player]
        try:
            if fresh:
                store.create(fresh, rows)
        except store.AlreadyCreated:
            continue
        break
    tally = Tally(created=len(fresh))
    findings: list[Finding] = []
    for row in group:
        beside = shadows.get(row.id)
        try:
            _follow(beside, standing.get(game_id(row.id)), task, tally)
        except Unfit as unfit:
            findings.append((row, unfit))
        if beside is not None:
            findings += [(row, difference) for difference in beside.differences if difference.is_blocking]
    return tally, findings


def _follow(beside: Shadow | None, copy: Game | None, task: Pass, tally: Tally) -> None:
    """Bring the copy that stands for a row up. Raises Unfit."""
    if beside is None:
        _end(copy, task, tally)
        return
    original = beside.game
    if copy is None or original is None:
        return
    check_is_same(copy, original)
    if is_as_in(copy, original) and task.is_done(copy):
        tally.standing += 1
        return
    _commit(copy, task.stop(caught_up(copy, original, task.at_ms)))
    tally.caught_up += 1


def _end(copy: Game | None, task: Pass, tally: Tally) -> None:
    """What is over there was never played here."""
    if copy is None or copy.is_over:
        tally.passed_by += 1
        return
    _commit(copy, ended_before(copy, task.at_ms))
    tally.ended += 1


def _commit(before: Game, after: Game) -> None:
    from chalicelib.games import store

    try:
        store.commit(before, after)
    except store.Stale as stale:
        raise Unfit("id", f"the copy {before.id} has just been changed by somebody else; run again") from stale


def summary(tally: Tally) -> str:
    """What was done, in a sentence."""
    brought = f"{tally.created} games copied, {tally.caught_up} caught up, {tally.standing} stood as they should"
    return f"{brought}; {tally.ended} copies ended with their games, {tally.passed_by} games over and passed by."
