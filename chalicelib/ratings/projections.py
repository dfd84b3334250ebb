"""Who a played result rates: single members, and pairs (decision 4.1.3 of the ratings page).

| members of the sides | individual | pair |
|---|---|---|
| 1:1, 1:2, 2:1 without a pair | all of them | nobody |
| 2:2 | all of them | both pairs |
| 2:0 | nobody | the pair against the default opponent |
| 2:1 | all of them | the pair against the default opponent, or nobody (`PairDefaultOpponent`) |
| 1:0 | nobody | nobody |
"""

from __future__ import annotations

from typing import Final, Literal

from chalicelib.ratings.model import Projection, pair_of

PairDefaultOpponent = Literal["incomplete", "guest_only"]
"""Whom a pair meets in the default opponent: any side that is no pair, or only a side of guests."""

Subjects = tuple[str, ...]
Members = tuple[str, ...]

NOBODY: Final[tuple[Subjects, Subjects]] = ((), ())
_PAIR: Final = 2


def individuals(a: Members, b: Members) -> tuple[Subjects, Subjects]:
    """The members that a result rates one by one: needs a member on both sides.

    >>> individuals(("anna",), ("bert", "carl")), individuals(("anna", "bert"), ())
    ((('anna',), ('bert', 'carl')), ((), ()))
    """
    return (a, b) if a and b else NOBODY


def pairs(a: Members, b: Members, default_opponent: PairDefaultOpponent) -> tuple[Subjects, Subjects]:
    """The pairs that a result rates. One pair alone meets the default opponent, who has no name and is never stored.

    >>> pairs(("bert", "anna"), ("dora",), "incomplete"), pairs(("bert", "anna"), ("dora",), "guest_only")
    ((('anna+bert',), ()), ((), ()))
    """
    if len(a) == _PAIR and len(b) == _PAIR:
        return (pair_of(a),), (pair_of(b),)
    if len(a) == _PAIR and (not b or default_opponent == "incomplete"):
        return (pair_of(a),), ()
    if len(b) == _PAIR and (not a or default_opponent == "incomplete"):
        return (), (pair_of(b),)
    return NOBODY


def subjects(projection: Projection, a: Members, b: Members, default_opponent: PairDefaultOpponent) -> Subjects:
    """All that a result rates in a projection."""
    rated_a, rated_b = individuals(a, b) if projection == "individual" else pairs(a, b, default_opponent)
    return rated_a + rated_b
