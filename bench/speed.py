"""Moves per second and latency: in this process against the engine, and over HTTP on the running stack."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from bench.games import PLIES, Table, app_on_engine, moves
from infra.local.api import Player
from infra.local.stack import NotRunning, RunningStack

MANY: Final = 32
FEW_PLIES: Final = 30


def measure() -> dict[str, Any]:
    figures: dict[str, Any] = {}
    script = moves(PLIES)
    with app_on_engine() as (client, issuer, _):
        table = Table(client, issuer, "speed")
        figures |= _figures("in process, 1 game (budget p50 15 ms)", _timed(table.move, script))
    try:
        stack = RunningStack.find()
    except NotRunning:
        return {**figures, "local stack": "skipped: it does not run"}
    figures |= _figures("local stack, 1 game (budget p50 90 ms)", _timed(_Seats(stack, "one").move, script))
    seats = [_Seats(stack, f"many{number}") for number in range(MANY)]
    with ThreadPoolExecutor(MANY) as pool:
        # The engine starts a worker for each call at a time; that is its own affair, and is over before the clock runs.
        list(pool.map(lambda seat: seat.players[0].get("/v1/time"), seats * 3))
        started = time.perf_counter()
        per_game = list(pool.map(lambda seat: _timed(seat.move, script[:FEW_PLIES]), seats))
    seconds = time.perf_counter() - started
    together = sorted(latency for game in per_game for latency in game)
    figures |= _figures(f"local stack, {MANY} games", together)
    figures[f"local stack, {MANY} games: moves per second"] = round(len(together) / seconds, 1)
    return figures


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


def _timed(play: Any, script: list[str]) -> list[float]:
    latencies = []
    for ply, move in enumerate(script):
        started = time.perf_counter()
        play(ply, move)
        latencies.append(time.perf_counter() - started)
    return sorted(latencies)


def _figures(name: str, latencies: list[float]) -> dict[str, Any]:
    def at(share: float) -> float:
        return round(latencies[min(len(latencies) - 1, int(len(latencies) * share))] * 1000, 1)

    return {f"{name}: p50, p99, ms": f"{at(0.5)} {at(0.99)}"}
