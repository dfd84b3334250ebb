"""A legacy game beside the clock here: no difference where there is none, and every planted one is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import DAY, HOUR
from chalicelib.migration.rows import Row, read
from chalicelib.migration.shadow import BLOCKING, Shadow, shadow, verify
from tests.migration.exports import NOW, Game, as_json_lines, legacy_game, legacy_games

LONGEST = 12


def row_of(game: Game) -> Row:
    (row,) = read([as_json_lines([game])])
    assert isinstance(row, Row)
    return row


def a_game(plies: int = 6, days: int = 3) -> Game:
    """A game of so many plies, one a day, the last one half a day ago."""
    game = next(g for g in legacy_games(100, longest=LONGEST) if len(g["moves"]) == plies)
    last_ms = NOW - DAY // 2
    times = [last_ms - ply * DAY for ply in range(plies)][::-1]
    timing = {"move_times": times, "last_move_at": last_ms, "current_deadline": last_ms + days * DAY}
    return game | timing | {"code": f"T{days}_1", "started_at": last_ms - plies * DAY}


def codes(found: Shadow) -> list[str]:
    return [difference.code for difference in found.differences]


def test_the_deadlines_of_generated_games_are_those_of_the_clock_here() -> None:
    for game in legacy_games(300):
        found = verify(row_of(game), NOW)
        assert found.differences == ()
        assert found.game is not None and found.game.clock is not None
        reached = clocks.due(found.game.clock)
        assert reached is not None
        assert (reached.at_ms, reached.cause) == (game["current_deadline"], "time")
        assert found.game.terms.legacy_id == game["id"]


def test_without_times_the_deadline_is_the_same_and_nothing_is_made_up() -> None:
    game = a_game()
    bare = {name: value for name, value in game.items() if name not in ("move_times", "started_at", "to_move")}
    found = shadow(row_of(bare), NOW)
    assert found.differences == ()
    assert found.game is not None
    assert {event.at_ms for event in found.game.log} == {game["last_move_at"]}
    assert codes(verify(row_of(bare), NOW)) == ["no_times"]


def swapped(game: Game) -> Game:
    moves = game["moves"]
    return {"moves": [moves[1], moves[0], *moves[2:]]}


FAULTS: dict[str, tuple[Callable[[Game], dict[str, Any]], str]] = {
    "deadline 1 ms early": (lambda g: {"current_deadline": g["current_deadline"] - 1}, "wrong_deadline"),
    "deadline 1 ms late": (lambda g: {"current_deadline": g["current_deadline"] + 1}, "wrong_deadline"),
    "deadline of other days": (lambda g: {"code": "T2_1"}, "wrong_deadline"),
    "deadline passed": (
        lambda g: (
            {name: g[name] - 3 * DAY for name in ("last_move_at", "current_deadline")}
            | {"move_times": [at - 3 * DAY for at in g["move_times"]], "started_at": g["started_at"] - 3 * DAY}
        ),
        "deadline_passed",
    ),
    "deadline before the move": (lambda g: {"current_deadline": g["last_move_at"]}, "deadline_before_turn"),
    "deadline beyond": (lambda g: {"current_deadline": NOW + 3 * DAY + 1}, "deadline_beyond_account"),
    "last move missing": (lambda g: {"moves": g["moves"][:-1]}, "wrong_times"),
    "last move missing, times too": (
        lambda g: {"moves": g["moves"][:-1], "move_times": g["move_times"][:-1]},
        "wrong_side",
    ),
    "time missing": (lambda g: {"move_times": g["move_times"][1:]}, "wrong_times"),
    "times go back": (
        lambda g: {"move_times": [g["move_times"][1], g["move_times"][0], *g["move_times"][2:]]},
        "wrong_times",
    ),
    "start after the first move": (lambda g: {"started_at": g["move_times"][0] + 1}, "wrong_times"),
    "last times disagree": (lambda g: {"last_move_at": g["last_move_at"] + 1}, "wrong_times"),
    "first move missing": (
        lambda g: {"moves": g["moves"][1:], "move_times": g["move_times"][1:]},
        "illegal_move",
    ),
    "sides swapped": (swapped, "illegal_move"),
    "no move at all": (lambda g: {"moves": [*g["moves"][:-1], "e9e4"]}, "illegal_move"),
    "illegal set-up": (lambda g: {"setup": "8/8/8/8/8/8/8/8 w - - 0 1"}, "illegal_setup"),
    "wrong side": (lambda g: {"to_move": "black"}, "wrong_side"),
    "over": (lambda g: {"moves": ["f3", "e5", "g4", "Qh4#"], "move_times": g["move_times"][2:]}, "game_over"),
    "late move": (
        lambda g: {
            "move_times": [g["move_times"][0] - 3 * DAY, *g["move_times"][1:]],
            "started_at": None,
        },
        "late_move",
    ),
    "last move ahead": (
        lambda g: (
            {name: g[name] + 2 * DAY for name in ("last_move_at", "current_deadline")}
            | {"move_times": [*g["move_times"][:-1], g["last_move_at"] + 2 * DAY]}
        ),
        "future_move",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_planted_fault_is_found(fault: str) -> None:
    plant, code = FAULTS[fault]
    game = a_game()
    assert verify(row_of(game), NOW).differences == ()
    changed = {name: value for name, value in (game | plant(game)).items() if value is not None}
    for look in (shadow, verify):
        found = look(row_of(changed), NOW)
        assert code in codes(found)
        assert (found.game is None) == bool(BLOCKING & set(codes(found)))


def test_a_difference_says_by_how_much() -> None:
    game = a_game()
    changed = game | {"current_deadline": game["current_deadline"] + 2 * HOUR}
    (difference,) = shadow(row_of(changed), NOW).differences
    assert (difference.field, difference.is_blocking) == ("current_deadline", False)
    assert "2 h later than 3 d after the last move" in difference.detail


def test_a_move_in_the_grace_is_in_time_on_both_sides() -> None:
    game = a_game(plies=2)
    times = [game["move_times"][0], game["move_times"][0] + 3 * DAY + 1_499]
    late = game | {"move_times": times, "last_move_at": times[1], "current_deadline": times[1] + 3 * DAY}
    assert verify(row_of(late), times[1]).differences == ()
    times[1] += 1
    too_late = late | {"move_times": times, "last_move_at": times[1], "current_deadline": times[1] + 3 * DAY}
    assert codes(verify(row_of(too_late), times[1])) == ["late_move"]


def test_the_generator_is_seeded() -> None:
    assert legacy_game(1, random.Random(1), NOW, 4) == legacy_game(1, random.Random(1), NOW, 4)
