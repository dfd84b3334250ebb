"""What players send as a move: UCI ("e2e4", "e7e8q") or SAN ("e4", "exd8=Q+", "O-O")."""

from __future__ import annotations

import re
from typing import Final

import chess

from chalicelib.rules.referee import IllegalMove

LONGEST_MOVE: Final = 12
"""Characters; SAN needs 7 at most, "Qa1xb2#" or "exd8=Q+"."""

_SHOWN: Final = 6
_UCI: Final = re.compile(r"([a-h][1-8])([a-h][1-8])([qrbnQRBN]?)")
_KINGSIDE: Final = 6
_QUEENSIDE: Final = 2


def move_of(board: chess.Board, text: str) -> chess.Move:
    """The legal move that `text` names, in the board's own form (castling in Chess960 as king takes rook).

    Castling may be written as king takes rook or as the king's own way; where in Chess960 that way is also an ordinary
    move of the king, it means the ordinary move. Raises IllegalMove.

    >>> move_of(chess.Board(), "Nf3").uci()
    'g1f3'
    >>> move_of(chess.Board(), "b1b3")
    Traceback (most recent call last):
    ...
    chalicelib.rules.referee.IllegalMove: the knight on b1 cannot play b1b3; it may play b1c3, b1a3
    """
    if len(text) > LONGEST_MOVE:
        raise IllegalMove(
            f"a move has at most {LONGEST_MOVE} characters, this one has {len(text)}: write e2e4 or e7e8q"
        )
    named = _UCI.fullmatch(text)
    if not named:
        return _of_san(board, text)
    try:
        return board.parse_uci(text.lower())
    except ValueError as error:
        move = _castling_by_target(board, *(chess.parse_square(square) for square in named.group(1, 2)))
        if move and not named[3]:
            return move
        raise IllegalMove(_explained(board, text.lower(), chess.parse_square(named[1]))) from error


def _of_san(board: chess.Board, text: str) -> chess.Move:
    try:
        move = board.parse_san(text)
    except ValueError as error:
        wrong = "names more than one move" if isinstance(error, chess.AmbiguousMoveError) else "is no move here"
        raise IllegalMove(f"{text!a} {wrong}: {_turn(board)}, and a move is written e2e4 or e7e8q") from error
    if not move:
        raise IllegalMove(f"a turn cannot be passed: {_turn(board)}")
    return move


def _castling_by_target(board: chess.Board, start: chess.Square, target: chess.Square) -> chess.Move | None:
    """Chess960 castling written as the king's way to the g-file or the c-file."""
    if start != board.king(board.turn) or chess.square_rank(start) != chess.square_rank(target):
        return None
    for move in board.generate_castling_moves():
        goal = _KINGSIDE if board.is_kingside_castling(move) else _QUEENSIDE
        if chess.square_file(target) == goal and start != target:
            return move
    return None


def _explained(board: chess.Board, text: str, start: chess.Square) -> str:
    piece, square = board.piece_at(start), chess.square_name(start)
    if piece is None:
        return f"there is no piece on {square} for {text}: {_turn(board)}"
    name = f"{chess.piece_name(piece.piece_type)} on {square}"
    if piece.color != board.turn:
        return f"the {name} is not yours to play {text}: {_turn(board)}"
    legal = [move.uci() for move in board.generate_legal_moves(chess.BB_SQUARES[start])]
    if not legal:
        return f"the {name} cannot play {text}: it has no legal move; {_turn(board)}"
    if f"{text}q" in legal:
        return f"{text} must say what the pawn becomes: {text}q, {text}r, {text}b or {text}n"
    more = ", ..." if len(legal) > _SHOWN else ""
    return f"the {name} cannot play {text}; it may play {', '.join(legal[:_SHOWN])}{more}"


def _turn(board: chess.Board) -> str:
    side = "White" if board.turn else "Black"
    return f"{side} is to move and in check" if board.is_check() else f"{side} is to move"
