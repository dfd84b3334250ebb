"""FIDE 6.9: who can still mate at flag fall. A wrong "cannot" takes a won half point, so it must never occur."""

from __future__ import annotations

import random
from collections import deque

import chess
import pytest

from chalicelib.core.sides import Side
from chalicelib.rules import referee
from chalicelib.rules.chess.confinement import Confinement
from chalicelib.rules.chess.exploration import Finding, explore, explore_roaming
from chalicelib.rules.chess.unwinnable import is_unwinnable
from chalicelib.rules.referee import Position
from tests.rules.walls import walled

# Pieces of White and Black besides the kings, and whether White can mate with help.
MATERIAL = [
    ("", "q", False),
    ("N", "", False),
    ("B", "", False),
    ("N", "q", False),
    ("B", "q", False),
    ("B", "r", False),
    ("N", "n", True),
    ("N", "b", True),
    ("N", "r", True),
    ("N", "p", True),
    ("B", "n", True),
    ("B", "p", True),
    ("NN", "", True),
    ("R", "", True),
    ("Q", "q", True),
    ("P", "", True),
]

# Who can mate: w, b, wb or nobody. All made for these tests.
POSITIONS = {
    "usual start": (chess.STARTING_FEN, "wb"),
    "wall of pawns with a way round it": ("4k3/8/8/p1p1p3/P1P1P3/8/8/4K3 w - - 0 1", "wb"),
    "closed wall of pawns": ("4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - 0 1", ""),
    "closed wall, bishops held by it": ("2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 b - - 0 1", ""),
    "closed wall, a knight that jumps it": ("4k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2N1K3 w - - 0 1", "wb"),
    "closed wall but for one pawn move": ("4k3/8/6p1/1p1p1p2/1P1P1P1P/8/8/4K3 w - - 0 1", "wb"),
    "stalemate": ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", ""),
    "White has mated": ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "w"),
    "the only move takes the last piece": ("k7/1Q6/8/8/8/8/8/6K1 b - - 0 1", ""),
    "the only move is forced into stalemate": ("k7/P7/K7/8/8/8/8/8 b - - 0 1", ""),
    "pawns that are about to pass": ("4k3/8/8/p7/8/1P6/8/4K3 w - - 0 1", "wb"),
    "castling is still possible": ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "w"),
    "en passant opens the wall": ("4k3/8/8/p1p1p1p1/PpP1P1P1/1P6/8/4K3 b - c3 0 1", "wb"),
    "en passant would open the wall, too late": ("4k3/8/8/p1p1p1p1/PpP1P1P1/1P6/8/4K3 b - - 0 1", ""),
    "a bishop that mates far from its king": ("kb6/p7/8/p1p1pBp1/P1P1P1P1/8/8/4K3 w - - 0 1", "wb"),
}


@pytest.mark.parametrize(("white", "black", "can"), MATERIAL)
def test_material_decides(white: str, black: str, can: bool) -> None:
    board = chess.Board(None)
    board.set_piece_at(chess.A1, chess.Piece.from_symbol("K"))
    board.set_piece_at(chess.H8, chess.Piece.from_symbol("k"))
    for square, piece in zip((chess.D4, chess.D3, chess.F6), white + black, strict=False):
        board.set_piece_at(square, chess.Piece.from_symbol(piece))
    board.turn = chess.WHITE
    for judge in (referee("chess"), referee("chess960")):
        assert judge.can_win(Position(board.fen()), Side.WHITE) is can
        assert judge.can_win(Position(board.mirror().fen()), Side.BLACK) is can


def test_bishops_of_both_sides_mate_only_on_squares_of_both_colours() -> None:
    judge = referee("chess")
    assert judge.can_win(Position("7k/8/5b2/8/3B4/8/8/K7 w - - 0 1"), Side.WHITE) is False
    assert judge.can_win(Position("7k/8/6b1/8/3B4/8/8/K7 w - - 0 1"), Side.WHITE) is True


@pytest.mark.parametrize(("fen", "able"), POSITIONS.values(), ids=POSITIONS)
def test_positions(fen: str, able: str) -> None:
    judge = referee("chess")
    assert judge.can_win(Position(fen), Side.WHITE) is ("w" in able)
    assert judge.can_win(Position(fen), Side.BLACK) is ("b" in able)


@pytest.mark.parametrize(("fen", "able"), POSITIONS.values(), ids=POSITIONS)
def test_exchanging_the_colours_exchanges_the_answers(fen: str, able: str) -> None:
    mirrored = chess.Board(fen).mirror()
    assert is_unwinnable(mirrored, chess.BLACK) is ("w" not in able)
    assert is_unwinnable(mirrored, chess.WHITE) is ("b" not in able)


def helpmate_exists(board: chess.Board, side: chess.Color, most: int) -> bool:
    """Breadth first over whole boards: slow, and sharing nothing with the code under test."""
    seen, waiting = {board.epd()}, deque([board])
    while waiting and len(seen) < most:
        current = waiting.popleft()
        if current.turn != side and current.is_checkmate():
            return True
        for move in current.legal_moves:
            following = current.copy(stack=False)
            following.push(move)
            if following.epd() not in seen:
                seen.add(following.epd())
                waiting.append(following)
    return False


@pytest.mark.parametrize("seed", range(12))
def test_where_a_helpmate_is_found_no_proof_says_there_is_none(seed: int) -> None:
    numbers = random.Random(seed)
    for _ in range(12):
        board = walled(numbers, "BbNn", most_pieces=2)
        confinement = Confinement(board)
        for side in chess.COLORS:
            proofs = (
                not confinement.may_mate(side),
                explore_roaming(board, side, 500) is Finding.NO_MATE,
                explore(board, side, 500) is Finding.NO_MATE,
            )
            if any(proofs):
                assert not helpmate_exists(board, side, 1_500), (board.fen(), side, proofs)


@pytest.mark.parametrize("seed", range(10))
def test_before_a_mate_the_winner_could_win(seed: int) -> None:
    numbers = random.Random(seed)
    board = chess.Board("6rk/5ppp/8/8/8/8/PPP5/KR5Q w - - 0 1")
    for _ in range(200):
        if board.is_game_over():
            break
        mates = [move for move in board.legal_moves if board.gives_check(move) and _mates(board, move)]
        board.push(mates[0] if mates else numbers.choice(list(board.legal_moves)))
    winner = not board.turn if board.is_checkmate() else None
    while winner is not None and board.move_stack:
        assert not is_unwinnable(board, winner), board.fen()
        board.pop()


def _mates(board: chess.Board, move: chess.Move) -> bool:
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


def test_nothing_is_confined_in_the_usual_position_without_castling() -> None:
    confinement = Confinement(chess.Board("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"))
    assert confinement.may_mate(chess.WHITE)
    assert confinement.may_mate(chess.BLACK)
