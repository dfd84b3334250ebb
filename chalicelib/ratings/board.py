"""Boards: the standings of a projection as they are shown at an instant, in order, by pages. Nothing of it is stored.

Clubs, events, seasons and the whole world list everybody; who has played less than ten games comes after the others
(settled 23). A pool lists only who has played thirty games and is established (seed 003).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from chalicelib.ratings import glicko2
from chalicelib.ratings.decay import Runs, decays, shown_sigma
from chalicelib.ratings.model import Partition, Standing, Values
from chalicelib.ratings.plackett_luce import ordinal

POOL_GAMES: Final = 30
POOL_DEVIATION_BELOW: Final = 110.0
"""A board of a pool lists deviations below this. The mark `?` has a bound of its own, `glicko2.ESTABLISHED_BELOW`."""

BOOKMARK: Final = re.compile(r"(-?[0-9]{1,15}):([01]):(-?[0-9]+(?:\.[0-9]+)?(?:e[+-][0-9]+)?):(.+)", re.ASCII)

Order = tuple[bool, float, str]


class Shown(Struct, frozen=True):
    """A standing as it is shown at an instant.

    `values` are those of the standing with decay laid over them, or with the deviation aged; `value` is what is
    compared: the ordinal, in pools the rating. Provisional is a standing of less than ten games, in pools one whose
    deviation is not below `glicko2.ESTABLISHED_BELOW`: it is shown with a `?`.
    """

    subject: str
    standing: Standing
    values: Values
    value: float
    is_provisional: bool

    @property
    def margin(self) -> int:
        """The uncertainty as a whole number: `±80` is a deviation of 80 (seed 003)."""
        return round(self.values[1])

    @property
    def rounded(self) -> int:
        """The value as a player reads it, and as a range of ratings is compared with it."""
        return round(self.value)

    @property
    def label(self) -> str:
        """The rating of a pool as a player reads it: `1337? ±249`, or `1483 ±107` once it is established."""
        return f"{self.rounded}{'?' if self.is_provisional else ''} ±{self.margin}"

    @property
    def order(self) -> Order:
        """Boards are in ascending order of this."""
        return self.is_provisional, -self.value, self.subject


class Row(Struct, frozen=True):
    """A line of a board. Who cannot be told apart by the value shares the better rank, and the next is left out."""

    rank: int
    shown: Shown


class Bookmark(Struct, frozen=True):
    """Where a page ended: the order of its last row, and the instant the board was shown as of.

    The pages that follow are shown as of the same instant, so that time alone moves no row between two pages; and they
    start after a place, not after a number of rows, so that rows which come and go elsewhere shift nothing.
    """

    as_of_ms: int
    after: Order

    @property
    def text(self) -> str:
        is_provisional, negated, subject = self.after
        return f"{self.as_of_ms}:{is_provisional:d}:{negated!r}:{subject}"

    @staticmethod
    def of_text(text: str) -> Bookmark:
        """Raises ValueError for what `BOOKMARK` does not match.

        >>> Bookmark.of_text(Bookmark(5, (True, -13.72, "anna+bert")).text)
        Bookmark(as_of_ms=5, after=(True, -13.72, 'anna+bert'))
        """
        parts = BOOKMARK.fullmatch(text)
        if parts is None:
            raise ValueError(f"{text!r} is no bookmark")
        return Bookmark(int(parts[1]), (parts[2] == "1", float(parts[3]), parts[4]))


class Page(Struct, frozen=True):
    """Some rows of a board, and the bookmark for the page after them; None at the end."""

    rows: tuple[Row, ...]
    next: Bookmark | None


def shown(partition: Partition, subject: str, standing: Standing, runs: Runs, as_of_ms: int) -> Shown:
    """A standing of any partition as it is shown at an instant; `runs` is the ledger of decay."""
    if partition.scope == "POOL":
        values = glicko2.at(standing, as_of_ms)
        return Shown(subject, standing, values, values[0], values[1] >= glicko2.ESTABLISHED_BELOW)
    mu, sigma = standing.values
    if decays(partition):
        sigma = shown_sigma(sigma, runs.since(standing.last_at_ms, as_of_ms))
    return Shown(subject, standing, (mu, sigma), ordinal(mu, sigma), standing.is_provisional)


def board(partition: Partition, standings: Mapping[str, Standing], runs: Runs, as_of_ms: int) -> tuple[Row, ...]:
    """The whole board of one projection of a partition, best first."""
    everybody = (shown(partition, subject, standing, runs, as_of_ms) for subject, standing in standings.items())
    listed = (each for each in everybody if partition.scope != "POOL" or _is_on_pool_board(each))
    return tuple(_ranked(sorted(listed, key=lambda each: each.order)))


def page(rows: Sequence[Row], as_of_ms: int, after: Bookmark | None, limit: int) -> Page:
    """At most `limit` rows after a bookmark. `as_of_ms` is the instant of the board: that of the bookmark, if any."""
    start = 0 if after is None else bisect_right(rows, after.after, key=lambda row: row.shown.order)
    some = tuple(rows[start : start + limit])
    more = start + limit < len(rows)
    return Page(some, Bookmark(as_of_ms, some[-1].shown.order) if more else None)


def _is_on_pool_board(shown: Shown) -> bool:
    return shown.standing.games >= POOL_GAMES and shown.values[1] < POOL_DEVIATION_BELOW


def _ranked(in_order: Iterable[Shown]) -> Iterable[Row]:
    rank, before = 0, None
    for number, each in enumerate(in_order, 1):
        if (each.is_provisional, each.value) != before:
            rank, before = number, (each.is_provisional, each.value)
        yield Row(rank, each)
