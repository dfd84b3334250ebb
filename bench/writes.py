"""DynamoDB requests and units per move, over a real game of 80 plies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import chess

from bench.door import Door, Match, door, engine
from bench.figures import Figure
from bench.real_game import PLIES, moves
from bench.units import item_bytes, read_units, write_units
from bench.wire import Meter, metered, reader
from infra.local.engine import Engine

SMALL_PLIES: Final = 8
INDEX: Final = ("shard", "deadline_ms")

GAMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "usual game": {},
    # A profile for each side and a position of its own: as much as a challenge can put into an item.
    "largest terms": {
        "profile": None,
        "profiles": {"white": "30-30-1-half", "black": "20-20-1.2"},
        "setup": chess.STARTING_FEN,
    },
}


def measure(*, small: bool) -> list[Figure]:
    figures = []
    with engine() as running, door() as opened:
        for name, terms in GAMES.items():
            figures += _one_game(running, opened, name, terms, SMALL_PLIES if small else PLIES)
    return figures


def _one_game(running: Engine, opened: Door, name: str, terms: Mapping[str, Any], plies: int) -> list[Figure]:
    match = Match(opened, name, terms)
    read = reader(running.endpoint, "zeitnot-games")
    units, reads, sizes = [], [], []
    before = read(match.game)
    with metered() as meter:
        for ply, move in enumerate(moves(plies)):
            match.play(ply, move)
            after = read(match.game)
            units.append(write_units(before, after, INDEX))
            reads.append(read_units([before], consistent=True))
            sizes.append(item_bytes(after))
            before = after
    return [
        Figure(f"{name}: plies", plies),
        Figure(f"{name}: reads per move", meter.requests["GetItem", "games"] / plies, budget=1),
        Figure(f"{name}: reads of the watch, every three seconds", meter.requests["GetItem", "watch"]),
        Figure(f"{name}: writes per move", meter.of("UpdateItem") / plies, budget=1),
        Figure(f"{name}: other requests", meter.requests.total() - meter.of("GetItem") - meter.of("UpdateItem")),
        Figure(f"{name}: write units per move, mean", sum(unit.total for unit in units) / plies, budget=4),
        Figure(f"{name}: write units per move, most", max(unit.total for unit in units)),
        Figure(f"{name}: of these for the index, mean", sum(unit.index for unit in units) / plies),
        Figure(f"{name}: read units per move, mean", sum(reads) / plies),
        Figure(f"{name}: item after the first ply", sizes[0], "bytes"),
        Figure(f"{name}: item after the last ply", sizes[-1], "bytes"),
        *_as_the_engine_counts(name, meter, plies),
    ]


def _as_the_engine_counts(name: str, meter: Meter, plies: int) -> list[Figure]:
    """What the engine says it charged, as a check of our own reckoning."""
    if len(meter.written) != plies:
        return [Figure(f"{name}: as the engine counts", "not told by this engine")]
    table, index = (sum(part) / plies for part in zip(*meter.written, strict=True))
    return [
        Figure(f"{name}: as the engine counts, table and index", table + index),
        Figure(f"{name}: as the engine counts, index", index),
    ]
