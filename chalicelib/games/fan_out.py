"""What a committed change means for others. The stream is the only outbox: nothing is told before it is stored.

A batch that fails is delivered again as a whole, and images may come late, so everything here may be repeated. Only an
end that a referee takes back is different: the index cannot show that something is left to do for a game that runs, so
what follows from it is stored with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pynamodb.transactions import TransactWrite

from chalicelib.games import rated, rows, store
from chalicelib.games.model import Game
from chalicelib.ratings import marking
from chalicelib.ratings.model import Change, Partition


def ended(game: Game) -> None:
    """An ended game moves in its players' lists and rates; then it leaves the index, which shows that this was done.

    If a referee has taken the end back meanwhile, everything is done again for the game as it stands now, so that a
    late image never has the last word.
    """
    while True:
        rows.rewrite_rows(game)
        rated.report(game)
        current = store.leave_index(game) if game.is_over else store.load(game.id)
        if current is None or current.result == game.result:
            return
        game = current


class TakenBack:
    """What follows from an end that is taken back: list rows, and the pool in which the game has been rated."""

    def __init__(self, after: Game) -> None:
        self._game = after
        self._changes: Mapping[Partition, Change] = rated.changes_of(after)

    def add(self, transaction: TransactWrite) -> None:
        """Add it to the transaction that takes the end back."""
        rows.bring_back(transaction, self._game)
        marking.mark(transaction, self._changes)

    def announce(self) -> None:
        """Wake who waits for it, once it is stored."""
        marking.wake(self._changes)
