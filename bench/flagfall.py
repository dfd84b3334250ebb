"""A scan that finds 1,000 games whose time is up, among few running games and among many."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from bench.door import START_MS, engine
from bench.figures import Figure
from bench.real_game import moves, thought_ms
from bench.units import write_units
from bench.wire import Meter, metered, reader
from bench.writes import INDEX
from chalicelib.core.durations import DAY, MINUTE, SECOND
from chalicelib.core.ids import derived_id
from infra.local.engine import Engine

if TYPE_CHECKING:
    from chalicelib.games.model import Game

EXPIRED: Final = 1_000
RUNNING: Final = (2_000, 20_000)
SMALL_EXPIRED: Final = 20
SMALL_RUNNING: Final = (40, 200)
PLIES: Final = 40
"""Of each game when its player stopped moving."""


def measure(*, small: bool) -> list[Figure]:
    expired, sizes = (SMALL_EXPIRED, SMALL_RUNNING) if small else (EXPIRED, RUNNING)
    figures = []
    with engine() as database:
        stored = 0
        for number, running in enumerate(sizes):
            # The games of the round before run on; those that ended in it have left the index.
            now_ms = START_MS + number * DAY
            store(games_due("running", range(stored, running), now_ms + 10 * DAY))
            stored = running
            store(games_due(f"expired {number}", range(expired), now_ms - SECOND))
            example = derived_id(f"expired {number}", "0")
            figures += _scanned(database, f"{expired} among {running}", now_ms, example)
    return figures


def _scanned(database: Engine, name: str, now_ms: int, example: str) -> list[Figure]:
    """The figures of a scan, and of the sweep that does what the stream would have done for the ended games."""
    from chalicelib.games import flagfall

    read = reader(database.endpoint, "zeitnot-games")
    before = read(example)
    started = time.perf_counter()
    with metered() as meter:
        report = flagfall.scan(now_ms)
    seconds = time.perf_counter() - started
    units = write_units(before, read(example), INDEX)
    started = time.perf_counter()
    swept = flagfall.repair(now_ms + MINUTE)
    sweeping = time.perf_counter() - started
    return [
        Figure(f"{name}: flagged", report.flagged),
        Figure(f"{name}: failed", report.failed + swept.failed, budget=0),
        Figure(f"{name}: read units of the queries", meter.read_units["Query"]),
        Figure(f"{name}: read units of single items", meter.read_units["GetItem"]),
        Figure(f"{name}: write units of one flag", units.total),
        *_requests(name, meter),
        Figure(f"{name}: time of the scan", seconds, "s"),
        Figure(f"{name}: time of one flag", seconds / max(1, report.flagged) * 1_000, "ms"),
        Figure(f"{name}: fanned out by the sweep", swept.done),
        Figure(f"{name}: time of the sweep", sweeping, "s"),
    ]


def _requests(name: str, meter: Meter) -> list[Figure]:
    return [
        Figure(f"{name}: {operation}, {table}", count, "requests")
        for (operation, table), count in sorted(meter.requests.items())
    ]


def games_due(series: str, numbers: range, deadline_ms: int) -> Iterator[Game]:
    """Games of an event that stand at the same place and are due at the same instant."""
    game = _at_deadline(deadline_ms)
    for number in numbers:
        white, black = (derived_id(series, side, str(number)) for side in ("white", "black"))
        yield replace(game, id=derived_id(series, str(number)), white=white, black=black)


def _at_deadline(deadline_ms: int) -> Game:
    from chalicelib.games.due import due

    reached = due(_after_moves(START_MS))
    if reached is None:
        raise RuntimeError("the clock of the model game does not run")
    return _after_moves(START_MS + deadline_ms - reached.effective_ms)


def _after_moves(released_ms: int) -> Game:
    from chalicelib.clock.profiles import named
    from chalicelib.games.commands import Move
    from chalicelib.games.decide import decide
    from chalicelib.games.making import Match, pair
    from chalicelib.games.model import Terms
    from chalicelib.rules import referee

    judge, profile = referee("chess"), named("30-30-1")
    match = Match("chess", None, (profile, profile), rated=True)
    made = pair("model", match, judge, Terms("pairing", event="bench"), released_ms, released_ms)
    game, now_ms = replace(made, white="white", black="black"), released_ms
    for ply, move in enumerate(moves(PLIES)):
        now_ms += thought_ms(ply)
        game = decide(game, Move(("white", "black")[ply % 2], ply, move), now_ms, judge).game
    return game


def store(games: Iterator[Game]) -> None:
    from chalicelib.games.item import GameItem, item_of

    with GameItem.batch_write() as batch:
        for game in games:
            batch.save(item_of(game))
