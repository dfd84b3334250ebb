"""Draws that a player must claim: threefold repetition and fifty moves, on the position as it stands."""

from __future__ import annotations

import pytest

from chalicelib.rules.referee import Position
from tests.rules.positions import CHESS, played

SHUFFLE = "Nf3 Nf6 Ng1 Ng8 "


def test_a_new_game_has_nothing_to_claim() -> None:
    assert CHESS.claims(CHESS.start(None)) == ()


@pytest.mark.parametrize(
    ("rounds", "claims"), [(1, ()), (2, ("threefold_repetition",)), (3, ("threefold_repetition",))]
)
def test_the_third_occurrence_can_be_claimed(rounds: int, claims: tuple[str, ...]) -> None:
    assert CHESS.claims(played(None, SHUFFLE * rounds).position) == claims


def test_a_claim_lapses_with_the_position() -> None:
    assert CHESS.claims(played(None, SHUFFLE * 2 + "e4").position) == ()


@pytest.mark.parametrize(("plies", "claims"), [(99, ()), (100, ("fifty_moves",)), (149, ("fifty_moves",))])
def test_fifty_moves_can_be_claimed(plies: int, claims: tuple[str, ...]) -> None:
    assert CHESS.claims(Position(f"7k/8/5K2/8/8/8/8/R7 w - - {plies} 99")) == claims


def test_a_setup_brings_its_clock_but_no_positions() -> None:
    position = CHESS.start("7k/8/5K2/8/8/8/8/R7 w - - 99 99")
    assert CHESS.claims(position) == ()
    assert CHESS.claims(CHESS.play(position, "Ra2").position) == ("fifty_moves",)


def test_both_can_be_open_at_once() -> None:
    setup = "7k/8/5K2/8/8/8/8/R7 w - - 96 99"
    assert CHESS.claims(played(setup, "Ra2 Kg8 Ra1 Kh8 " * 2).position) == ("threefold_repetition", "fifty_moves")
