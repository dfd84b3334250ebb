"""Closing is killed anywhere, and races with players and scans: no clock is shifted twice, none is forgotten."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from functools import partial

import pytest

from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.desk import closing
from chalicelib.desk.windows import LONGEST_REQUEST, Record
from chalicelib.games import flagfall, store
from chalicelib.games.act import act
from chalicelib.games.commands import Look, Move, OfferDraw, Pause, Resume
from chalicelib.watch import watching
from chalicelib.watch.model import AHEAD
from tests.desk.maintenance import OTTO, closed, left, opened, shifts, stored
from tests.desk.table import sound
from tests.games.conftest import Time
from tests.races.conftest import rounds, together
from tests.races.processes import die_at

pytestmark = pytest.mark.engine

GAMES = 6


def killed(work: Callable[[], object], step: str) -> bool:
    """Do the work in a process that is killed at a step; whether it came that far."""
    pid = os.fork()
    if pid == 0:
        die_at(step)
        # Connections that the parent has open are not for the child: a new thread makes its own.
        thread = threading.Thread(target=_in_child, args=(work,))
        thread.start()
        thread.join()
        os._exit(0)
    return os.waitpid(pid, 0)[1] == signal.SIGKILL


def _in_child(work: Callable[[], object]) -> None:
    from tests.faults.stores import reconnect

    reconnect()
    work()


READING = [f"{when} {read}" for read in ("Query", "Query 8", "BatchGetItem") for when in ("before", "after")]
WRITING = [f"{when} {write}" for write in ("UpdateItem", "UpdateItem 2") for when in ("before", "after")]
SAVING = ["before TransactWriteItems", "after TransactWriteItems"]


def test_settling_is_killed_wherever_it_reads_and_writes(alone: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.games.shifting.PAGE", 3)
    games = stored(alone, count=GAMES)
    act(games[0], Pause("illness"), alone.ms)
    record = opened(alone)
    alone.pass_by(HOUR)
    record = closed(alone, record)
    until = alone.ms
    alone.pass_by(LONGEST_REQUEST)

    def work() -> None:
        for one in closing.unsettled():
            closing.work_on(one, lambda: False)

    for step in (*READING, *WRITING, *SAVING, *SAVING):
        assert killed(work, step), step
    (record,) = closing.unsettled()
    while record.work is None or not record.work.is_complete:
        once = iter((False, True))
        record = closing.work_on(record, lambda: next(once))  # noqa: B023
    assert all(killed(work, step) for step in SAVING), "at the very end"
    assert closing.unsettled() == []
    assert [len(shifts(game)) for game in games] == [0] + [1] * (GAMES - 1)
    assert {left(game, until) for game in games[1:]} == {3 * DAY - AHEAD}
    for game in games:
        sound(game)


def test_opening_and_closing_are_killed_and_repeated(alone: Time) -> None:
    def open_it() -> Record:
        return closing.open_window(OTTO, "k", "new disks", None, alone.ms)

    assert killed(open_it, "before TransactWriteItems")
    assert watching.window_now() is None
    assert killed(open_it, "after TransactWriteItems")
    record = open_it()
    assert watching.window_now() == record.window
    alone.pass_by(HOUR)

    def close_it() -> Record:
        return closing.close(OTTO, record.id, alone.ms)

    assert killed(close_it, "before TransactWriteItems")
    assert killed(close_it, "after TransactWriteItems")
    alone.pass_by(MINUTE)
    assert close_it().until_ms == record.from_ms + HOUR - AHEAD + AHEAD


def test_several_at_once_settle_one_window(alone: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.games.shifting.PAGE", 4)
    games = stored(alone, count=20)
    record = opened(alone)
    alone.pass_by(HOUR)
    ended = closed(alone, record)
    alone.pass_by(LONGEST_REQUEST)
    together([lambda: closing.settle(ended)] * 3)
    assert watching.window_now() is None
    assert {len(shifts(game)) for game in games} == {1}


@pytest.mark.parametrize("number", range(rounds(2)))
def test_closing_races_with_players_scans_and_new_games(
    alone: Time, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Players move, offer, pause and resume while the walk goes on; whoever is first, all is as if nobody had been."""
    monkeypatch.setattr("chalicelib.games.shifting.PAGE", 5)
    games = stored(alone, count=24)
    late = stored(alone, "T1_1", count=4)
    alone.pass_by(DAY - MINUTE)
    record = opened(alone, f"race {number}")
    begun = alone.ms
    alone.pass_by(HOUR)
    ended = closed(alone, record)
    until = alone.ms
    alone.pass_by(LONGEST_REQUEST)
    at = alone.ms

    def play(game: str, kind: int) -> None:
        if kind == 0:
            outcome = act(game, Move("anna", 0, "e2e4"), at)
            assert outcome.entry is not None
            assert outcome.entry.used_ms == begun + at - until - (alone.ms - at) - started
            outcome = act(game, Move("bert", 1, "e7e5"), at + MINUTE)
            assert outcome.entry is not None
            assert outcome.entry.used_ms == MINUTE
        elif kind == 1:
            act(game, OfferDraw("bert", 0), at)
        elif kind == 2:
            act(game, Pause("illness"), at)
            act(game, Resume("illness"), at + MINUTE)

    def scan() -> None:
        for game in late:
            assert not act(game, Look(), at).game.is_over
        assert flagfall.scan(at).flagged == 0

    clock = store.load(games[0]).clock
    assert clock is not None
    started = clock.turn_started_at_ms
    acts: list[Callable[[], object]] = [partial(play, game, index % 4) for index, game in enumerate(games)]
    newcomers: list[str] = []
    together([*acts, lambda: closing.settle(ended), lambda: newcomers.extend(stored(alone))])
    scan()
    assert watching.window_now() is None
    charged = begun - started + at - until
    for index, game in enumerate(games):
        sound(game)
        assert len(shifts(game)) == 1
        if index % 4:
            assert left(game, at + MINUTE) == 3 * DAY - charged - (0 if index % 4 == 2 else MINUTE)
    assert [left(game, at) for game in newcomers] == [3 * DAY]
    assert {left(game, at) for game in late} == {DAY - charged}
