"""FEN to board and back, fast, for positions that this package wrote itself.

A move parses one FEN and writes one. The `chess` library does both square by square (about 100 us together); here the
rows of a FEN become bitboards as binary numbers, which takes a quarter of that. Nothing is checked: what players send
goes through `setups` instead.
"""

from __future__ import annotations

from typing import Final

import chess

_LETTERS: Final = "PNBRQKpnbrqk"
_EMPTY_RUNS: Final = {str(run): "." * run for run in range(8, 0, -1)}


def _digits(letters: str) -> dict[int, str]:
    """A table for `str.translate`: "1" for the given letters, "0" for every other square."""
    return {ord(letter): "1" if letter in letters else "0" for letter in _LETTERS + "."}


_SPREAD: Final = {ord(run): dots for run, dots in _EMPTY_RUNS.items()}
_WHITE: Final = _digits("PNBRQK")
_BLACK: Final = _digits("pnbrqk")
_PIECES: Final = tuple(_digits(letter + letter.lower()) for letter in "PNBRQK")
_BLANK: Final = (b"." * 8 + b"/") * 7 + b"." * 8
# Where a square stands in a blank placement: the eighth rank comes first, and each rank is nine characters long.
_PLACE: Final = tuple(9 * (7 - square // 8) + square % 8 for square in range(64))


def board_of(notation: str, *, is_chess960: bool = False) -> chess.Board:
    """The board of a FEN of six fields that is known to be well formed.

    >>> board_of(chess.STARTING_FEN) == chess.Board()
    True
    """
    placement, turn, castling, en_passant, halfmoves, fullmoves = notation.split(" ")
    rows = placement.translate(_SPREAD).split("/")
    # Square h8 is the highest bit of a bitboard, so every row is read from the h-file to the a-file.
    squares = "".join([row[::-1] for row in rows])
    board = chess.Board(None, chess960=is_chess960)
    pieces = [int(squares.translate(table), 2) for table in _PIECES]
    board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings = pieces
    white, black = int(squares.translate(_WHITE), 2), int(squares.translate(_BLACK), 2)
    board.occupied_co[chess.WHITE], board.occupied_co[chess.BLACK] = white, black
    board.occupied = white | black
    board.turn = turn == "w"
    if castling != "-":
        board.set_castling_fen(castling)
    board.ep_square = None if en_passant == "-" else chess.parse_square(en_passant)
    board.halfmove_clock, board.fullmove_number = int(halfmoves), int(fullmoves)
    return board


def notation_of(board: chess.Board) -> str:
    """The FEN of a board; the en passant square stands in it only when such a capture is legal.

    In Chess960 castling rights are written as X-FEN: KQkq for the outermost rooks, the file for others.

    >>> notation_of(chess.Board())
    'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'
    """
    placement = bytearray(_BLANK)
    kinds = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    for offset, side in ((0, board.occupied_co[chess.WHITE]), (6, board.occupied_co[chess.BLACK])):
        for number, kind in enumerate(kinds):
            letter = ord(_LETTERS[offset + number])
            for square in chess.scan_forward(kind & side):
                placement[_PLACE[square]] = letter
    text = placement.decode("ascii")
    for run, dots in _EMPTY_RUNS.items():
        text = text.replace(dots, run)
    turn = "w" if board.turn else "b"
    castling = board.castling_xfen() if board.castling_rights else "-"
    en_passant = "-"
    if board.ep_square is not None and board.has_legal_en_passant():
        en_passant = chess.SQUARE_NAMES[board.ep_square]
    return f"{text} {turn} {castling} {en_passant} {board.halfmove_clock} {board.fullmove_number}"
