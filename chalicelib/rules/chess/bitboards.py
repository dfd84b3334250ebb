"""Where sets of pieces can go: whole sets of squares moved at once.

A set of squares is a `chess.Bitboard`. Every function answers for all its squares together, which is what an analysis
needs that asks where pieces can ever get, not where they stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import chess

Shift = Callable[[chess.Bitboard], chess.Bitboard]

ORTHOGONALS: Final[tuple[Shift, ...]] = (chess.shift_up, chess.shift_down, chess.shift_left, chess.shift_right)
DIAGONALS: Final[tuple[Shift, ...]] = (
    chess.shift_up_left,
    chess.shift_up_right,
    chess.shift_down_left,
    chess.shift_down_right,
)
LINES: Final[dict[chess.PieceType, tuple[Shift, ...]]] = {
    chess.BISHOP: DIAGONALS,
    chess.ROOK: ORTHOGONALS,
    chess.QUEEN: ORTHOGONALS + DIAGONALS,
}


def slides(squares: chess.Bitboard, lines: tuple[Shift, ...], free: chess.Bitboard) -> chess.Bitboard:
    """Squares on the lines from `squares`, each up to and including the first that is not free.

    >>> chess.SquareSet(slides(chess.BB_A1, ORTHOGONALS, ~(chess.BB_A3 | chess.BB_C1))) == chess.SquareSet(
    ...     chess.BB_A2 | chess.BB_A3 | chess.BB_B1 | chess.BB_C1
    ... )
    True
    """
    found = chess.BB_EMPTY
    for shift in lines:
        front = shift(squares)
        while front:
            found |= front
            front = shift(front & free)
    return found


def king_steps(squares: chess.Bitboard) -> chess.Bitboard:
    """Squares next to any of `squares`.

    >>> king_steps(chess.BB_A1) == chess.BB_A2 | chess.BB_B1 | chess.BB_B2
    True
    """
    rows = squares | chess.shift_left(squares) | chess.shift_right(squares)
    return chess.shift_up(rows) | chess.shift_down(rows) | chess.shift_left(squares) | chess.shift_right(squares)


def knight_steps(squares: chess.Bitboard) -> chess.Bitboard:
    """Squares a knight's move away from any of `squares`.

    >>> knight_steps(chess.BB_A1) == chess.BB_B3 | chess.BB_C2
    True
    """
    near = chess.shift_left(squares) | chess.shift_right(squares)
    far = chess.shift_2_left(squares) | chess.shift_2_right(squares)
    return chess.shift_2_up(near) | chess.shift_2_down(near) | chess.shift_up(far) | chess.shift_down(far)


def pawn_steps(squares: chess.Bitboard, colour: chess.Color) -> chess.Bitboard:
    """Squares straight ahead of pawns, one step.

    >>> pawn_steps(chess.BB_E2, chess.WHITE) == chess.BB_E3
    True
    """
    return chess.shift_up(squares) if colour else chess.shift_down(squares)


def pawn_strikes(squares: chess.Bitboard, colour: chess.Color) -> chess.Bitboard:
    """Squares that pawns attack.

    >>> pawn_strikes(chess.BB_A7, chess.BLACK) == chess.BB_B6
    True
    """
    ahead = pawn_steps(squares, colour)
    return chess.shift_left(ahead) | chess.shift_right(ahead)


def strikes(
    kind: chess.PieceType, colour: chess.Color, squares: chess.Bitboard, free: chess.Bitboard
) -> chess.Bitboard:
    """Squares attacked by pieces of one kind from any of `squares`; lines pass through `free`.

    >>> strikes(chess.PAWN, chess.WHITE, chess.BB_A2, chess.BB_ALL) == chess.BB_B3
    True
    """
    if kind == chess.PAWN:
        return pawn_strikes(squares, colour)
    if kind == chess.KNIGHT:
        return knight_steps(squares)
    if kind == chess.KING:
        return king_steps(squares)
    return slides(squares, LINES[kind], free)


def promoted_strikes(squares: chess.Bitboard, free: chess.Bitboard) -> chess.Bitboard:
    """Squares attacked from any of `squares` by whatever a pawn may have become.

    >>> chess.SquareSet(promoted_strikes(chess.BB_A8, chess.BB_EMPTY))
    SquareSet(0x0207_0200_0000_0000)
    """
    return slides(squares, LINES[chess.QUEEN], free) | knight_steps(squares)
