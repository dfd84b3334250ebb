"""A whole migration on the engine: copied, caught up, swapped and taken back, killed on its way everywhere."""

from __future__ import annotations

import gzip
import random
from collections import Counter

import msgspec
import pytest

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.desk import audit, ledger
from chalicelib.games import flagfall, store
from chalicelib.games.act import act
from chalicelib.games.commands import Adjudicate, Move, Pause, Resign
from chalicelib.games.invariants import faults
from chalicelib.games.model import Game as Stored
from chalicelib.games.rows import running_of
from chalicelib.migration import takeover
from chalicelib.migration.rows import Row, read
from chalicelib.migration.shadow import shadow
from chalicelib.rules import referee
from infra.migrate.source import in_words
from tests.migration.conftest import Commands
from tests.migration.exports import Game, legacy_games, lines, played_on

COUNT = 40
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


def export(migrate: Commands, count: int) -> list[Game]:
    """Games that all still run at the freeze."""
    freeze_ms = migrate.time.ms + FREEZE_AFTER
    games = legacy_games(count * 5 // 4 + 2, migrate.time.ms)
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
def test_a_backfill_that_is_killed_is_run_again(migrate: Commands) -> None:
    games = export(migrate, 200)
    for step in ("before TransactWriteItems 1", "after TransactWriteItems 1", "after TransactWriteItems 2"):
        migrate.run_killed(step, "backfill", games)
    assert 0 < len(stored()) < 200
    migrate.time.pass_by(MINUTE)
    assert migrate.run("backfill", games) == 0
    copies = stored()
    rows = [row for row in read(msgspec.json.encode(game).decode() for game in games) if isinstance(row, Row)]
    assert copies == {row.id: takeover.backfilled(_original(row, migrate.time.ms)) for row in rows}
    for game in games[::20]:
        assert all(copies[game["id"]].id in running_of(game[side]) for side in ("white", "black"))
    assert migrate.run("backfill", games) == 0
    assert stored() == copies


def _original(row: Row, now_ms: int) -> Stored:
    game = shadow(row, now_ms).game
    assert game is not None
    return game


@pytest.mark.engine
def test_a_delta_and_a_swap_that_are_killed_are_run_again(migrate: Commands) -> None:
    games = export(migrate, COUNT)
    assert migrate.run("backfill", games) == 0
    now, freeze_ms, option = frozen(migrate, games)
    assert now != games
    for step in ("before UpdateItem 5", "after UpdateItem 10"):
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
        "before TransactWriteItems 10",
        "after UpdateItem 1",
        "after UpdateItem 9",
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
    for game in here.values():
        (resumed,) = audit.of_subject(f"game#{game.id}", 10).acts
        assert (resumed.kind, resumed.id) == ("resume", f"swap-{freeze_ms}")
    assert migrate.run("swap") == 0
    assert stored() == here


@pytest.mark.engine
def test_players_play_on_and_the_games_can_go_back(migrate: Commands) -> None:
    """Three games are moved on, one is resigned, one runs out of time; then all go back, and come again."""
    games, moved_ms = released(migrate)
    here = stored()
    names = [game["id"] for game in games if len(game["moves"]) < 10]
    for name in names[:3]:
        game = here[name]
        assert game.clock is not None
        migrate.time.pass_by(MINUTE)
        whole = next(
            line for line in lines(12) if line[: game.ply] == next(g for g in games if g["id"] == name)["moves"]
        )
        player = game.player(game.clock.to_move) or ""
        assert act(game.id, Move(player, game.ply, whole[game.ply]), migrate.time.ms).refusal is None
    assert act(here[names[3]].id, Resign(here[names[3]].white or ""), migrate.time.ms).refusal is None
    assert stored()[names[0]].ply == here[names[0]].ply + 1

    out = migrate.folder / "back.jsonl.gz"
    assert migrate.run("back", None, str(out)) == 0
    at_ms = migrate.time.ms
    migrate.time.pass_by(HOUR)
    assert migrate.run("back", None, str(out), f"--resumes-at={migrate.time.ms}") == 0
    text = gzip.decompress(out.read_bytes()).decode().splitlines()
    written = {line["id"]: line for line in map(msgspec.json.decode, text)}
    assert Counter(line["moved_here"] for line in written.values()) == {0: len(games) - 3, 1: 3}
    over = written[names[3]]
    assert (over["status"], over["result"], over["reason"]) == ("finished", "0-1", "resignation")
    for game in games:
        line = written[game["id"]]
        assert line["moves"][: len(game["moves"])] == game["moves"]
        assert line["move_times"][: len(game["moves"])] == game["move_times"]
        if line["moved_here"] == 0 and line["status"] == "running":
            assert line["current_deadline"] == game["current_deadline"] + moved_ms + migrate.time.ms - at_ms
        elif line["status"] == "running":
            left_ms = at_ms - line["last_move_at"]
            assert line["current_deadline"] == migrate.time.ms + game_length(game) - left_ms
    frozen_again = stored()
    assert all(takeover.is_copy(game) or game.is_over for game in frozen_again.values())
    assert migrate.run("swap") == 1

    # The old platform goes on from that file, and the next try begins with a delta.
    migrate.time.pass_by(MINUTE)
    again = [line for line in written.values() if line["status"] == "running"]
    assert migrate.run("delta", again, f"--frozen-at={migrate.time.ms}") == 0
    freeze_ms = migrate.time.ms
    assert migrate.run("swap") == 0
    until_ms = max(window.until_ms or 0 for window in ledger.listed())
    want = {line["id"]: line["current_deadline"] + until_ms - freeze_ms for line in again}
    assert {name: deadline(game) for name, game in stored().items() if not game.is_over} == want


def game_length(game: Game) -> int:
    days: int = game["current_deadline"] - game["last_move_at"]
    return days


@pytest.mark.engine
def test_nothing_falls_and_nothing_moves_between_backfill_and_swap(migrate: Commands) -> None:
    games = export(migrate, 12)
    assert migrate.run("backfill", games) == 0
    copies = stored()
    migrate.time.pass_by(20 * DAY)
    report = flagfall.scan(migrate.time.ms)
    assert (report.flagged, report.timers, report.failed) == (0, 0, 0)
    game = copies[games[0]["id"]]
    outcome = act(game.id, Move(game.white or "", game.ply, "e2e4"), migrate.time.ms)
    assert outcome.refusal is not None and outcome.refusal.code == "game_paused"
    assert stored() == copies


@pytest.mark.engine
def test_what_has_ended_there_is_never_released_here(migrate: Commands) -> None:
    games = export(migrate, 6)
    assert migrate.run("backfill", games) == 0
    now, _, option = frozen(migrate, games)
    now[0] = now[0] | {"status": "finished"}
    assert migrate.run("delta", now, option) == 0
    assert migrate.run("swap") == 0
    assert migrate.run("status") == 0
    over = stored()[games[0]["id"]]
    assert over.result is not None and over.result.reason == "annulled"
    out = migrate.folder / "back.jsonl"
    assert migrate.run("back", None, str(out)) == 0
    assert len(out.read_text().splitlines()) == 5


@pytest.mark.engine
def test_bad_rows_are_reported_and_stop_no_other(migrate: Commands, capsys: pytest.CaptureFixture[str]) -> None:
    games = export(migrate, 8)
    bad = [
        games[0] | {"code": "T3_2"},
        games[1] | {"moves": ["e2e5"], "move_times": games[1]["move_times"][:1]},
        games[2] | {"current_deadline": migrate.time.ms},
        games[3],
        games[3],
        games[4],
    ]
    report = migrate.folder / "report.jsonl"
    assert migrate.run("backfill", bad, f"--report={report}") == 1
    assert stored().keys() == {games[3]["id"], games[4]["id"]}
    found = [msgspec.json.decode(line) for line in report.read_text().splitlines()]
    assert {(one["row"], one["field"]) for one in found} >= {
        (2, "code"),
        (3, "moves"),
        (4, "current_deadline"),
        (6, "id"),
    }
    assert "row 2: code: 'T3_2' gives 2 moves together" in capsys.readouterr().out


@pytest.mark.engine
def test_a_swap_waits_for_every_copy(migrate: Commands, capsys: pytest.CaptureFixture[str]) -> None:
    assert migrate.run("swap") == 1
    games = export(migrate, 6)
    assert migrate.run("backfill", games) == 0
    now, freeze_ms, option = frozen(migrate, games)
    assert migrate.run("delta", now, f"--frozen-at={migrate.time.ms + 1}") == 2
    assert migrate.run("delta", now[:-1], option) == 0
    assert migrate.run("swap") == 1
    assert "1 copies have not caught up" in capsys.readouterr().err
    assert migrate.run("delta", now[-1:], f"--frozen-at={freeze_ms + 1}") == 0
    assert migrate.run("swap") == 1
    assert "different freezes" in capsys.readouterr().err
    assert migrate.run("delta", now, option) == 0
    copy = next(iter(stored().values()))
    assert act(copy.id, Pause(reason="illness"), migrate.time.ms).refusal is None
    assert migrate.run("delta", now, option) == 1
    assert "a referee has paused the copy" in capsys.readouterr().out
    assert act(copy.id, Adjudicate(winner=None), migrate.time.ms).refusal is None
    assert migrate.run("swap") == 0
    assert sum(game.is_over for game in stored().values()) == 1


@pytest.mark.engine
def test_after_the_swap_the_old_platform_changes_nothing_here(
    migrate: Commands, capsys: pytest.CaptureFixture[str]
) -> None:
    games, _ = released(migrate, 6)
    here = stored()
    for command in ("backfill", "delta"):
        options = [f"--frozen-at={migrate.time.ms}"] if command == "delta" else []
        assert migrate.run(command, games, *options) == 1
        assert "the game runs here since the swap" in capsys.readouterr().out
    assert migrate.run("backfill", [game | {"status": "finished"} for game in games]) == 1
    assert stored() == here
