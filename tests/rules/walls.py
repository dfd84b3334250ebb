"""Random positions in which proofs of "cannot win" have something to say."""

from __future__ import annotations

import random

import chess


def walled(numbers: random.Random, pieces: str, *, most_pieces: int = 3) -> chess.Board:
    """A legal position of kings, some of `pieces`, and pawns of which most are blocked by the next."""
    while True:
        board = chess.Board(None)
        for file in numbers.sample(range(8), numbers.randint(3, 8)):
            rank = numbers.randint(1, 5)
            board.set_piece_at(chess.square(file, rank), chess.Piece(chess.PAWN, chess.WHITE))
            if numbers.random() < 0.9:
                board.set_piece_at(chess.square(file, rank + 1), chess.Piece(chess.PAWN, chess.BLACK))
        empty = [square for square in chess.SQUARES if not board.piece_at(square)]
        numbers.shuffle(empty)
        for piece in ("K", "k", *numbers.choices(pieces, k=numbers.randint(0, most_pieces))):
            board.set_piece_at(empty.pop(), chess.Piece.from_symbol(piece))
        board.turn = numbers.random() < 0.5
        if board.is_valid():
            return board
