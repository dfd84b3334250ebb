"""The referee of chess and Chess960 (FIDE Laws of Chess 2023), on the `chess` library."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

import chess

from chalicelib.core.sides import Side
from chalicelib.rules.referee import End, IllegalMove, IllegalSetup, Played, Position

_KEY: Final = 8
_LONGEST_SETUP: Final = 128
_FEN_FIELDS: Final = 6
_SHOWN: Final = 8


def _side(colour: chess.Color) -> Side:
    return Side.WHITE if colour == chess.WHITE else Side.BLACK


@dataclass(frozen=True, slots=True)
class ChessReferee:
    """Judge of "chess" (usual start or set-up FEN) or "chess960" (set-up FEN or start number)."""

    kind: str

    @property
    def _is_960(self) -> bool:
        return self.kind == "chess960"

    def start(self, setup: str | None) -> Position:
        """The position of a FEN, or the usual one. Raises IllegalSetup."""
        if setup is None:
            setup = chess.STARTING_FEN
        if len(setup) > _LONGEST_SETUP or len(setup.split()) != _FEN_FIELDS:
            raise IllegalSetup("a set-up is a FEN of six fields")
        try:
            board = chess.Board(setup, chess960=self._is_960)
        except ValueError as error:
            raise IllegalSetup(f"not a FEN: {error}") from error
        status = board.status()
        if status != chess.STATUS_VALID:
            raise IllegalSetup(f"not a legal position: {status!r}")
        position = Position(self._fen(board), _key(board))
        if ended := self._end(board, position.repetitions):
            raise IllegalSetup(f"the game would be over before it begins: {ended.reason}")
        return position

    def to_move(self, position: Position) -> Side:
        return Side.WHITE if position.notation.split(" ", 2)[1] == "w" else Side.BLACK

    def play(self, position: Position, move: str) -> Played:
        board = self._board(position)
        if ended := self._end(board, position.repetitions):
            raise IllegalMove(f"the game is over: {ended.reason}")
        played = self._parsed(board, move)
        spelled = board.uci(played)
        board.push(played)
        key = _key(board)
        seen = key if board.halfmove_clock == 0 else position.repetitions + key
        after = Position(self._fen(board), seen)
        return Played(after, spelled, self._end(board, seen))

    def end(self, position: Position) -> End | None:
        return self._end(self._board(position), position.repetitions)

    def claims(self, position: Position) -> tuple[str, ...]:
        found = []
        if _times_seen(position.repetitions) >= 3:  # noqa: PLR2004 - threefold
            found.append("threefold_repetition")
        if int(position.notation.split()[4]) >= 100:  # noqa: PLR2004 - fifty moves of both
            found.append("fifty_moves")
        return tuple(found)

    def can_win(self, position: Position, side: Side) -> bool:
        colour = chess.WHITE if side is Side.WHITE else chess.BLACK
        return not self._board(position).has_insufficient_material(colour)

    def notate(self, position: Position, move: str) -> str:
        board = self._board(position)
        return board.san(self._parsed(board, move))

    def _board(self, position: Position) -> chess.Board:
        return chess.Board(position.notation, chess960=self._is_960)

    def _fen(self, board: chess.Board) -> str:
        return board.fen(shredder=self._is_960)

    def _parsed(self, board: chess.Board, move: str) -> chess.Move:
        try:
            played = board.parse_uci(move)
        except ValueError:
            played = chess.Move.null()
        if not played:
            legal = ", ".join(board.uci(one) for one in list(board.legal_moves)[:_SHOWN])
            raise IllegalMove(f"{move[:_SHOWN]!r} is not legal; legal are for instance {legal}")
        return played

    def _end(self, board: chess.Board, seen: bytes) -> End | None:
        if not any(board.generate_legal_moves()):
            if board.is_check():
                return End("checkmate", _side(not board.turn))
            return End("stalemate", None)
        if board.is_insufficient_material():
            return End("dead_position", None)
        if board.halfmove_clock >= 150:  # noqa: PLR2004 - 75 moves of both
            return End("seventyfive_moves", None)
        if _times_seen(seen) >= 5:  # noqa: PLR2004 - fivefold
            return End("fivefold_repetition", None)
        return None


def _key(board: chess.Board) -> bytes:
    return blake2b(board.epd(en_passant="legal").encode(), digest_size=_KEY).digest()


def _times_seen(seen: bytes) -> int:
    last = seen[-_KEY:]
    return sum(1 for start in range(0, len(seen), _KEY) if seen[start : start + _KEY] == last)
