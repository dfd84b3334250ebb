"""How long after its deadline a lost game shows its result, on the running stack, with nobody looking at it."""

from __future__ import annotations

import time
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
    deadlines = {}
    for number in range(games):
        game, deadline_ms = _begun(stack, number)
        deadlines[game] = deadline_ms
        time.sleep(APART)
    late = _watched(stack, deadlines)
    return {
        "games": len(late),
        "late by, ms, most (budget 2000)": max(late),
        "late by, ms, median": late[len(late) // 2],
    }


def _begun(stack: RunningStack, number: int) -> tuple[str, int]:
    mark = f"{time.time_ns():x}-{number}"
    white, black = Player(stack, f"{mark}-w"), Player(stack, f"{mark}-b")
    body = {"opponent": black.name, "profile": "3+2", "colour": "white"}
    game = white.post("/v1/challenges", body, key=mark)["id"]
    begun = black.post(f"/v1/challenges/{game}/accept")
    return game, begun["at_ms"] + 30_000


def _watched(stack: RunningStack, deadlines: dict[str, int]) -> list[int]:
    database = stack.client("dynamodb")
    table = stack.environment()["GAMES_TABLE"]
    waiting, late = dict(deadlines), []
    while waiting:
        for game, deadline_ms in list(waiting.items()):
            item = database.get_item(TableName=table, Key={"id": {"S": game}}, ConsistentRead=True)["Item"]
            if "result" in item:
                late.append(time.time_ns() // 1_000_000 - deadline_ms)
                del waiting[game]
        time.sleep(0.02)
    return sorted(late)
