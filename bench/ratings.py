"""What a result costs until it is a rating: write units in four partitions, and a log of real games on the engine."""

from __future__ import annotations

import csv
import gzip
import os
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.capacity import Spent, counted
from bench.door import engine
from bench.figures import Figure
from chalicelib.core.durations import MINUTE
from chalicelib.ratings.model import Change, Edit, Partition, Played, Winner

_SHARED: Final = Path(os.environ.get("ZEITNOT_SHARED") or Path(__file__).parents[1].parent / "shared")
MATCHES: Final = _SHARED / "cases/matches/matches_2v2.csv.gz"
"""Real results of two against two, where they are at hand: in `shared` beside the repository, or ZEITNOT_SHARED."""

CYCLE: Final = 65
"""Games after which each partition has turned its batches into a chunk once. One such cycle is measured."""

SMALL_CYCLE: Final = 5
MEMBERS: Final = 12
BEGIN_MS: Final = 1_800_000_000_000
WINNERS: Final[tuple[Winner, ...]] = ("A", "B", "")
GLOBAL: Final = Partition("GLOBAL")


def measure(*, small: bool) -> list[Figure]:
    from infra.local.storage import create_buckets

    with engine() as running:
        os.environ.update(create_buckets(running.endpoint))
        return _in_four_partitions(SMALL_CYCLE if small else CYCLE) + _real_games(small)


# ---- the account of a game


def _in_four_partitions(games: int) -> list[Figure]:
    """New results of a club with an event and a season, each rated before the next one is entered."""
    from chalicelib.clubs import acts
    from chalicelib.clubs.model import Event, Season
    from chalicelib.core.ids import derived_id
    from chalicelib.results import recording
    from chalicelib.results.model import Result, Seat

    club, event, season = (derived_id(name) for name in ("club", "event", "season"))
    members = [f"{number:032x}" for number in range(MEMBERS)]
    acts.create_club(club, "Club", "Europe/Berlin", members[0], "bench")
    for member in members[1:]:
        acts.enrol(club, member, member, ["member"], None)
    acts.create_event(Event(event, club, "Event", True, BEGIN_MS), "bench")
    acts.create_season(club, Season(season, "Season", date(2026, 1, 1), date(2028, 1, 1)), "bench")
    lots = Random(1)
    everywhere = (GLOBAL, *(Partition(scope, ref) for scope, ref in _scopes(club, event, season)))
    for partition in everywhere:
        _passed(partition)

    def enter(number: int) -> None:
        a, b, c, d = (Seat(member) for member in lots.sample(members, 4))
        winner = lots.choice(WINNERS)
        played_at_ms = BEGIN_MS + number * MINUTE
        result = Result(derived_id(str(number)), club, played_at_ms, (a, b), (c, d), winner=winner, event=event)
        recording.enter(result, "bench")

    entered, rated = Spent(), Spent()
    # Batches are cleared away one cycle after their own.
    for number in range(games):
        enter(number)
        for partition in everywhere:
            _passed(partition)
    for number in range(games, 2 * games):
        with counted() as spent:
            enter(number)
        _add(entered, spent)
        with counted() as spent:
            for partition in everywhere:
                _passed(partition)
        _add(rated, spent)
    total = (entered.write_units + rated.write_units) / games
    return [
        Figure("write units a game, 4 partitions", total, budget=60),
        *(Figure(f"of these: entering, {table}", units / games) for table, units in sorted(entered.written.items())),
        *(Figure(f"of these: rating, {table}", units / games) for table, units in sorted(rated.written.items())),
        Figure("read units a game: entering", entered.read_units / games),
        Figure("read units a game: rating", rated.read_units / games),
        *(Figure(f"requests a game: {name}", count / games) for name, count in sorted(rated.requests.items())),
    ]


def _scopes(club: str, event: str, season: str) -> Iterable[tuple[Any, str]]:
    return ("CLUB", club), ("EVENT", event), ("SEASON", f"{club}/{season}")


def _add(total: Spent, more: Spent) -> None:
    total.requests += more.requests
    total.written += more.written
    total.read += more.read


def _passed(partition: Partition, games: Iterable[Played] = ()) -> Any:
    from chalicelib.ratings.recompute import recompute

    return recompute(partition, lambda _partition, _edits: games, lambda: False)


# ---- a long log


def _real_games(small: bool) -> list[Figure]:
    if not MATCHES.exists():
        return [Figure("real games", f"skipped: {MATCHES} is not there")]
    from chalicelib.ratings import marking

    games = sorted(_matches(), key=lambda game: game.place)[: 2_000 if small else None]
    name = f"{len(games):,} real games"
    world = Partition("CLUB", "world")
    marking.put({world: Change("all", reload=True)})
    figures = _timed(f"{name}: all", lambda: _passed(world, games))
    last, middle = games[-1], games[len(games) // 2]
    new = Played(last.at_ms + 1, "new", last.a, last.b, "A")
    other: Winner = "B" if middle.winner == "A" else "A"
    corrected = Played(middle.at_ms, middle.id, middle.a, middle.b, other)
    edits = {
        "a new one at the end": Edit("new", 1, played=new),
        "a correction in the middle": Edit(middle.id, 2, (middle.place,), corrected),
    }
    for what, edit in edits.items():
        marking.put({world: Change(what, (edit,))})
        figures += _timed(f"{name}: {what}", lambda: _passed(world))
    return figures


def _timed(name: str, work: Callable[[], Any]) -> list[Figure]:
    started, cpu = time.perf_counter(), time.process_time()
    with counted() as spent:
        report = work()
    return [
        Figure(f"{name}, wall", time.perf_counter() - started, "s"),
        Figure(f"{name}, CPU", time.process_time() - cpu, "s"),
        Figure(f"{name}, write units", spent.write_units),
        Figure(f"{name}, objects written", spent.requests["PutObject"]),
        Figure(f"{name}, objects read", spent.requests["GetObject"]),
        Figure(f"{name}, rows changed", report.rows_changed),
    ]


def _matches() -> Iterator[Played]:
    with gzip.open(MATCHES, "rt", newline="") as file:
        for row in csv.DictReader(file):
            at = datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).astimezone(UTC)
            winner: Winner = row["winner"]  # type: ignore[assignment]
            a, b = (row["a1"], row["a2"]), (row["b1"], row["b2"])
            yield Played(round(at.timestamp() * 1_000), row["id"], a, b, winner)
