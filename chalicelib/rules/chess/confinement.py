"""Where each piece can ever get, and whether a mate can be among it: a static analysis.

It answers for all legal continuations at once by allowing more than they do: every piece moves whenever it could be its
turn, and what may be out of the way is. Starting from the squares where the pieces stand, the sets of squares grow
until nothing is added. Three facts bound the growth, and each holds in every legal game:

* A square whose occupant can neither move nor be captured is never empty: nothing passes it or enters it.
* A king never enters a square attacked by a piece that can neither move nor be captured.
* Pawns of one file keep their order as long as they stay on it: a pawn that has not captured stays behind the enemy
  pawn it faced, and behind its own pawn ahead of it, unless that one is captured, captures, or (its own) promotes.

By induction over the plies of a game: as long as every piece stands inside its set, the next ply leads into it again.
So a mate that cannot be put together from these sets cannot happen. The reverse does not hold; the analysis proves that
mate is impossible, never that it is possible.
"""

from __future__ import annotations

from typing import Final

import chess
from msgspec import Struct

from chalicelib.rules.chess.bitboards import (
    pawn_steps,
    pawn_strikes,
    promoted_strikes,
    strikes,
)

_LAST_RANKS: Final = chess.BB_RANK_1 | chess.BB_RANK_8


class _Track(Struct, eq=False):
    """Where one piece can get.

    `walk` holds the squares it reaches as what it is, for a pawn those on its file before any capture; `stray` those of
    a pawn after its first capture; `promoted` those of a pawn that has become a piece. Pieces keep the last two empty.
    """

    colour: chess.Color
    kind: chess.PieceType
    home: chess.Bitboard
    walk: chess.Bitboard
    stray: chess.Bitboard = chess.BB_EMPTY
    promoted: chess.Bitboard = chess.BB_EMPTY
    ahead: list[_Track] = []

    @property
    def all(self) -> chess.Bitboard:
        return self.walk | self.stray | self.promoted


class Confinement:
    """The squares that every piece of a position can ever reach. The position must have no castling rights."""

    def __init__(self, board: chess.Board) -> None:
        self._tracks = [
            _Track(piece.color, piece.piece_type, chess.BB_SQUARES[square], chess.BB_SQUARES[square])
            for square, piece in board.piece_map().items()
        ]
        self._link_files()
        self._homes = {colour: board.occupied_co[colour] & ~board.kings for colour in chess.COLORS}
        self._removable = chess.BB_EMPTY
        self._en_passant = {colour: chess.BB_EMPTY for colour in chess.COLORS}
        if board.ep_square is not None:
            target = chess.BB_SQUARES[board.ep_square]
            self._en_passant[board.turn] = target
            self._removable = pawn_steps(target, not board.turn)
        # Squares that are empty now or can become so.
        self._free = ~board.occupied & chess.BB_ALL | self._removable
        while self._grow():
            pass

    def may_mate(self, side: chess.Color) -> bool:
        """False if no mate by `side` can be put together from squares the pieces can reach.

        In a mate the king stands in check, and each square next to it is attacked or held by a piece of its own side.
        """
        king = self._king(not side)
        hunter = self._king(side).walk
        struck = self._struck_by_pieces(side, self._free | king.walk)
        shields = [track.all for track in self._tracks if track.colour != side and track is not king]
        for square in chess.scan_forward(king.walk & struck):
            left = chess.BB_KING_ATTACKS[square] & ~struck
            near = chess.BB_KING_ATTACKS[square] | chess.BB_SQUARES[square]
            for hunting in chess.scan_forward(hunter & ~near):
                if _can_be_held(left & ~chess.BB_KING_ATTACKS[hunting], shields):
                    return True
        return False

    def _king(self, side: chess.Color) -> _Track:
        return next(track for track in self._tracks if track.kind == chess.KING and track.colour == side)

    def _struck_by_pieces(self, side: chess.Color, free: chess.Bitboard) -> chess.Bitboard:
        """Squares that anything of `side` but its king can ever attack."""
        struck = chess.BB_EMPTY
        for track in self._tracks:
            if track.colour == side and track.kind != chess.KING:
                struck |= strikes(track.kind, side, track.walk | track.stray, free)
                struck |= promoted_strikes(track.promoted, free)
        return struck

    def _link_files(self) -> None:
        pawns = [track for track in self._tracks if track.kind == chess.PAWN]
        for pawn in pawns:
            for other in pawns:
                is_higher = other.home > pawn.home
                if _file(other) == _file(pawn) and other is not pawn and is_higher == pawn.colour:
                    pawn.ahead.append(other)

    def _grow(self) -> bool:
        """One round of growth; whether anything was added."""
        before = (self._free, self._removable, [(track.walk, track.stray, track.promoted) for track in self._tracks])
        prey, forbidden = self._prey(), self._forbidden_to_kings()
        for track in self._tracks:
            if track.kind == chess.PAWN:
                self._grow_pawn(track, prey[not track.colour])
            else:
                reached = strikes(track.kind, track.colour, track.walk, self._free) & self._enterable(track.colour)
                if track.kind == chess.KING:
                    reached &= ~forbidden[track.colour]
                track.walk |= reached
            if track.all & ~track.home:
                self._free |= track.home
        self._find_removable()
        return before != (
            self._free,
            self._removable,
            [(track.walk, track.stray, track.promoted) for track in self._tracks],
        )

    def _enterable(self, colour: chess.Color) -> chess.Bitboard:
        return self._free | self._homes[not colour]

    def _prey(self) -> dict[chess.Color, chess.Bitboard]:
        """For each colour the squares on which a piece of it may stand to be captured."""
        prey = {chess.WHITE: chess.BB_EMPTY, chess.BLACK: chess.BB_EMPTY}
        for track in self._tracks:
            if track.kind != chess.KING:
                prey[track.colour] |= track.all
        return prey

    def _forbidden_to_kings(self) -> dict[chess.Color, chess.Bitboard]:
        """For each colour the squares that pieces of the other, which never move nor vanish, attack for ever."""
        forbidden = {chess.WHITE: chess.BB_EMPTY, chess.BLACK: chess.BB_EMPTY}
        for track in self._tracks:
            if not track.home & self._free:
                # What never moves is hemmed in: its lines end on the squares next to it.
                forbidden[not track.colour] |= strikes(track.kind, track.colour, track.home, chess.BB_EMPTY)
        return forbidden

    def _grow_pawn(self, pawn: _Track, prey: chess.Bitboard) -> None:
        colour = pawn.colour
        free_ahead = self._free & self._short_of_pawns_ahead(pawn)
        step = pawn_steps(pawn.walk, colour) & free_ahead
        strayed = pawn_strikes(pawn.walk | pawn.stray, colour) & (prey | self._en_passant[colour])
        pawn.stray |= strayed | pawn_steps(pawn.stray, colour) & self._free
        # A double step ends where two rounds of single steps do.
        pawn.walk |= step
        became = (pawn.walk | pawn.stray) & _LAST_RANKS | pawn.promoted
        pawn.promoted = became | promoted_strikes(became, self._free) & self._enterable(colour)

    def _short_of_pawns_ahead(self, pawn: _Track) -> chess.Bitboard:
        """Squares the order on its file leaves to a pawn that has not captured."""
        short = chess.BB_ALL
        for other in pawn.ahead:
            if other.stray or other.home & self._removable:
                continue
            if other.colour != pawn.colour:
                short &= _short_of(other.home, pawn.colour)
            elif not other.promoted:
                farthest = chess.msb(other.walk) if pawn.colour else chess.lsb(other.walk)
                short &= _short_of(chess.BB_SQUARES[farthest], pawn.colour)
        return short

    def _find_removable(self) -> None:
        """Pieces that an enemy may capture, wherever the two can meet."""
        captors = {chess.WHITE: chess.BB_EMPTY, chess.BLACK: chess.BB_EMPTY}
        for track in self._tracks:
            captors[track.colour] |= track.stray | track.promoted if track.kind == chess.PAWN else track.walk
        for track in self._tracks:
            if track.kind != chess.KING and track.all & captors[not track.colour]:
                self._removable |= track.home
        self._free |= self._removable


def _file(track: _Track) -> int:
    return chess.square_file(chess.lsb(track.home))


def _short_of(bound: chess.Bitboard, colour: chess.Color) -> chess.Bitboard:
    """Squares of ranks before that of `bound`, seen by `colour`, and the rest of that rank up to it."""
    return bound - 1 if colour else chess.BB_ALL & ~(bound - 1 | bound)


def _can_be_held(squares: chess.Bitboard, shields: list[chess.Bitboard]) -> bool:
    """Whether there may be a piece for each square; a piece holds one square only."""
    useful = [shield & squares for shield in shields if shield & squares]
    holdable = chess.BB_EMPTY
    for shield in useful:
        holdable |= shield
    return holdable == squares and len(useful) >= chess.popcount(squares)
