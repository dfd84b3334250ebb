"""Closing a maintenance window over 10,000 running games: how long it takes, and what it reads and writes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from bench.door import START_MS, engine
from bench.figures import Figure
from bench.flagfall import games_due, store
from bench.units import write_units
from bench.wire import Meter, metered, reader
from bench.writes import INDEX
from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.ids import derived_id

if TYPE_CHECKING:
    from chalicelib.desk.windows import Record

GAMES: Final = 10_000
SMALL_GAMES: Final = 200


def measure(*, small: bool) -> list[Figure]:
    from chalicelib.core.signing import Admin
    from chalicelib.desk import closing

    games = SMALL_GAMES if small else GAMES
    admin = Admin("bench", "bench", "operator", frozenset(), "")
    with engine() as database:
        store(games_due("running", range(games), START_MS + 10 * DAY))
        read, example = reader(database.endpoint, "zeitnot-games"), derived_id("running", "0")
        before = read(example)

        def closed(key: str, from_ms: int) -> tuple[Record, Meter, float]:
            record = closing.open_window(admin, key, "bench", from_ms, START_MS)
            started = time.perf_counter()
            with metered() as meter:
                record = closing.settle(closing.close_at_rest(admin, record.id, from_ms + 4 * HOUR))
            return record, meter, time.perf_counter() - started

        # Games of the bench live in the future: a window can only be opened ahead of now.
        record, meter, seconds = closed("first", START_MS)
        units = write_units(before, read(example), INDEX)
        # The same hours again: what remains is to look at every game once.
        idle, idle_meter, idle_seconds = closed("second", START_MS)
    return [
        Figure("games", games),
        *_figures("4 h in every turn", record, meter, seconds),
        Figure("4 h in every turn: write units of one shift", units.total),
        Figure("4 h in every turn: time of one shift", seconds / games * 1_000, "ms"),
        *_figures("the same 4 h again", idle, idle_meter, idle_seconds),
    ]


def _figures(name: str, record: Record, meter: Meter, seconds: float) -> list[Figure]:
    work = record.work
    if work is None:
        raise RuntimeError("nothing was done")
    return [
        Figure(f"{name}: clocks shifted", work.shifted),
        Figure(f"{name}: failed", work.failed, budget=0),
        Figure(f"{name}: walks", work.walk),
        Figure(f"{name}: time until it is settled", seconds, "s"),
        *(
            Figure(f"{name}: {operation}, {table}", count, "requests")
            for (operation, table), count in sorted(meter.requests.items())
        ),
    ]
