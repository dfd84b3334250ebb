"""Positions that games may start from."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chalicelib.core.sides import Side
from chalicelib.rules.referee import IllegalSetup
from tests.rules.positions import CHESS, CHESS960

USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def test_without_a_setup_the_game_starts_as_usual() -> None:
    assert CHESS.start(None).notation == USUAL
    assert CHESS960.start(None).notation == USUAL


def test_black_may_be_to_move() -> None:
    position = CHESS.start("4k3/8/8/8/8/8/4P3/4K3 b - - 3 20")
    assert CHESS.to_move(position) is Side.BLACK
    assert CHESS.play(position, "e8d7").position.notation == "8/3k4/8/8/8/8/4P3/4K3 w - - 4 21"


def test_clocks_may_be_missing() -> None:
    assert CHESS.start("4k3/8/8/8/8/8/4P3/4K3 w - -").notation == "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"


def test_a_start_counts_as_the_first_occurrence() -> None:
    assert len(CHESS.start(None).repetitions) == 8


@pytest.mark.parametrize(
    ("setup", "says"),
    [
        ("", "this one has 0"),
        ("4k3/8/8/8/8/8/4P3/4K3", "this one has 1"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 7", "this one has 7"),
        ("x" * 10_000, "at most 120 characters, this one has 10000"),
        ("4k3/8/8/8/8/8/4P3 w - - 0 1", "the board in a FEN is eight ranks"),
        ("4k3/8/8/8/8/8/4P3/4K4 w - - 0 1", "not a FEN"),
        ("4k3/8/8/8/8/8/4P3/4K3/8 w - - 0 1", "the board in a FEN is eight ranks"),
        ("4k3/8/8/8/8/8/4P3/4K2X w - - 0 1", "the board in a FEN is eight ranks"),
        ("4k3/8/8/8/8/8/4Q~3/4K3 w - - 0 1", "the board in a FEN is eight ranks"),
        ("4k3/8/8/8/8/8/4P3/4K3 x - - 0 1", "the side to move in a FEN is w or b, not 'x'"),
        ("4k3/8/8/8/8/8/4P3/4K3 w KX - 0 1", "the castling rights"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - e4 0 1", "the en passant square"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - x 1", "the halfmove clock"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - -1 1", "the halfmove clock"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - ١ 1", "the halfmove clock"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 99999", "the move number"),
        ("8/8/8/8/8/8/4P3/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/4P3/8 w - - 0 1", "White has no king"),
        ("4k3/8/8/8/8/8/4P3/3KK3 w - - 0 1", "more than one king"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "first or the eighth rank"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has more than eight pawns"),
        ("4k3/8/8/8/NNNNNNNN/NNNNNNNN/8/4K3 w - - 0 1", "White has more than sixteen pieces"),
        ("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1", "not to move is in check"),
        ("4k3/8/8/8/8/8/4P3/4K3 w K - 0 1", "castling right"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - e6 0 1", "en passant"),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 150 99", "over before it begins: seventyfive_moves"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "over before it begins: dead_position"),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "over before it begins: stalemate"),
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "over before it begins: checkmate"),
    ],
)
def test_what_cannot_start_a_game_is_refused(setup: str, says: str) -> None:
    with pytest.raises(IllegalSetup, match=says):
        CHESS.start(setup)


def test_importing_the_rules_does_not_load_the_chess_library() -> None:
    code = "import sys, chalicelib.rules; sys.exit('chess' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
