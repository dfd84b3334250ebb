"""Who is expected to win, before anybody plays: by the shown standings of both sides. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, hypot, pi, sqrt
from typing import Final

from msgspec import Struct

from chalicelib.ratings.board import shown
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.glicko2 import SCALE
from chalicelib.ratings.model import Partition, Projection, Standing, Values, pair_of
from chalicelib.ratings.plackett_luce import win_probability
from chalicelib.ratings.replay import UNRATED

Members = tuple[str, ...]
_PAIR: Final = 2


class MemberTwice(ValueError):
    """Somebody cannot play with or against themselves."""


class NoPair(ValueError):
    """A pair has two members."""


class SinglePlayersOnly(ValueError):
    """Pools rate one player against one other."""


class Prediction(Struct, frozen=True):
    """The score that side A may expect, between 0 and 1: its chance to win, in pools with draws counted as halves.

    `unrated` are the subjects who stand with the start values, since they have not played in the partition.
    """

    score: float
    unrated: tuple[str, ...]


def subjects_of(
    partition: Partition, projection: Projection, a: Members, b: Members
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who is rated on either side. Raises MemberTwice, NoPair, SinglePlayersOnly.

    >>> subjects_of(Partition("GLOBAL"), "pair", ("bert", "anna"), ("carl", "dora"))
    (('anna+bert',), ('carl+dora',))
    """
    everybody = a + b
    if len(set(everybody)) < len(everybody):
        raise MemberTwice("a member is named twice")
    if partition.scope == "POOL" and (projection == "pair" or len(everybody) > _PAIR):
        raise SinglePlayersOnly("a pool rates one player against one other")
    if projection == "individual":
        return a, b
    if len(a) != _PAIR or len(b) != _PAIR:
        raise NoPair("a pair has two members")
    return (pair_of(a),), (pair_of(b),)


def predicted(
    partition: Partition,
    a: tuple[str, ...],
    b: tuple[str, ...],
    standings: Mapping[str, Standing],
    runs: Runs,
    as_of_ms: int,
) -> Prediction:
    """What may be expected of the subjects of side A against those of side B, as they stand at an instant."""
    start = UNRATED["glicko2" if partition.scope == "POOL" else "plackett_luce"]

    def values(subject: str) -> Values:
        return shown(partition, subject, standings.get(subject, start), runs, as_of_ms).values

    values_a, values_b = [values(subject) for subject in a], [values(subject) for subject in b]
    score = (
        expected_score(values_a[0], values_b[0]) if partition.scope == "POOL" else win_probability(values_a, values_b)
    )
    return Prediction(score, tuple(subject for subject in a + b if subject not in standings))


def expected_score(a: Values, b: Values) -> float:
    """The score that player A may expect of a game in a pool, with the deviations of both (Glickman).

    >>> round(expected_score((1700.0, 60.0, 0.06), (1500.0, 60.0, 0.06)), 4)
    0.7524
    """
    deviation = hypot(a[1], b[1]) / SCALE
    g = 1 / sqrt(1 + 3 * deviation**2 / pi**2)
    return 1 / (1 + exp(-g * (a[0] - b[0]) / SCALE))
