"""Exhaustive walks through the positions that can follow, within a bound.

Two walks, both looking for a mate by one side. `explore` plays every legal move of the position itself.
`explore_roaming` takes bishops off the board and lets them stand anywhere on squares of their colour at any time: it
allows more than the rules, so it can only prove that no mate exists, but it needs no position for each square of a
bishop.

Both are deterministic: the same position always takes the same steps, on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import Final

import chess
from msgspec import Struct

from chalicelib.rules.chess.bitboards import pawn_strikes

_PATIENCE: Final = 250
_GROWTH: Final = 3
_COLOURS_OF_SQUARES: Final = (chess.BB_LIGHT_SQUARES, chess.BB_DARK_SQUARES)
_DOUBLE_STEP: Final = 16
_LAST_RANKS: Final = chess.BB_RANK_1 | chess.BB_RANK_8

_Key = tuple[int, int, int, int, int, int, int, bool, int, int | None]


class Finding(Enum):
    """What a walk has shown."""

    MATE = auto()
    NO_MATE = auto()
    UNDECIDED = auto()


class _OutOfBounds(Exception):
    """The walk would take more than its bound, or cannot represent what comes next."""


class _Frontier:
    """Positions seen, and those still to be expanded.

    Gives up when the bound is reached, and early when the number of positions grows so much faster than they are
    expanded that the bound cannot suffice: positions with an end in sight grow slowly from the first steps on.
    """

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._seen: set[_Key] = set()
        self._waiting: list[chess.Board] = []
        self._expanded = 0
        self._played = 0

    def count_move(self) -> None:
        self._played += 1
        if self._played > self._bound:
            raise _OutOfBounds

    def is_new(self, key: _Key) -> bool:
        """Take note of a position; whether it is seen for the first time."""
        if key in self._seen:
            return False
        self._seen.add(key)
        if len(self._seen) > _PATIENCE + _GROWTH * self._expanded:
            raise _OutOfBounds
        return True

    def expand_later(self, board: chess.Board) -> None:
        self._waiting.append(board)

    def to_expand(self) -> Iterator[chess.Board]:
        while self._waiting:
            self._expanded += 1
            yield self._waiting.pop()


def explore(board: chess.Board, side: chess.Color, bound: int) -> Finding:
    """Whether `side` mates anywhere in the game tree of `board`, playing at most `bound` moves.

    >>> explore(chess.Board("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1"), chess.WHITE, 1_000)
    <Finding.MATE: 1>
    >>> explore(chess.Board("k7/P7/K7/8/8/8/8/8 b - - 0 1"), chess.WHITE, 1_000)
    <Finding.NO_MATE: 2>
    """
    frontier = _Frontier(bound)
    try:
        frontier.is_new(_key(board))
        frontier.expand_later(board.copy(stack=False))
        for current in frontier.to_expand():
            if _expand(current, side, frontier) and current.turn != side and current.is_check():
                return Finding.MATE
    except _OutOfBounds:
        return Finding.UNDECIDED
    return Finding.NO_MATE


def _expand(board: chess.Board, side: chess.Color, frontier: _Frontier) -> bool:
    """Take all legal moves; whether there was none."""
    is_stuck = True
    for move in board.generate_legal_moves():
        is_stuck = False
        frontier.count_move()
        # Most moves lead to a position seen before: ask for that first, playing a move costs five times as much.
        key = _key_after(board, move)
        if key and not frontier.is_new(key):
            continue
        following = board.copy(stack=False)
        following.push(move)
        if (key or frontier.is_new(_key(following))) and not following.has_insufficient_material(side):
            frontier.expand_later(following)
    return is_stuck


class _Roamers(Struct, frozen=True):
    """Bishops taken off: how many each side has on light and on dark squares, and where they may stand."""

    counts: dict[chess.Color, tuple[int, int]]
    squares: dict[chess.Color, chess.Bitboard]

    @classmethod
    def of(cls, board: chess.Board) -> _Roamers:
        counts, squares = {}, {}
        for side in chess.COLORS:
            bishops = board.bishops & board.occupied_co[side]
            light, dark = (chess.popcount(bishops & colour) for colour in _COLOURS_OF_SQUARES)
            counts[side] = (light, dark)
            squares[side] = (chess.BB_LIGHT_SQUARES if light else 0) | (chess.BB_DARK_SQUARES if dark else 0)
        return cls(counts, squares)


def explore_roaming(board: chess.Board, side: chess.Color, bound: int) -> Finding:
    """As `explore`, with bishops allowed everywhere: NO_MATE or UNDECIDED.

    Undecided at once where rooks, queens or castling rights are on the board, and where a promotion comes in reach.
    Nothing blocks an attack by a king, pawn or knight, so taking the bishops off makes no legal move illegal; what the
    bishops do is added as passing, as a capture anywhere, and as something a pawn may capture anywhere.

    >>> explore_roaming(chess.Board("8/1p6/1PpB4/k1P5/p1P5/P7/5K2/8 w - - 0 1"), chess.BLACK, 5_000)
    <Finding.NO_MATE: 2>
    """
    if board.rooks | board.queens | board.castling_rights or not board.bishops:
        return Finding.UNDECIDED
    roamers = _Roamers.of(board)
    root = board.copy(stack=False)
    for square in chess.scan_forward(board.bishops):
        root.remove_piece_at(square)
    frontier = _Frontier(bound)
    try:
        frontier.is_new(_key(root))
        frontier.expand_later(root)
        for current in frontier.to_expand():
            if current.turn != side and _may_be_mate(current, roamers):
                return Finding.UNDECIDED
            for following in _roaming_moves(current, roamers):
                frontier.count_move()
                if not following.was_into_check() and frontier.is_new(_key(following)):
                    frontier.expand_later(following)
    except _OutOfBounds:
        return Finding.UNDECIDED
    return Finding.NO_MATE


def _may_be_mate(board: chess.Board, roamers: _Roamers) -> bool:
    """Whether bishops on the right squares might make this a mate of the side to move."""
    king, hunter = board.king(board.turn), not board.turn
    if king is None or not (roamers.squares[hunter] & chess.BB_SQUARES[king] or board.attackers_mask(hunter, king)):
        return False
    around = chess.BB_KING_ATTACKS[king] & ~roamers.squares[hunter] & ~board.occupied_co[board.turn]
    escapes = chess.BB_EMPTY
    for square in chess.scan_forward(around):
        if not board.attackers_mask(hunter, square):
            escapes |= chess.BB_SQUARES[square]
    blockers = zip(roamers.counts[board.turn], _COLOURS_OF_SQUARES, strict=True)
    return all(chess.popcount(escapes & colour) <= count for count, colour in blockers)


def _roaming_moves(board: chess.Board, roamers: _Roamers) -> Iterable[chess.Board]:
    """Everything that can follow, and more; whether the mover's king is left in check is for the caller to ask."""
    mover, other = board.turn, not board.turn
    for move in board.generate_legal_moves():
        if move.promotion:
            raise _OutOfBounds
        following = board.copy(stack=False)
        following.push(move)
        yield following
    for square in chess.scan_forward(board.pawns & board.occupied_co[mover]):
        struck = pawn_strikes(chess.BB_SQUARES[square], mover) & roamers.squares[other] & ~board.occupied
        if struck & _LAST_RANKS:
            raise _OutOfBounds
        for target in chess.scan_forward(struck):
            following = _passed(board)
            following.remove_piece_at(square)
            following.set_piece_at(target, chess.Piece(chess.PAWN, mover))
            yield following
    if roamers.squares[mover]:
        yield _passed(board)
        for target in chess.scan_forward(roamers.squares[mover] & board.occupied_co[other] & ~board.kings):
            following = _passed(board)
            following.remove_piece_at(target)
            yield following


def _passed(board: chess.Board) -> chess.Board:
    following = board.copy(stack=False)
    following.turn = not board.turn
    following.ep_square = None
    return following


def _key(board: chess.Board) -> _Key:
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.turn,
        board.castling_rights,
        board.ep_square if board.ep_square is not None and board.has_legal_en_passant() else None,
    )


def _key_after(board: chess.Board, move: chess.Move) -> _Key | None:
    """The key of the position after a plain move; None for castling, promotion, en passant and double steps."""
    kind = board.piece_type_at(move.from_square)
    if board.castling_rights or kind is None:
        return None
    if kind == chess.PAWN and (
        move.promotion or move.to_square == board.ep_square or abs(move.to_square - move.from_square) == _DOUBLE_STEP
    ):
        return None
    target = chess.BB_SQUARES[move.to_square]
    others = ~(chess.BB_SQUARES[move.from_square] | target)
    white = board.occupied_co[chess.WHITE] & others
    return (
        board.pawns & others | (target if kind == chess.PAWN else 0),
        board.knights & others | (target if kind == chess.KNIGHT else 0),
        board.bishops & others | (target if kind == chess.BISHOP else 0),
        board.rooks & others | (target if kind == chess.ROOK else 0),
        board.queens & others | (target if kind == chess.QUEEN else 0),
        board.kings & others | (target if kind == chess.KING else 0),
        white | target if board.turn else white,
        not board.turn,
        board.castling_rights,
        None,
    )
