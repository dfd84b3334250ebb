"""CPU of a move in the handler: all of it but the network, which answers from memory."""

from __future__ import annotations

import cProfile
import pstats
import sysconfig
import time
from collections import defaultdict
from pathlib import Path
from typing import Final

from pynamodb.expressions.update import Action

from bench.door import Door, Match, accepted, door, nowhere
from bench.figures import Figure, at_share
from bench.memory import MemoryTable, answer_from
from bench.real_game import PLIES, moves
from infra.project import ROOT

GAMES: Final = 5
SMALL_PLIES: Final = 6
TO_BEGIN: Final = 5
"""Requests for a challenge and its acceptance, with the rating that the challenge shows and the range it is held to."""

TOP: Final = 20
TELLING: Final = {
    ("pynamodb", "dispatch"),
    ("botocore", "create_request"),
    ("botocore", "add_auth"),
    ("botocore", "_do_parse"),
    ("botocore", "construct_endpoint"),
}

_Stats = dict[tuple[str, int, str], tuple[int, int, float, float, object]]


def measure(*, small: bool, profile: bool = False) -> list[Figure]:
    """What counts: `app(event, context)`, from the event of API Gateway to the answer for it. A game goes before those
    that are measured: first use loads the referee, the token library and the logger. Log lines are written.

    Each player's token is verified once, at the challenge, as in a function that stays warm.
    """
    plies, games = (SMALL_PLIES, 1) if small else (PLIES, GAMES)
    nowhere()
    memory = MemoryTable()
    answer_from(memory)
    with door() as opened:
        _play(opened, memory, plies)
        before = memory.requests
        each = [_play(opened, memory, plies) for _ in range(games)]
        requests = (memory.requests - before) / games - TO_BEGIN
        bare = _bare(opened, memory, plies)
        shares = _shares(opened, memory, plies) if profile else []
    spent = [seconds * 1_000 for game in each for seconds in game]
    return [
        Figure("moves", len(spent)),
        Figure("requests per move", requests / plies, budget=2),
        Figure("CPU per move, mean", sum(spent) / len(spent), "ms", budget=1.5),
        Figure("CPU per move, mean of the least for each ply", _undisturbed(each) * 1_000, "ms"),
        Figure("CPU per move, p50", at_share(spent, 0.5), "ms"),
        Figure("CPU per move, p99", at_share(spent, 0.99), "ms"),
        Figure("CPU of the first ply, mean", sum(game[0] for game in each) / games * 1_000, "ms"),
        Figure("CPU of the last ply, mean", sum(game[-1] for game in each) / games * 1_000, "ms"),
        Figure("CPU of a bare PynamoDB get and update, least", bare * 1_000, "ms"),
        *shares,
    ]


def _undisturbed(games: list[list[float]]) -> float:
    """Mean over the plies of what a ply took in the game where it took least: what a busy machine adds is left out."""
    least: list[float] = [min(plies) for plies in zip(*games, strict=True)]
    return sum(least) / len(least)


def _play(opened: Door, memory: MemoryTable, plies: int, profiler: cProfile.Profile | None = None) -> list[float]:
    """CPU seconds of each ply of a new game."""
    memory.item = {}
    match = Match(opened, f"cpu-{memory.requests}")
    spent = []
    for ply, move in enumerate(moves(plies)):
        match.think(ply)
        event = match.event(ply, move)
        if profiler:
            profiler.enable()
        inside, started = memory.inside, time.process_time()
        answer = opened.answer(event)
        spent.append(time.process_time() - started - (memory.inside - inside))
        if profiler:
            profiler.disable()
        accepted(answer)
    return spent


def _bare(opened: Door, memory: MemoryTable, plies: int) -> float:
    """The least CPU seconds of what no move can do without: one GetItem and one UpdateItem through PynamoDB."""
    from chalicelib.games.item import GameItem

    _play(opened, memory, plies)
    connection = GameItem._get_connection()
    item = GameItem.from_raw_data(connection.get_item(memory.item["id"]["S"], consistent_read=True)["Item"])
    actions: list[Action] = [
        GameItem.version.set(item.version),
        GameItem.position.set(item.position),
        GameItem.log.set(item.log),
        GameItem.ply.set(item.ply),
        GameItem.turn_ms.set(item.turn_ms),
        GameItem.white_ms.set(item.white_ms),
        GameItem.deadline_ms.set(item.deadline_ms),
    ]
    spent = []
    for _ in range(plies):
        inside, started = memory.inside, time.process_time()
        connection.get_item(item.id, consistent_read=True)
        connection.update_item(item.id, actions=actions, condition=GameItem.version == item.version)
        spent.append(time.process_time() - started - (memory.inside - inside))
    return min(spent)


def _shares(opened: Door, memory: MemoryTable, plies: int) -> list[Figure]:
    """Where the CPU of a move goes, in % under the profiler, which is hard on code that makes many small calls: own
    time by library, and time with all that is called, of our own functions and of the ways to the wire."""
    profiler = cProfile.Profile()
    _play(opened, memory, plies, profiler)
    own: defaultdict[str, float] = defaultdict(float)
    whole: defaultdict[str, float] = defaultdict(float)
    stats: _Stats = pstats.Stats(profiler).stats  # type: ignore[attr-defined]
    for (file, _, name), (_, _, seconds, with_callees, _) in stats.items():
        library = _library(file)
        if library != "bench":
            own[library] += seconds
        if library.startswith("chalicelib") or (library, name) in TELLING:
            whole[f"{library} {name}"] += with_callees
    total = sum(own.values())
    return [
        Figure(f"{kind}, {name}", seconds / total * 100, "%")
        for kind, spent in (("own time", own), ("with callees", whole))
        for name, seconds in sorted(spent.items(), key=lambda item: -item[1])[:TOP]
    ]


def _library(file: str) -> str:
    """The library a source file belongs to, and for our own the slice."""
    path = Path(file)
    for home in (sysconfig.get_path("purelib"), sysconfig.get_path("stdlib")):
        if path.is_relative_to(home):
            return path.relative_to(home).parts[0].removesuffix(".py")
    if not path.is_relative_to(ROOT):
        return "built in"
    inside = path.relative_to(ROOT).parts
    return inside[0] if inside[0] == "bench" else "/".join(inside[:2])
