"""Kind `glicko2`: calls of the algorithm, games under our constants, ageing, boards and time classes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from chalicelib.core.durations import SECOND
from chalicelib.ratings import glicko2
from chalicelib.ratings.board import board, shown
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.model import Partition, Standing, Values
from chalicelib.ratings.pools import pool
from tests.conformance.verdict import Verdict, judged

NAMES: Final = ("rating", "rd", "vol")
TOLERANCES: Final = (1e-6, 1e-6, 1e-9)
POOL: Final = Partition("POOL", "chess/blitz")
OPPONENT_DEVIATION: Final = 60.0
"""That of all opponents in a sequence."""

TIME_CLASSES: Final = {"blitz": "blitz", "rapid": "rapid", "classic": "classical"}
"""The file's words and ours (settled 21)."""


def judge(path: Path) -> Iterator[Verdict]:
    file = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(file, dict):
        raise ValueError("the file is no object with `vectors`")
    for number, vector in enumerate(file["vectors"], 1):
        identity = str(vector.get("id", f"vector {number}")) if isinstance(vector, dict) else f"vector {number}"
        yield judged(identity, lambda vector=vector: differences(vector))


def differences(vector: dict[str, Any]) -> list[str]:
    return KINDS[vector["kind"]](vector)


def _period(vector: dict[str, Any]) -> list[str]:
    games = [tuple(game) for game in vector["games"]]
    got = glicko2.period(tuple(vector["player"]), games, vector["tau"], vector["periods"])
    return _compared("", got, vector["expected"])


def _game(vector: dict[str, Any]) -> list[str]:
    white = glicko2.aged(tuple(vector["white"]), vector["days_idle_white"])
    black = glicko2.aged(tuple(vector["black"]), vector["days_idle_black"])
    got_white, got_black = glicko2.rate_game(white, black, vector["score_white"])
    return [
        *_compared("white ", got_white, vector["expected_white"]),
        *_compared("black ", got_black, vector["expected_black"]),
    ]


def _sequence(vector: dict[str, Any]) -> list[str]:
    """One player from the start against settled opponents, a game after the other without a pause."""
    wrong, player = [], glicko2.START
    for step in vector["steps"]:
        player, _ = glicko2.rate_game(player, (step["opp"], OPPONENT_DEVIATION, player[2]), step["score"])
        wrong += _compared(f"step {step['n']} ", player, step)
        standing = Standing(player, step["n"], last_at_ms=0)
        seen = shown(POOL, "x", standing, Runs(), 0)
        got = {
            "provisional": seen.is_provisional,
            "on_leaderboard": bool(board(POOL, {"x": standing}, Runs(), 0)),
            "shown": seen.label,
        }
        wrong += [
            f"step {step['n']} {name}: expected {step[name]}, got {got[name]}"
            for name in got
            if got[name] != step[name]
        ]
    return wrong


def _aging(vector: dict[str, Any]) -> list[str]:
    _, deviation, _ = glicko2.aged((1500.0, vector["rd"], vector["vol"]), vector["days"])
    return _compared("", (1500.0, deviation, vector["vol"]), {"rd": vector["expected_rd"]})


def _policy(vector: dict[str, Any]) -> list[str]:
    standing = Standing((1500.0, vector["rd"], 0.06), vector["games"], last_at_ms=0)
    got = {
        "provisional": shown(POOL, "x", standing, Runs(), 0).is_provisional,
        "leaderboard": bool(board(POOL, {"x": standing}, Runs(), 0)),
    }
    return [f"{name}: expected {vector[name]}, got {value}" for name, value in got.items() if value is not vector[name]]


def _time_class(vector: dict[str, Any]) -> list[str]:
    wrong = []
    for seconds, name in vector["cases"]:
        got = pool("chess", seconds * SECOND).ref
        if got != f"chess/{TIME_CLASSES[name]}":
            wrong.append(f"{seconds} s: expected {name}, got {got}")
    return wrong


def _compared(who: str, got: Values, expected: dict[str, float]) -> list[str]:
    return [
        f"{who}{name}: expected {expected[name]!r}, got {value!r}"
        for name, value, tolerance in zip(NAMES, got, TOLERANCES, strict=True)
        if name in expected and not abs(value - expected[name]) <= tolerance
    ]


KINDS: Final[dict[str, Callable[[dict[str, Any]], list[str]]]] = {
    "period": _period,
    "game": _game,
    "sequence": _sequence,
    "aging": _aging,
    "policy": _policy,
    "timeclass": _time_class,
}
