"""Pools: games of this server that rate together, by kind and time class (seed 003)."""

from __future__ import annotations

from chalicelib.clock.profiles import time_class
from chalicelib.ratings.model import Partition


def pool(kind: str, *base_ms: int) -> Partition:
    """The pool of a game: its kind, and the time class of the longer base time of its sides.

    The increment does not count. Whether a game rates at all is asked elsewhere (one from a set-up position of its own
    does not).

    >>> pool("chess", 180_000, 181_000)
    Partition(scope='POOL', ref='chess/rapid')
    """
    return Partition("POOL", f"{kind}/{time_class(max(base_ms))}")
