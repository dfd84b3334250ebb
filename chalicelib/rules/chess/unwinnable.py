"""Positions in which a side can never mate, whatever both sides play (FIDE Laws 6.9, at flag fall).

The answer costs a player half a point, so it is one-sided: "unwinnable" needs a proof, everything else counts as
winnable. Four proofs are tried, from the cheapest on, all of them sound and bounded:

1. material: what is left of the side cannot mate at all;
2. confinement: where every piece can ever get, no mate can be put together (`confinement`);
3. roaming bishops: all positions that can follow, bishops allowed anywhere (`exploration`);
4. exploration: all positions that can follow, exactly (`exploration`).

A position that has ended is covered as well: the side that has been mated, or either side after stalemate, cannot win.
The 75-move and fivefold rules are left out of account, as the Laws ask for any series of legal moves.
"""

from __future__ import annotations

from typing import Final

import chess

from chalicelib.rules.chess.confinement import Confinement
from chalicelib.rules.chess.exploration import Finding, explore, explore_roaming

ROAMING_BOUND: Final = 2_000
"""Moves played, at 10 to 20 us of CPU each."""

EXPLORATION_BOUND: Final = 14_000
"""Moves played, at 10 to 20 us of CPU each."""


def is_unwinnable(board: chess.Board, side: chess.Color) -> bool:
    """True only if no series of legal moves lets `side` mate.

    >>> is_unwinnable(chess.Board("8/8/4k3/8/8/3NK3/8/8 w - - 0 1"), chess.WHITE)
    True
    >>> is_unwinnable(chess.Board("8/8/4k3/p7/8/3NK3/8/8 w - - 0 1"), chess.WHITE)
    False
    """
    if board.has_insufficient_material(side):
        return True
    # Castling moves two pieces past each other; where it is still possible nothing is confined yet.
    if not board.castling_rights:
        if not Confinement(board).may_mate(side):
            return True
        if explore_roaming(board, side, ROAMING_BOUND) is Finding.NO_MATE:
            return True
    return explore(board, side, EXPLORATION_BOUND) is Finding.NO_MATE
