"""Positions that games may start from: a FEN, or in Chess960 also a number."""

from __future__ import annotations

import re
from typing import Final

import chess

from chalicelib.rules.referee import IllegalSetup

LONGEST_SETUP: Final = 120
"""Characters; the longest FEN with clocks of four digits has 98."""

USUAL_CHESS960: Final = 518
"""The number of the usual chess position among the 960."""

_FEWEST_FIELDS: Final = 4
_MOST_FIELDS: Final = 6
_NUMBERS: Final = 960
_NUMBER: Final = re.compile(r"[0-9]{1,3}")
_FIELDS: Final = (
    ("the board", re.compile(r"[pnbrqkPNBRQK1-8]+(/[pnbrqkPNBRQK1-8]+){7}"), "eight ranks from the eighth down"),
    ("the side to move", re.compile(r"[wb]"), "w or b"),
    ("the castling rights", re.compile(r"-|[KQkqA-Ha-h]{1,4}"), "for instance KQkq or -"),
    ("the en passant square", re.compile(r"-|[a-h][36]"), "a square such as e3, or -"),
    ("the halfmove clock", re.compile(r"[0-9]{1,4}"), "a number such as 0"),
    ("the move number", re.compile(r"[0-9]{1,4}"), "a number such as 1"),
)
_FAULTS: Final = {
    chess.STATUS_NO_WHITE_KING: "White has no king",
    chess.STATUS_NO_BLACK_KING: "Black has no king",
    chess.STATUS_TOO_MANY_KINGS: "a side has more than one king",
    chess.STATUS_TOO_MANY_WHITE_PAWNS: "White has more than eight pawns",
    chess.STATUS_TOO_MANY_BLACK_PAWNS: "Black has more than eight pawns",
    chess.STATUS_PAWNS_ON_BACKRANK: "a pawn stands on the first or the eighth rank",
    chess.STATUS_TOO_MANY_WHITE_PIECES: "White has more than sixteen pieces",
    chess.STATUS_TOO_MANY_BLACK_PIECES: "Black has more than sixteen pieces",
    chess.STATUS_BAD_CASTLING_RIGHTS: "a castling right needs its king and rook at home",
    chess.STATUS_INVALID_EP_SQUARE: "no pawn has just passed the en passant square",
    chess.STATUS_OPPOSITE_CHECK: "the side that is not to move is in check",
    chess.STATUS_EMPTY: "the board is empty",
    chess.STATUS_TOO_MANY_CHECKERS: "the king is in check from more pieces than one move can bring",
    chess.STATUS_IMPOSSIBLE_CHECK: "no last move can have given this check",
}


def board_of_setup(setup: str | None, *, is_chess960: bool) -> chess.Board:
    """The board of a set-up; None is the usual chess position in both kinds.

    A set-up is a FEN; the clocks may be missing ("0 1"). Chess960 also takes a position number from "0" to "959", and
    castling rights as X-FEN or Shredder-FEN. Raises IllegalSetup for what is no FEN and for illegal positions; whether
    the game would be over at once is for the referee to say.

    >>> board_of_setup("4k3/8/8/8/8/8/4P3/4K3 b - -", is_chess960=False).fen()
    '4k3/8/8/8/8/8/4P3/4K3 b - - 0 1'
    >>> board_of_setup("0", is_chess960=True).fen()
    'bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1'
    >>> board_of_setup("4k3/8/8/8/8/8/4P3/8 w - - 0 1", is_chess960=False)
    Traceback (most recent call last):
    ...
    chalicelib.rules.referee.IllegalSetup: the position is not legal: White has no king
    """
    if setup is None:
        return chess.Board.from_chess960_pos(USUAL_CHESS960) if is_chess960 else chess.Board()
    if len(setup) > LONGEST_SETUP:
        raise IllegalSetup(f"a set-up has at most {LONGEST_SETUP} characters, this one has {len(setup)}")
    if is_chess960 and _NUMBER.fullmatch(setup):
        return _numbered(int(setup))
    return _legal(_read(setup, is_chess960=is_chess960))


def _numbered(number: int) -> chess.Board:
    if number >= _NUMBERS:
        raise IllegalSetup(f"the positions of Chess960 are numbered from 0 to {_NUMBERS - 1}, {number} is none of them")
    return chess.Board.from_chess960_pos(number)


def _read(setup: str, *, is_chess960: bool) -> chess.Board:
    fields = setup.split()
    if not _FEWEST_FIELDS <= len(fields) <= _MOST_FIELDS:
        other = ', or a number from "0" to "959"' if is_chess960 else ""
        raise IllegalSetup(
            f"a set-up is a FEN of six fields (board, side, castling, en passant, two clocks){other};"
            f" this one has {len(fields)}"
        )
    for field, (name, pattern, right) in zip(fields, _FIELDS, strict=False):
        if not pattern.fullmatch(field):
            raise IllegalSetup(f"{name} in a FEN is {right}, not {field!a}")
    try:
        return chess.Board(" ".join(fields), chess960=is_chess960)
    except ValueError as error:
        raise IllegalSetup(f"the set-up is not a FEN: {error}") from error


def _legal(board: chess.Board) -> chess.Board:
    status = board.status()
    faults = [words for flag, words in _FAULTS.items() if status & flag]
    if status != chess.STATUS_VALID:
        raise IllegalSetup(f"the position is not legal: {'; '.join(faults) or status.name}")
    return board
