"""The steps on which the proofs of "cannot win" stand, each against games that are really played.

A proof says that something never happens in any game; these tests play games at random and look whether it does.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess
import pytest

from chalicelib.rules.chess import exploration
from chalicelib.rules.chess.confinement import Confinement
from chalicelib.rules.chess.exploration import Finding, explore, explore_roaming
from tests.rules.walls import walled

PASSING = "4k3/8/8/8/1pPp4/8/1P6/4K3 b - c3 0 1"
"""A pawn has just passed two that may capture it."""

SEEDS = range(15)


def random_game(board: chess.Board, numbers: random.Random, plies: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Each position of a game with the move about to be played; captures and pawn moves come often."""
    for _ in range(plies):
        moves = list(board.legal_moves)
        if not moves:
            return
        forward = [move for move in moves if board.is_zeroing(move)]
        move = numbers.choice(forward if forward and numbers.random() < 0.4 else moves)
        yield board, move
        board.push(move)


def roots(numbers: random.Random, pieces: str) -> Iterator[chess.Board]:
    yield chess.Board(PASSING)
    for most_pieces in (*[3] * 8, *[12] * 4):
        yield walled(numbers, pieces, most_pieces=most_pieces)


class Whereabouts:
    """Which piece of the first position stands where."""

    def __init__(self, board: chess.Board) -> None:
        self.home = {square: square for square in board.piece_map()}

    def push(self, board: chess.Board, move: chess.Move) -> None:
        if board.is_en_passant(move):
            del self.home[chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))]
        self.home[move.to_square] = self.home.pop(move.from_square)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_piece_leaves_the_squares_it_is_confined_to(seed: int) -> None:
    numbers = random.Random(seed)
    for root in roots(numbers, "BbNnRrQq"):
        tracks = {chess.lsb(track.home): track for track in Confinement(root)._tracks}
        where = Whereabouts(root)
        for board, move in random_game(root.copy(), numbers, 60):
            where.push(board, move)
            home = where.home[move.to_square]
            is_promoted = tracks[home].kind == chess.PAWN != board.piece_type_at(move.from_square)
            reach = tracks[home].promoted if is_promoted or move.promotion else tracks[home].walk | tracks[home].stray
            assert reach & chess.BB_SQUARES[move.to_square], (root.fen(), board.fen(), move)


def test_whoever_mates_was_allowed_to_by_the_confinement() -> None:
    numbers = random.Random(1)
    mates = 0
    for _ in range(300):
        root = walled(numbers, "RrQq")
        for board, move in random_game(root.copy(), numbers, 60):
            board.push(move)
            is_mate = board.is_checkmate()
            board.pop()
            if is_mate:
                mates += 1
                assert Confinement(root).may_mate(board.turn), (root.fen(), board.fen(), move)
    assert mates > 10


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_played_with_bishops_is_found_without_them(seed: int) -> None:
    numbers = random.Random(seed)
    for root in roots(numbers, "BbBbNn"):
        roamers = exploration._Roamers.of(root)
        for board, move in random_game(root.copy(), numbers, 40):
            if move.promotion:
                break
            before = _without_bishops(board)
            try:
                found = {exploration._key(following) for following in exploration._roaming_moves(before, roamers)}
            except exploration._OutOfBounds:
                break
            after = board.copy()
            after.push(move)
            played = _without_bishops(after)
            assert not played.was_into_check()
            assert exploration._key(played) in found, (root.fen(), board.fen(), move)


def _without_bishops(board: chess.Board) -> chess.Board:
    bare = board.copy(stack=False)
    for square in chess.scan_forward(board.bishops):
        bare.remove_piece_at(square)
    return bare


@pytest.mark.parametrize(
    "mate",
    [
        "k7/p1K5/8/8/8/8/6B1/8 b - - 0 1",
        "7k/8/4BBK1/8/8/8/8/8 b - - 0 1",
        "4K2B/8/8/8/8/8/p7/kb6 b - - 0 1",
        "6nk/5KBb/8/8/8/8/8/8 b - - 0 1",
        "kb6/8/8/1K1B4/8/8/8/6B1 b - - 0 1",
        "8/8/8/8/8/KN6/p7/kb6 b - - 0 1",
        "kb6/b7/8/8/1K6/8/8/7B b - - 0 1",
    ],
)
def test_a_mate_with_bishops_is_suspected_without_them(mate: str) -> None:
    board = chess.Board(mate)
    assert board.is_checkmate()
    for shown in (board, board.mirror()):
        winner = not shown.turn
        roamers = exploration._Roamers.of(shown)
        assert exploration._may_be_mate(_without_bishops(shown), roamers)
        assert Confinement(shown).may_mate(winner)
        assert explore(shown, winner, 100) is Finding.MATE
        assert explore_roaming(shown, winner, 100) is Finding.UNDECIDED


@pytest.mark.parametrize("seed", SEEDS)
def test_the_key_of_a_move_is_that_of_the_position_after_it(seed: int) -> None:
    numbers = random.Random(seed)
    foretold = 0
    for root in (*roots(numbers, "BbNnRrQq"), chess.Board()):
        for board, _ in random_game(root, numbers, 40):
            for move in board.legal_moves:
                key = exploration._key_after(board, move)
                if key:
                    foretold += 1
                    board.push(move)
                    assert key == exploration._key(board), (board.fen(), move)
                    board.pop()
    assert foretold > 1_000


def test_the_bound_is_kept() -> None:
    slow = chess.Board("k7/p1p1p3/8/8/P7/6p1/2P1P1Pp/7K w - - 0 1")
    frontier = exploration._Frontier(3)
    for _ in range(3):
        frontier.count_move()
    with pytest.raises(exploration._OutOfBounds):
        frontier.count_move()
    assert explore(slow, chess.WHITE, 100) is Finding.UNDECIDED
    assert slow.fen() == "k7/p1p1p3/8/8/P7/6p1/2P1P1Pp/7K w - - 0 1"


def test_a_promotion_in_reach_leaves_roaming_undecided() -> None:
    locked, promoting = "8/1p6/1PpB4/k1P5/p1P5/P7/5K2/8 w - - 0 1", "8/1p5P/1PpB4/k1P5/p1P5/P7/5K2/8 w - - 0 1"
    assert explore_roaming(chess.Board(locked), chess.BLACK, 5_000) is Finding.NO_MATE
    assert explore_roaming(chess.Board(promoting), chess.BLACK, 5_000) is Finding.UNDECIDED


def test_rights_are_part_of_the_key() -> None:
    with_rights, without = chess.Board("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"), chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert exploration._key(with_rights) != exploration._key(without)
    passing, too_late = chess.Board(PASSING), chess.Board(PASSING.replace("c3", "-"))
    assert exploration._key(passing) != exploration._key(too_late)


def test_a_piece_that_cannot_move_can_still_be_captured() -> None:
    hemmed_in = chess.Board("4k3/8/8/8/8/1p1p4/1P1P4/2B1K3 b - - 0 1")
    assert not hemmed_in.attacks_mask(chess.C1) & ~hemmed_in.occupied
    freed = Confinement(hemmed_in)
    assert freed._free & chess.BB_C1
