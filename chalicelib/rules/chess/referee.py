"""The referee of chess and Chess960 (FIDE Laws of Chess 2023; articles in brackets), on the `chess` library."""

from __future__ import annotations

from typing import Final

import chess
from msgspec import Struct

from chalicelib.core.sides import Side
from chalicelib.rules.chess.moves import move_of
from chalicelib.rules.chess.notation import board_of, notation_of
from chalicelib.rules.chess.repetitions import KEY_BYTES, extended, key_of, occurrences
from chalicelib.rules.chess.setups import board_of_setup
from chalicelib.rules.referee import End, IllegalMove, IllegalSetup, Played, Position

THREEFOLD: Final = 3
"""Occurrences of a position that let the side to move claim a draw (9.2)."""

FIVEFOLD: Final = 5
"""Occurrences of a position that end the game (9.6.1)."""

FIFTY_MOVES: Final = 100
"""Plies without a capture or pawn move that let the side to move claim a draw (9.3)."""

SEVENTYFIVE_MOVES: Final = 150
"""Plies without a capture or pawn move that end the game, unless the last one mates (9.6.2)."""

_PLIES_TO_FIVEFOLD: Final = 16


class ChessReferee(Struct, frozen=True):
    """Judge of "chess" or "chess960".

    A game starts from the usual position or from a set-up (see `setups`). Of several ends on one ply, mate stands
    before all, then dead position, stalemate, 75 moves, fivefold repetition. Positions whose material excludes any
    mate are dead (5.2.2); other dead positions go on until a side's time runs out, when `can_win` decides (6.9).

    >>> judge = ChessReferee("chess")
    >>> played = judge.play(judge.start(None), "e4")
    >>> played.move, played.position.notation
    ('e2e4', 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1')
    """

    kind: str

    @property
    def _is_chess960(self) -> bool:
        return self.kind == "chess960"

    def start(self, setup: str | None) -> Position:
        """The position of a set-up, None for the usual one. Raises IllegalSetup, also where the game would be over."""
        board = board_of_setup(setup, is_chess960=self._is_chess960)
        notation = notation_of(board)
        position = Position(notation, key_of(notation))
        if ended := _end(board, position.repetitions):
            raise IllegalSetup(f"the game would be over before it begins: {ended.reason}")
        return position

    def to_move(self, position: Position) -> Side:
        """Whose turn it is."""
        return Side.of_letter(position.notation.split(" ", 2)[1])

    def play(self, position: Position, move: str) -> Played:
        """Play a move in UCI or SAN; the answer spells it in UCI. Raises IllegalMove, also when the game is over.

        >>> judge = ChessReferee("chess")
        >>> judge.play(judge.start(None), "e2e5")
        Traceback (most recent call last):
        ...
        chalicelib.rules.referee.IllegalMove: the pawn on e2 cannot play e2e5; it may play e2e3, e2e4
        """
        board = self._board(position)
        chosen = self._legal(board, position, move)
        rights = board.castling_rights
        board.push(chosen)
        notation = notation_of(board)
        is_irreversible = board.halfmove_clock == 0 or board.castling_rights != rights
        keys = extended(position.repetitions, notation, is_irreversible=is_irreversible)
        return Played(Position(notation, keys), chosen.uci(), _end(board, keys))

    def end(self, position: Position) -> End | None:
        """The end that the position has by itself; None while the game goes on."""
        return _end(self._board(position), position.repetitions)

    def claims(self, position: Position) -> tuple[str, ...]:
        """Draws the side to move may claim on the position as it stands (9.2, 9.3)."""
        board = self._board(position)
        if _end(board, position.repetitions):
            return ()
        open_claims = []
        if occurrences(position.repetitions) >= THREEFOLD:
            open_claims.append("threefold_repetition")
        if board.halfmove_clock >= FIFTY_MOVES:
            open_claims.append("fifty_moves")
        return tuple(open_claims)

    def can_win(self, position: Position, side: Side) -> bool:
        """Whether `side` may still mate by some series of legal moves (6.9); False only where proven impossible.

        Bounded work, see `unwinnable`; what cannot be decided within it counts as possible.

        >>> judge = ChessReferee("chess")
        >>> locked = Position("4k3/8/8/p1p1p1p1/PpPpPpPp/1P1P1P1P/8/4KB2 w - - 0 1")
        >>> judge.can_win(locked, Side.WHITE), judge.can_win(judge.start(None), Side.WHITE)
        (False, True)
        """
        # Only a fallen flag asks this; a move need not pay for the import.
        from chalicelib.rules.chess.unwinnable import is_unwinnable

        return not is_unwinnable(self._board(position), chess.WHITE if side is Side.WHITE else chess.BLACK)

    def notate(self, position: Position, move: str) -> str:
        """The move in SAN. Raises IllegalMove.

        >>> judge = ChessReferee("chess")
        >>> judge.notate(judge.start(None), "g1f3")
        'Nf3'
        """
        board = self._board(position)
        return board.san(move_of(board, move))

    def _board(self, position: Position) -> chess.Board:
        return board_of(position.notation, is_chess960=self._is_chess960)

    def _legal(self, board: chess.Board, position: Position, move: str) -> chess.Move:
        # Mate and stalemate leave no legal move, so the search for any is saved until a move has been refused.
        if _end_by_rule(board, position.repetitions) is None:
            try:
                return move_of(board, move)
            except IllegalMove:
                if _end(board, position.repetitions) is None:
                    raise
        ended = _end(board, position.repetitions)
        raise IllegalMove(f"the game is over: {ended.reason if ended else 'by rule'}")


def _end(board: chess.Board, keys: bytes) -> End | None:
    has_move = any(board.generate_legal_moves())
    if not has_move and board.is_check():
        return End("checkmate", Side.BLACK if board.turn else Side.WHITE)
    by_rule = _end_by_rule(board, keys)
    if has_move or (by_rule and by_rule.reason == "dead_position"):
        return by_rule
    return End("stalemate", None)


def _end_by_rule(board: chess.Board, keys: bytes) -> End | None:
    """The end of a position that is neither mate nor stalemate."""
    if board.is_insufficient_material():
        return End("dead_position", None)
    if board.halfmove_clock >= SEVENTYFIVE_MOVES:
        return End("seventyfive_moves", None)
    if len(keys) > _PLIES_TO_FIVEFOLD * KEY_BYTES and occurrences(keys) >= FIVEFOLD:
        return End("fivefold_repetition", None)
    return None
