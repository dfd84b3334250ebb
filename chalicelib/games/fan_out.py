"""What a committed change means for others. The stream is the only outbox: nothing is told before it is stored.

A batch that fails is delivered again as a whole, and images may come late, so everything here may be repeated.
"""

from __future__ import annotations

from chalicelib.games import rated, rows, store
from chalicelib.games.model import Game


def ended(game: Game) -> None:
    """An ended game moves in its players' lists and rates; then it leaves the index, which shows that this was done."""
    rows.rewrite_rows(game)
    rated.report(game)
    store.leave_index(game)
