"""Moves a second and latency: in this process against the engine, and over HTTP on the running stack."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Final

from msgspec import Struct

from bench.door import Match, door, engine
from bench.figures import Figure, latencies
from bench.real_game import PLIES, moves
from infra.local.api import Player
from infra.local.stack import NotRunning, RunningStack

MANY: Final = 32
PLIES_OF_MANY: Final = 30
SMALL_MANY: Final = 4
SMALL_PLIES: Final = 4
WARM_UP_ROUNDS: Final = 3
START_SECONDS: Final = 120
"""Within which all processes are ready to play."""


class Round(Struct):
    """Games that were played side by side: seconds of each move, and of all together."""

    moves: list[float]
    seconds: float

    def figures(self, name: str, budget_ms: float | None = None) -> list[Figure]:
        return [
            *latencies(name, self.moves, budget_ms),
            Figure(f"{name}: moves per second", len(self.moves) / self.seconds),
        ]


def measure(*, small: bool) -> list[Figure]:
    plies, many, plies_of_many = (SMALL_PLIES, SMALL_MANY, SMALL_PLIES) if small else (PLIES, MANY, PLIES_OF_MANY)
    with engine():
        figures = _one_in_process(plies)
        figures += _many_in_processes(many, plies_of_many)
    try:
        stack = RunningStack.find()
    except NotRunning:
        return [*figures, Figure("local stack", "skipped: it does not run")]
    return figures + _one_on_stack(stack, plies) + _many_on_stack(stack, many, plies_of_many)


def _one_in_process(plies: int) -> list[Figure]:
    with door() as opened:
        _played(Match(opened, "warm-up").play, SMALL_PLIES)
        match = Match(opened, "one")
        started = time.process_time()
        alone = _played(match.play, plies)
        cpu = time.process_time() - started
    return [
        *alone.figures("in process, 1 game", 15),
        Figure("in process, 1 game: CPU of a move, network too", cpu / plies * 1_000, "ms"),
    ]


def _played(move: Callable[[int, str], None], plies: int) -> Round:
    spent = []
    begun = time.perf_counter()
    for ply, text in enumerate(moves(plies)):
        started = time.perf_counter()
        move(ply, text)
        spent.append(time.perf_counter() - started)
    return Round(spent, time.perf_counter() - begun)


def _together(rounds: Sequence[Round]) -> Round:
    """Rounds that began at the same moment as one."""
    return Round([spent for one in rounds for spent in one.moves], max(one.seconds for one in rounds))


# --- many at a time, each in a process of its own, as Lambda does it


_barrier: Barrier


def _many_in_processes(many: int, plies: int) -> list[Figure]:
    context = get_context("forkserver")
    context.set_forkserver_preload(["app", "bench.speed"])
    ready = context.Barrier(many)
    with ProcessPoolExecutor(many, context, initializer=_join, initargs=(ready,)) as pool:
        played = list(pool.map(_play_beside_others, range(many), [plies] * many))
    return _together(played).figures(f"in {many} processes, {many} games")


def _join(ready: Barrier) -> None:
    global _barrier  # noqa: PLW0603 (a barrier can be given to a process only when it starts)
    _barrier = ready


def _play_beside_others(number: int, plies: int) -> Round:
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere), door() as opened:
        _played(Match(opened, f"warm-up-{number}").play, SMALL_PLIES)
        match = Match(opened, f"many-{number}")
        _barrier.wait(START_SECONDS)
        return _played(match.play, plies)


# --- over HTTP


def _one_on_stack(stack: RunningStack, plies: int) -> list[Figure]:
    _played(_Seats(stack, "warm-up").move, SMALL_PLIES)
    return _played(_Seats(stack, "one").move, plies).figures("local stack, 1 game", 90)


def _many_on_stack(stack: RunningStack, many: int, plies: int) -> list[Figure]:
    seats = [_Seats(stack, f"many-{number}") for number in range(many)]
    with ThreadPoolExecutor(many) as pool:
        # The engine starts a worker for each call at a time; that is its own affair, and is over before the clock runs.
        list(pool.map(lambda seat: seat.players[0].get("/v1/time"), seats * WARM_UP_ROUNDS))
        rounds = list(pool.map(lambda seat: _played(seat.move, plies), seats))
    return _together(rounds).figures(f"local stack, {many} games")


class _Seats:
    """Two players at the front door of the stack."""

    def __init__(self, stack: RunningStack, name: str) -> None:
        mark = f"{name}-{time.time_ns():x}"
        self.players = [Player(stack, f"{mark}-w"), Player(stack, f"{mark}-b")]
        body = {"opponent": self.players[1].name, "profile": "30-30-1", "colour": "white"}
        self.game = self.players[0].post("/v1/challenges", body, key=mark)["id"]
        self.players[1].post(f"/v1/challenges/{self.game}/accept")

    def move(self, ply: int, move: str) -> None:
        self.players[ply % 2].post(f"/v1/games/{self.game}/moves", {"ply": ply, "move": move})
