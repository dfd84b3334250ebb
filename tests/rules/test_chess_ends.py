"""Ends that come by themselves: mate, stalemate, dead position, 75 moves, fivefold repetition."""

from __future__ import annotations

import pytest

from chalicelib.core.sides import Side
from chalicelib.rules.referee import End, IllegalMove, Position
from tests.rules.positions import CHESS, drawn, played, won

SHUFFLE = "Nf3 Nf6 Ng1 Ng8 "


def test_mate_is_won_by_the_mover() -> None:
    assert played(None, "f3 e5 g4 Qh4").end == won(Side.BLACK)


def test_mate_by_white() -> None:
    assert played(None, "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7").end == won(Side.WHITE)


def test_stalemate_is_drawn() -> None:
    assert played("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "Qg6").end == drawn("stalemate")


@pytest.mark.parametrize(
    "setup",
    [
        "8/8/4k3/8/8/3pK3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3pK3/8/B7 w - - 0 1",
        "8/8/4k3/8/8/3pK3/8/6n1 w - - 0 1",
        "8/8/3bk3/8/8/3pK1B1/8/8 w - - 0 1",
    ],
    ids=["bare kings", "bishop", "knight", "bishops on squares of one colour"],
)
def test_material_without_any_mate_is_a_dead_position(setup: str) -> None:
    assert played(setup, "Kxd3").end == drawn("dead_position")


def test_bishops_on_squares_of_both_colours_go_on() -> None:
    assert played("8/8/2b1k3/8/8/3pK1B1/8/8 w - - 0 1", "Kxd3").end is None


@pytest.mark.parametrize("white", ["NN", "BN", "R", "Q", "P"])
def test_material_with_a_mate_goes_on(white: str) -> None:
    assert CHESS.end(Position(f"4k3/8/8/8/8/{white}{8 - len(white)}/8/4K3 w - - 0 1")) is None


def test_a_capture_that_leaves_both_stalemate_and_a_dead_position_is_named_a_dead_position() -> None:
    assert played("7k/5K2/8/8/4p3/8/6B1/8 w - - 0 1", "Bxe4").end == drawn("dead_position")


def test_the_fifth_occurrence_ends_the_game() -> None:
    fourth = played(None, SHUFFLE * 3)
    assert fourth.end is None
    assert played(None, SHUFFLE * 4).end == drawn("fivefold_repetition")


def test_a_pawn_move_makes_earlier_occurrences_unreachable() -> None:
    assert played(None, SHUFFLE * 3 + "e3 e6 " + SHUFFLE * 3).end is None


def test_the_loss_of_a_castling_right_makes_another_position() -> None:
    setup = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
    rooks = "Rb1 Rb8 Ra1 Ra8 "
    # The pieces stand as at the start for the fifth time, but with fewer rights.
    assert played(setup, rooks * 4).end is None
    assert played(setup, rooks * 4 + "Rb1 Rb8").end == drawn("fivefold_repetition")


def test_en_passant_counts_only_where_it_is_legal() -> None:
    # After 1.e4 nobody can capture on e3, so the position is the same as when the knights are back.
    assert played(None, "e4 " + "Nf6 Nf3 Ng8 Ng1 " * 4).end == drawn("fivefold_repetition")
    # Here it can be captured, once.
    passing = "4k3/8/8/8/3p4/8/4P3/4K2R w - - 0 1"
    assert played(passing, "e4 " + "Kd7 Rg1 Ke8 Rh1 " * 4).end is None


def test_the_150th_ply_without_capture_or_pawn_move_ends_the_game() -> None:
    almost = Position("7k/8/5K2/8/8/8/8/R7 w - - 148 90")
    after_149 = CHESS.play(almost, "Ra2")
    assert after_149.end is None
    assert CHESS.play(after_149.position, "Kg8").end == drawn("seventyfive_moves")


def test_mate_on_the_150th_ply_stands_before_the_75_moves() -> None:
    assert CHESS.play(Position("7k/8/6K1/8/8/8/8/R7 w - - 149 90"), "Ra8").end == won(Side.WHITE)


def test_a_capture_on_the_150th_ply_goes_on() -> None:
    assert CHESS.play(Position("7k/8/6K1/8/8/p7/8/R7 w - - 149 90"), "Rxa3").end is None


@pytest.mark.parametrize(
    ("notation", "repetitions", "reason"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", b"", "checkmate"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 150 99", b"", "checkmate"),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", b"", "stalemate"),
        ("7k/5K2/8/8/8/8/8/8 b - - 0 1", b"", "dead_position"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 150 99", b"", "seventyfive_moves"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 40 60", (b"position" + b"another.") * 16 + b"position", "fivefold_repetition"),
    ],
)
def test_nothing_is_played_after_the_end(notation: str, repetitions: bytes, reason: str) -> None:
    position = Position(notation, repetitions)
    end = CHESS.end(position)
    assert isinstance(end, End)
    assert end.reason == reason
    for move in ("Kg8", "h8g8", "a1a2", "nonsense", ""):
        with pytest.raises(IllegalMove, match=f"the game is over: {reason}"):
            CHESS.play(position, move)
    assert CHESS.claims(position) == ()
