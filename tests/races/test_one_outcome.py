"""Whatever happens in the same instant, a game has one history and everybody hears the same of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import pytest

from chalicelib.core.durations import DAY
from chalicelib.core.sides import Side
from chalicelib.games.act import act
from chalicelib.games.commands import Look, Move, Resign
from chalicelib.games.decide import Outcome
from chalicelib.games.model import Game
from tests.races.conftest import T0, codes, rounds, sound, together


@pytest.mark.parametrize(("offset", "grace_over"), [(-1, False), (0, True), (1, True)])
def test_two_scans_and_a_move_around_the_deadline(new_game: Callable[..., Game], offset: int, grace_over: bool) -> None:
    for number in range(rounds(8)):
        game = new_game("T3_1")
        at_ms = T0 + 3 * DAY + 1_500 + offset
        acts: list[Callable[[], Outcome]] = [
            partial(act, game.id, Look(), at_ms),
            partial(act, game.id, Move("white", 0, "e2e4"), at_ms),
            partial(act, game.id, Look(), at_ms),
        ]
        random.Random(number).shuffle(acts)
        outcomes = together(acts)
        after = sound(game.id)
        if grace_over:
            assert after.result is not None
            assert (after.result.reason, after.result.winner) == ("time", Side.BLACK)
            assert after.result.at_ms == T0 + 3 * DAY
            assert codes(outcomes) == ["done", "done", "game_over"]
        else:
            assert (after.result, after.ply) == (None, 1)
            assert codes(outcomes) == ["done"] * 3
        assert after.version == 2


def test_a_scan_that_saw_the_deadline_does_not_undo_a_move_that_was_in_time(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(8)):
        game = new_game("T3_1")
        last_ms = T0 + 3 * DAY + 1_499
        moved, _ = together(
            [
                partial(act, game.id, Move("white", 0, "e2e4"), last_ms),
                partial(act, game.id, Look(), last_ms + 1),
            ]
        )
        after = sound(game.id)
        if moved.refusal is None:
            assert (after.ply, after.result) == (1, None)
        else:
            assert moved.refusal.code == "game_over"
            assert after.result is not None and after.result.reason == "time"
        assert after.version == 2


def test_mate_against_resignation_has_one_end(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(10)):
        game = new_game()
        for ply, move in enumerate(["f2f3", "e7e5", "g2g4"]):
            act(game.id, Move(("white", "black")[ply % 2], ply, move), T0 + 1_000 * ply)
        mate, resignation = together(
            [
                partial(act, game.id, Move("black", 3, "d8h4"), T0 + 9_000),
                partial(act, game.id, Resign("black"), T0 + 9_000),
            ]
        )
        after = sound(game.id)
        assert codes([mate, resignation]) == ["done", "game_over"]
        assert after.result is not None
        assert after.result.winner is (Side.BLACK if mate.refusal is None else Side.WHITE)
