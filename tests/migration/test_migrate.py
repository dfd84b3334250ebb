"""A whole migration on the engine: copied, caught up, swapped and taken back, killed on its way everywhere."""

from __future__ import annotations

import random

import msgspec
import pytest

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import HOUR, MINUTE
from chalicelib.desk import audit, ledger
from chalicelib.games import store
from chalicelib.games.invariants import faults
from chalicelib.games.model import Game as Stored
from chalicelib.games.rows import running_of
from chalicelib.migration import takeover
from chalicelib.migration.rows import Row, read
from chalicelib.migration.shadow import shadow
from chalicelib.rules import referee
from infra.migrate.source import in_words
from tests.migration.conftest import Commands
from tests.migration.exports import Game, legacy_games, played_on

COUNT = 120
FREEZE_AFTER = HOUR


def stored() -> dict[str, Stored]:
    """All games by their legacy id; none of them contradicts itself."""
    games = {}
    for game, shown in store.walk():
        assert list(faults(game, shown, referee(game.kind))) == []
        games[game.terms.legacy_id or ""] = game
    return games


def deadline(game: Stored) -> int:
    assert game.clock is not None
    reached = clocks.due(game.clock)
    assert reached is not None
    return reached.at_ms


def export(migrate: Commands, count: int = COUNT) -> list[Game]:
    """Games that all still run at the freeze."""
    freeze_ms = migrate.time.ms + FREEZE_AFTER
    games = legacy_games(count + count // 4, migrate.time.ms)
    return [game for game in games if game["current_deadline"] > freeze_ms][:count]


def later(games: list[Game], freeze_ms: int) -> list[Game]:
    chance = random.Random(7)
    return [played_on(game, chance, freeze_ms) for game in games]


def frozen(migrate: Commands, games: list[Game]) -> tuple[list[Game], int, str]:
    """The export after a freeze that begins in a while, its instant, and the option."""
    migrate.time.pass_by(FREEZE_AFTER)
    freeze_ms = migrate.time.ms
    migrate.time.pass_by(10 * MINUTE)
    return later(games, freeze_ms), freeze_ms, f"--frozen-at={in_words(freeze_ms)}"


def released(migrate: Commands, count: int = 20) -> tuple[list[Game], int]:
    """Games that run here since a swap, and what their deadlines have moved by."""
    games = export(migrate, count)
    assert migrate.run("backfill", games) == 0
    now, freeze_ms, option = frozen(migrate, games)
    assert migrate.run("delta", now, option) == 0
    assert migrate.run("swap") == 0
    (window,) = ledger.listed()
    assert window.until_ms is not None
    return now, window.until_ms - freeze_ms


@pytest.mark.engine
def test_a_migration_that_is_killed_everywhere(migrate: Commands) -> None:
    games = export(migrate)
    for step in ("before TransactWriteItems 1", "after TransactWriteItems 1", "after TransactWriteItems 3"):
        migrate.run_killed(step, "backfill", games)
    assert 0 < len(stored()) <= COUNT
    migrate.time.pass_by(MINUTE)
    assert migrate.run("backfill", games) == 0
    copies = stored()
    rows = [row for row in read(_lines(games)) if isinstance(row, Row)]
    assert copies == {row.id: takeover.backfilled(shadow(row, migrate.time.ms).game) for row in rows}  # type: ignore[arg-type]
    assert {game_id for game in games for game_id in running_of(game["white"])} == {game.id for game in copies.values()}
    assert migrate.run("backfill", games) == 0
    assert stored() == copies

    now, freeze_ms, option = frozen(migrate, games)
    assert now != games
    for step in ("before UpdateItem 10", "after UpdateItem 30", "after UpdateItem 50"):
        migrate.run_killed(step, "delta", now, option)
    assert migrate.run("swap") == 1
    assert ledger.listed() == []
    assert migrate.run("delta", now, option) == 0
    copies = stored()
    assert migrate.run("delta", now, option) == 0
    assert stored() == copies

    migrate.time.pass_by(5 * MINUTE)
    for step in (
        "after TransactWriteItems 1",
        "before TransactWriteItems 30",
        "after TransactWriteItems 60",
        "before UpdateItem 20",
        "after UpdateItem 60",
    ):
        migrate.run_killed(step, "swap")
    assert migrate.run("swap") == 0
    (window,) = ledger.listed()
    assert window.until_ms is not None and window.settled_ms is not None
    moved_ms = window.until_ms - freeze_ms
    here = stored()
    assert {name: deadline(game) for name, game in here.items()} == {
        game["id"]: game["current_deadline"] + moved_ms for game in now
    }
    assert migrate.run("swap") == 0
    assert stored() == here
    for game in here.values():
        (resumed,) = audit.of_subject(f"game#{game.id}", 10).acts
        assert (resumed.kind, resumed.id, resumed.version) == ("resume", f"swap-{freeze_ms}", resumed.version)


def _lines(games: list[Game]) -> list[str]:
    return [msgspec.json.encode(game).decode() for game in games]
