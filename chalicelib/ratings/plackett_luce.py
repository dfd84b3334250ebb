"""The Plackett-Luce model of Weng and Lin (2011, algorithm 4) as OpenSkill computes it, with its default parameters.

Two sides are rated by a closed form that makes the same operations in the same order as the pinned `openskill`, so
its results are the same bits (`x**2`, for instance, is not always the same double as `x * x`); a property test holds
the two together. Everything that is not two sides goes through the library.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from chalicelib.ratings.model import Values, Winner

MU: Final = 25.0
SIGMA: Final = 25.0 / 3.0
START: Final[Values] = (MU, SIGMA)
BETA: Final = 25.0 / 6.0
TAU: Final = 25.0 / 300.0
KAPPA: Final = 0.0001
Z: Final = 3

_BETA_SQUARED: Final = BETA**2
_TAU_SQUARED: Final = TAU * TAU
_standard_normal: Final = NormalDist()

Side = Sequence[Values]


class Parameters(Struct, frozen=True):
    """What the library can be asked to do differently; every rating of the product has the defaults."""

    beta: float = BETA
    tau: float = TAU
    kappa: float = KAPPA
    limit_sigma: bool = False


DEFAULTS: Final = Parameters()


def ordinal(mu: float, sigma: float) -> float:
    """The value that is compared and shown: the strength less a margin for what is not known (seed 002).

    >>> ordinal(28.0, 5.0)
    13.0
    """
    return mu - Z * sigma


def win_probability(a: Side, b: Side) -> float:
    """The chance that side A beats side B by the formula of seed 002, with 1 beta^2; the library's has 2 beta^2.

    >>> round(win_probability([(30.0, 4.0)], [(20.0, 4.0)]), 6)
    0.922681
    """
    lead = sum(mu for mu, _ in a) - sum(mu for mu, _ in b)
    variance = sum(sigma * sigma for _, sigma in (*a, *b))
    return _standard_normal.cdf(lead / sqrt(variance + _BETA_SQUARED))


def rate(
    teams: Sequence[Side], ranks: Sequence[int], parameters: Parameters = DEFAULTS
) -> tuple[tuple[Values, ...], ...]:
    """New (mu, sigma) of all players after a game of any number of teams; the lower rank is the better, equal is a tie.

    >>> rate([[START], [START]], [2, 1])
    (((22.364610506859503, 8.06590141354368),), ((27.635389493140497, 8.06590141354368),))
    """
    if len(teams) == 2 and parameters == DEFAULTS:  # noqa: PLR2004
        a, b = teams
        after = rate_sides(a, b, "A" if ranks[0] < ranks[1] else "B" if ranks[1] < ranks[0] else "")
        return after[: len(a)], after[len(a) :]
    return _by_library(teams, ranks, parameters)


def rate_sides(a: Side, b: Side, winner: Winner) -> tuple[Values, ...]:
    """New (mu, sigma) of the players of two sides of any size: those of A in their order, then those of B."""
    shape = len(a), len(b)
    if shape == (2, 2):
        return rate_2v2(a[0], a[1], b[0], b[1], winner)
    if shape == (1, 1):
        return rate_1v1(a[0], b[0], winner)
    a, b = _drifted(a), _drifted(b)
    mu_a, variance_a = _team(a)
    mu_b, variance_b = _team(b)
    omega_a, delta_a, omega_b, delta_b = _steps(mu_a, variance_a, mu_b, variance_b, winner)
    return _moved(a, variance_a, omega_a, delta_a) + _moved(b, variance_b, omega_b, delta_b)


def rate_1v1(a: Values, b: Values, winner: Winner) -> tuple[Values, Values]:
    """`rate_sides` for one against one, unrolled.

    A single player is the whole variance of his side, so his share is 1. The floor kappa of the variance is left out:
    with two sides and the default parameters the factor is always above 3/4.
    """
    mu_a, sigma_a = a
    mu_b, sigma_b = b
    sigma_a = sqrt(sigma_a * sigma_a + _TAU_SQUARED)
    sigma_b = sqrt(sigma_b * sigma_b + _TAU_SQUARED)
    omega_a, delta_a, omega_b, delta_b = _steps(mu_a, sigma_a**2, mu_b, sigma_b**2, winner)
    return (mu_a + omega_a, sigma_a * sqrt(1 - delta_a)), (mu_b + omega_b, sigma_b * sqrt(1 - delta_b))


def rate_2v2(a: Values, b: Values, c: Values, d: Values, winner: Winner) -> tuple[Values, Values, Values, Values]:
    """`rate_sides` for a and b (side A) against c and d (side B), unrolled."""
    mu_a, sigma_a = a
    mu_b, sigma_b = b
    mu_c, sigma_c = c
    mu_d, sigma_d = d
    sigma_a = sqrt(sigma_a * sigma_a + _TAU_SQUARED)
    sigma_b = sqrt(sigma_b * sigma_b + _TAU_SQUARED)
    sigma_c = sqrt(sigma_c * sigma_c + _TAU_SQUARED)
    sigma_d = sqrt(sigma_d * sigma_d + _TAU_SQUARED)
    var_a, var_b, var_c, var_d = sigma_a**2, sigma_b**2, sigma_c**2, sigma_d**2
    var_ab, var_cd = var_a + var_b, var_c + var_d
    omega_ab, delta_ab, omega_cd, delta_cd = _steps(mu_a + mu_b, var_ab, mu_c + mu_d, var_cd, winner)
    share_a, share_b, share_c, share_d = var_a / var_ab, var_b / var_ab, var_c / var_cd, var_d / var_cd
    return (
        (mu_a + share_a * omega_ab, sigma_a * sqrt(1 - share_a * delta_ab)),
        (mu_b + share_b * omega_ab, sigma_b * sqrt(1 - share_b * delta_ab)),
        (mu_c + share_c * omega_cd, sigma_c * sqrt(1 - share_c * delta_cd)),
        (mu_d + share_d * omega_cd, sigma_d * sqrt(1 - share_d * delta_cd)),
    )


def _steps(
    mu_a: float, variance_a: float, mu_b: float, variance_b: float, winner: Winner
) -> tuple[float, float, float, float]:
    """Omega and delta of either side: what moves its mu, and by what share its variance shrinks.

    Called with the sums over the players of a side, after tau.
    """
    c = sqrt((variance_a + _BETA_SQUARED) + (variance_b + _BETA_SQUARED))
    weight_a, weight_b = exp(mu_a / c), exp(mu_b / c)
    total = weight_a + weight_b
    p_a, p_b = weight_a / total, weight_b / total
    if winner == "A":
        omega_a, omega_b = 1 - p_a, -p_b
    elif winner == "B":
        omega_a, omega_b = -p_a, 1 - p_b
    else:
        omega_a, omega_b = (1 - p_a) / 2 - p_a / 2, (1 - p_b) / 2 - p_b / 2
    c_squared = c**2
    return (
        omega_a * (variance_a / c),
        p_a * (1 - p_a) * (variance_a / c_squared) * (sqrt(variance_a) / c),
        omega_b * (variance_b / c),
        p_b * (1 - p_b) * (variance_b / c_squared) * (sqrt(variance_b) / c),
    )


def _drifted(side: Side) -> list[Values]:
    return [(mu, sqrt(sigma * sigma + _TAU_SQUARED)) for mu, sigma in side]


def _team(side: Side) -> tuple[float, float]:
    """Sums of mu and of sigma^2, in the order of the library: for three or more players it decides the last bit.

    `sum` would not do: from Python 3.12 on it compensates, and the library does not.
    """
    team_mu = variance = 0.0
    for mu, sigma in sorted(side, key=lambda player: ordinal(*player), reverse=True):
        team_mu += mu
        variance += sigma**2
    return team_mu, variance


def _moved(side: Side, variance: float, omega: float, delta: float) -> tuple[Values, ...]:
    return tuple(
        (mu + (sigma**2 / variance) * omega, sigma * sqrt(max(1 - (sigma**2 / variance) * delta, KAPPA)))
        for mu, sigma in side
    )


def _by_library(teams: Sequence[Side], ranks: Sequence[int], parameters: Parameters) -> tuple[tuple[Values, ...], ...]:
    """A fresh model and fresh players for every call: `rate` keeps what it is told (`limit_sigma`), overlooks `tau=0`,
    cuts ranks to integers, and moves a player twice that it meets twice."""
    from openskill.models import PlackettLuce

    model = PlackettLuce(
        mu=MU,
        sigma=SIGMA,
        beta=parameters.beta,
        kappa=parameters.kappa,
        tau=parameters.tau,
        limit_sigma=parameters.limit_sigma,
    )
    players = [[model.rating(mu=mu, sigma=sigma) for mu, sigma in team] for team in teams]
    rated = model.rate(players, ranks=list(ranks))
    return tuple(tuple((player.mu, player.sigma) for player in team) for team in rated)
