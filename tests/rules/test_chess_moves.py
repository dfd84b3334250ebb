"""What is accepted as a move, and what the refusal of another one says."""

from __future__ import annotations

import pytest

from chalicelib.core.sides import Side
from chalicelib.rules import referee
from chalicelib.rules.referee import IllegalMove, Position, UnknownKind
from tests.rules.positions import CHESS, played

CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
PROMOTION = "8/P6k/8/8/8/8/8/K7 w - - 0 1"


@pytest.mark.parametrize("move", ["g1f3", "Nf3", "Ngf3", "Ng1f3", "Nf3+"])
def test_uci_and_san_mean_the_same(move: str) -> None:
    answer = CHESS.play(CHESS.start(None), move)
    assert answer.move == "g1f3"
    assert answer.position.notation == "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"


@pytest.mark.parametrize("move", ["e1g1", "e1h1", "O-O", "0-0"])
def test_castling_is_spelled_by_the_way_of_the_king(move: str) -> None:
    answer = CHESS.play(CHESS.start(CASTLING), move)
    assert answer.move == "e1g1"
    assert answer.position.notation == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 1 1"


@pytest.mark.parametrize("piece", "qrbn")
def test_promotion_to_each_piece(piece: str) -> None:
    for move in (f"a7a8{piece}", f"a7a8{piece.upper()}", f"a8={piece.upper()}"):
        answer = CHESS.play(CHESS.start(PROMOTION), move)
        assert answer.move == f"a7a8{piece}"
        assert answer.position.notation.startswith(f"{piece.upper()}7/7k/")


def test_en_passant_takes_the_passed_pawn() -> None:
    answer = played(None, "e4 a6 e5 d5 e5d6")
    assert answer.move == "e5d6"
    assert answer.position.notation == "rnbqkbnr/1pp1pppp/p2P4/8/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 3"


def test_en_passant_stands_in_the_notation_only_when_it_is_legal() -> None:
    assert " e3 " not in played(None, "e4").position.notation
    assert " d6 " in played(None, "e4 a6 e5 d5").position.notation
    pinned = "8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1"
    assert " - " in played(pinned, "e4").position.notation


@pytest.mark.parametrize(
    ("move", "says"),
    [
        ("e4e5", "no piece on e4"),
        ("e7e5", "the pawn on e7 is not yours"),
        ("e2e5", "the pawn on e2 cannot play e2e5; it may play e2e3, e2e4"),
        ("a1a2", "the rook on a1 cannot play a1a2: it has no legal move"),
        ("e2e4q", "the pawn on e2 cannot play e2e4q"),
        ("e1g1", "the king on e1 cannot play e1g1"),
        ("e1e1", "the king on e1 cannot play e1e1"),
        ("0000", "White is to move"),
        ("--", "cannot be passed"),
        ("Z0", "cannot be passed"),
        ("Nd4", "is no move here"),
        ("e2 e4", "is no move here"),
        ("e2e4\n", "is no move here"),
        ("E2E4", "is no move here"),
        ("P@e4", "is no move here"),
        ("", "White is to move"),
        ("é2é4", "is no move here"),
        ("\ud800", "is no move here"),
        ("e２e４", "is no move here"),
        ("e2e4" * 2_500, "10000"),
    ],
)
def test_a_refusal_says_what_is_wrong(move: str, says: str) -> None:
    with pytest.raises(IllegalMove, match=says) as refusal:
        CHESS.play(CHESS.start(None), move)
    assert len(str(refusal.value)) < 200


def test_a_promotion_must_name_its_piece() -> None:
    with pytest.raises(IllegalMove, match="a7a8q, a7a8r, a7a8b or a7a8n"):
        CHESS.play(CHESS.start(PROMOTION), "a7a8")


def test_ambiguous_san_is_refused() -> None:
    two_rooks = Position("7k/8/8/8/8/8/K7/R6R w - - 0 1")
    with pytest.raises(IllegalMove, match="more than one move"):
        CHESS.play(two_rooks, "Rd1")
    assert CHESS.play(two_rooks, "Rad1").move == "a1d1"


def test_a_refusal_says_that_the_king_is_in_check() -> None:
    checked = Position("4k3/8/8/8/8/8/P3r3/4K3 w - - 0 1")
    with pytest.raises(IllegalMove, match="White is to move and in check"):
        CHESS.play(checked, "a2a3")


def test_moves_are_written_as_san() -> None:
    start = CHESS.start(None)
    assert CHESS.notate(start, "g1f3") == "Nf3"
    assert CHESS.notate(played(None, "f3 e5 g4").position, "d8h4") == "Qh4#"
    with pytest.raises(IllegalMove):
        CHESS.notate(start, "e2e5")


def test_the_turn_is_read_off_the_position() -> None:
    assert CHESS.to_move(CHESS.start(None)) is Side.WHITE
    assert CHESS.to_move(played(None, "e4").position) is Side.BLACK


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(UnknownKind, match="chess, chess960"):
        referee("checkers")
