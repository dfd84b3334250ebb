"""What the tests of the chess referee share: starts, and games played from them."""

from __future__ import annotations

from chalicelib.core.sides import Side
from chalicelib.rules import referee
from chalicelib.rules.referee import End, Played

CHESS = referee("chess")
CHESS960 = referee("chess960")

SETUPS = (
    None,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "4k3/P6p/8/3pP3/8/8/p6P/4K3 w - d6 0 1",
    "6k1/8/8/3b4/3B4/8/8/1K6 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b Qk - 97 60",
    "7k/8/5K2/8/8/8/8/R7 b - - 143 99",
)
"""Starts of chess: the usual one, castling both ways, promotions and en passant, bare pieces, clocks far on."""

SETUPS_960 = (
    "0",
    "518",
    "959",
    "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w BGbg - 0 1",
)


def played(setup: str | None, moves: str, kind: str = "chess") -> Played:
    """The last of some moves, played from a set-up; a ply after an end would raise."""
    judge = referee(kind)
    position, last = judge.start(setup), None
    for move in moves.split():
        last = judge.play(position, move)
        position = last.position
    assert last is not None
    return last


def won(by: Side, reason: str = "checkmate") -> End:
    return End(reason, by)


def drawn(reason: str) -> End:
    return End(reason, None)
