"""How long after its deadline a lost game shows its result, on the running stack, with nobody looking at it."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from infra.local.api import Player
from infra.local.stack import NotRunning, RunningStack

GAMES: Final = 10
APART: Final = 3.7
"""Seconds between the games, so that their deadlines fall everywhere between two scans."""


def measure(games: int = GAMES) -> dict[str, Any]:
    """Live games in which nobody moves abort 30 s after their start; their items are watched, not the API."""
    try:
        stack = RunningStack.find()
    except NotRunning:
        return {"local stack": "skipped: it does not run"}
    if stack.speed != 1:
        return {"local stack": f"skipped: it runs at {stack.speed:g} x real time"}
    with ThreadPoolExecutor(games) as pool:
        late = sorted(pool.map(lambda number: _late_by(stack, number), range(games)))
    return {
        "games": len(late),
        "late by, ms, most (budget 2000)": late[-1],
        "late by, ms, median": late[len(late) // 2],
    }


def _late_by(stack: RunningStack, number: int) -> int:
    """Begin a game at its time, watch its item, and say how long after the deadline the result stood there, in ms."""
    time.sleep(number * APART)
    game, deadline_ms = _begun(stack, number)
    database = stack.client("dynamodb")
    table = stack.environment()["GAMES_TABLE"]
    while True:
        item = database.get_item(TableName=table, Key={"id": {"S": game}}, ConsistentRead=True)["Item"]
        if "result" in item:
            return time.time_ns() // 1_000_000 - deadline_ms
        time.sleep(0.02)


def _begun(stack: RunningStack, number: int) -> tuple[str, int]:
    mark = f"{time.time_ns():x}-{number}"
    white, black = Player(stack, f"{mark}-w"), Player(stack, f"{mark}-b")
    body = {"opponent": black.name, "profile": "3+2", "colour": "white"}
    game = white.post("/v1/challenges", body, key=mark)["id"]
    begun = black.post(f"/v1/challenges/{game}/accept")
    return game, begun["at_ms"] + 30_000
