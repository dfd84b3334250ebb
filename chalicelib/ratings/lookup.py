"""What other slices ask of ratings."""

from __future__ import annotations

from collections.abc import Collection

from chalicelib.ratings.board import Shown, shown
from chalicelib.ratings.boards import as_of
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.model import Partition
from chalicelib.ratings.reading import read
from chalicelib.ratings.replay import UNRATED


def in_pool(pool: Partition, players: Collection[str], now_ms: int) -> dict[str, Shown]:
    """The ratings of players in a pool as they are shown now; who is new stands with the start values."""
    known = read(pool, lambda seen: seen.standings("individual", of=players))
    start = UNRATED["glicko2"]
    return {player: shown(pool, player, known.get(player, start), Runs(), as_of(now_ms)) for player in players}
