"""A real game of 80 plies, thought about for as long as people think about moves by correspondence."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from chalicelib.core.durations import HOUR, MINUTE
from infra.local.play import read, split

PLIES: Final = 80


def moves(plies: int = PLIES) -> tuple[str, ...]:
    """The first moves of the game, in UCI."""
    (text,) = split(Path(__file__).with_suffix(".pgn").read_text(encoding="utf-8"))
    return read(1, text).moves[:plies]


def thought_ms(ply: int) -> int:
    """How long the ply of this number is thought about: from ten minutes to two days, a day on average.

    >>> sum(thought_ms(ply) for ply in range(PLIES)) // PLIES // HOUR
    23
    """
    return 10 * MINUTE + ply * 37 % 60 * HOUR * 4 // 5 + ply * 7_919 % 1_000
