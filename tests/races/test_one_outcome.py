"""Whatever happens in the same instant, a game has one history and everybody hears the same of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import pytest

from chalicelib.core.durations import DAY
from chalicelib.core.sides import Side
from chalicelib.games import rows, store
from chalicelib.games.act import act
from chalicelib.games.commands import Accept, Look, Move, OfferDraw, Resign
from chalicelib.games.decide import Outcome
from chalicelib.games.history import history
from chalicelib.games.invariants import faults
from chalicelib.games.model import Game
from chalicelib.games.views import event_view
from chalicelib.rules import referee
from tests.races.conftest import T0, codes, new_invitation, rounds, together

FIRST_MOVES = [
    *(f"{file}2{file}{rank}" for file in "abcdefgh" for rank in "34"),
    "b1a3",
    "b1c3",
    "g1f3",
    "g1h3",
]
WITHOUT_END = 30 * DAY


def sound(game_id: str) -> Game:
    """The stored game, after making sure that it does not contradict itself."""
    game = store.load(game_id)
    shown = next(keys for other, keys in store.walk() if other.id == game_id)
    assert list(faults(game, shown, referee(game.kind))) == []
    return game


def test_of_32_hands_with_different_moves_one_plays(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(4)):
        game = new_game()
        acts = [
            partial(act, game.id, Move("white", 0, FIRST_MOVES[number % len(FIRST_MOVES)]), T0 + 1_000 + number)
            for number in range(32)
        ]
        outcomes = together(acts)
        after = sound(game.id)
        played = next(iter(history(after)[1:])).event.move
        for number, outcome in enumerate(outcomes):
            is_same = FIRST_MOVES[number % len(FIRST_MOVES)] == played
            assert codes([outcome]) == ["done" if is_same else "already_played"]
        assert (after.ply, after.version) == (1, 2)


def test_the_same_move_20_times_at_once_and_later_is_one_move(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(4)):
        game = new_game()
        outcomes = together([partial(act, game.id, Move("white", 0, "e2e4"), T0 + 5_000 + n) for n in range(20)])
        later = [act(game.id, Move("white", 0, "e2e4"), T0 + DAY) for _ in range(2)]
        bodies = {event_view(entry).at_ms for entry in (o.entry for o in outcomes + later) if entry}
        assert codes(outcomes + later) == ["done"] * 22
        assert len({repr(event_view(o.entry)) for o in outcomes + later if o.entry}) == 1
        after = sound(game.id)
        assert after.version == 2
        assert bodies == {list(after.log)[1].at_ms}


@pytest.mark.parametrize(("offset", "grace_over"), [(-1, False), (0, True), (1, True)])
def test_two_scans_and_a_move_around_the_deadline(new_game: Callable[..., Game], offset: int, grace_over: bool) -> None:
    for number in range(rounds(20)):
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
    for _ in range(rounds(20)):
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


def test_of_eight_who_accept_a_seek_one_plays(on_engine: dict[str, str]) -> None:
    for _ in range(rounds(4)):
        seek = new_invitation()
        outcomes = together([partial(act, seek.id, Accept(f"guest{n}", Side.BLACK), T0 + n) for n in range(8)])
        after = sound(seek.id)
        assert codes(outcomes) == ["already_accepted"] * 7 + ["done"]
        assert after.black is not None and seek.id in rows.running_of(after.black)
        guests = {f"guest{n}" for n in range(8)} - {after.black}
        assert not any(seek.id in rows.running_of(guest) for guest in guests)
        assert seek.id not in rows.open_invitations(100).game_ids


def test_crossing_draw_offers_are_an_agreement(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(10)):
        game = new_game()
        outcomes = together([partial(act, game.id, OfferDraw(player, 0), T0 + 9) for player in ("white", "black")])
        after = sound(game.id)
        assert codes(outcomes) == ["done", "done"]
        assert after.result is not None and after.result.reason == "agreement"


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
