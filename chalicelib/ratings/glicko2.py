"""Glicko-2 (Glickman 2012/2022), a game at a time, for the pools of games played on this server.

Constants are those the ratings page recommends (section 3). A game updates both players from their values before it;
deviations grow with the time between games, and not by a step for every game, which would keep them above 60 for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, log, pi, sqrt
from typing import Final

from chalicelib.core.durations import DAY
from chalicelib.ratings.model import Standing, Values

START: Final[Values] = (1500.0, 350.0, 0.06)
TAU: Final = 0.5
CONVERGED: Final = 1e-6
SCALE: Final = 173.7178
CENTRE: Final = 1500.0
LEAST_RATING: Final = 400.0
MOST_RATING: Final = 4000.0
LEAST_DEVIATION: Final = 45.0
MOST_DEVIATION: Final = 350.0
MOST_VOLATILITY: Final = 0.1
MOST_STEP: Final = 700.0
PERIODS_PER_DAY: Final = 0.21436
"""At volatility 0.06 a deviation of 60 grows to 110 within a year."""

ESTABLISHED_BELOW: Final = 110.0
"""A rating is shown with `?` while its deviation, aged until now, is not below this."""

Opponents = Sequence[tuple[float, float, float]]
"""Rating and deviation of an opponent, and the score against him: 1, 0.5 or 0."""


def aged(values: Values, days: float) -> Values:
    """The values after so many days without a game; a clock that runs backwards ages nobody.

    >>> aged((1800.0, 60.0, 0.06), 365.0)
    (1800.0, 110.00078549354839, 0.06)
    """
    rating, deviation, volatility = values
    periods = max(0.0, days) * PERIODS_PER_DAY
    if not periods:
        return values
    grown = sqrt(deviation * deviation + SCALE * SCALE * volatility * volatility * periods)
    return rating, min(grown, MOST_DEVIATION), volatility


def at(standing: Standing, now_ms: int) -> Values:
    """The values of a standing at an instant: rating and volatility of its last game, the deviation aged since."""
    if standing.last_at_ms is None:
        return standing.values
    return aged(standing.values, (now_ms - standing.last_at_ms) / DAY)


def established_until_ms(standing: Standing) -> int | None:
    """The first instant at which the deviation is no longer below `ESTABLISHED_BELOW` if no game is played.

    None if it is not below it even after the last game.
    """
    _, deviation, volatility = standing.values
    if standing.last_at_ms is None or deviation >= ESTABLISHED_BELOW:
        return None
    periods = (ESTABLISHED_BELOW**2 - deviation**2) / (SCALE * volatility) ** 2
    return standing.last_at_ms + ceil(periods / PERIODS_PER_DAY * DAY)


def rate_game(white: Values, black: Values, score_white: float) -> tuple[Values, Values]:
    """Both players after a game, each from the values of both before it, aged to its end; clamped.

    >>> rate_game(START, START, 0.5)
    ((1500.0, 290.23050778223865, 0.05999896144314354), (1500.0, 290.23050778223865, 0.05999896144314354))
    """
    return (
        _clamped(white, period(white, ((black[0], black[1], score_white),), periods=0.0)),
        _clamped(black, period(black, ((white[0], white[1], 1.0 - score_white),), periods=0.0)),
    )


def period(player: Values, games: Opponents, tau: float = TAU, periods: float = 1.0) -> Values:
    """One call of the algorithm, steps 2 to 8, without clamps. `periods` is the factor of sigma^2 in step 6: 1 in the
    paper, 0 where the deviation ages by time.

    >>> period((1500.0, 200.0, 0.06), [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)])
    (1464.0506705393013, 151.51652412385727, 0.059995984286488495)
    """
    rating, deviation, volatility = player
    mu, phi = (rating - CENTRE) / SCALE, deviation / SCALE
    if not games:
        return rating, sqrt(phi * phi + periods * volatility * volatility) * SCALE, volatility
    information = surprise = 0.0
    for other_rating, other_deviation, score in games:
        g = 1 / sqrt(1 + 3 * (other_deviation / SCALE) ** 2 / pi**2)
        expected = 1 / (1 + exp(-g * (mu - (other_rating - CENTRE) / SCALE)))
        information += g * g * expected * (1 - expected)
        surprise += g * (score - expected)
    variance = 1 / information
    volatility = _volatility(phi * phi, volatility, variance, (variance * surprise) ** 2, tau)
    phi_squared = 1 / (1 / (phi * phi + periods * volatility * volatility) + information)
    return (mu + phi_squared * surprise) * SCALE + CENTRE, sqrt(phi_squared) * SCALE, volatility


def _volatility(phi_squared: float, volatility: float, variance: float, delta_squared: float, tau: float) -> float:
    """Step 5: the new volatility, by the Illinois iteration of the paper from its own starting points.

    No wider search: after extreme upsets f has three roots, and only the near one means anything.
    """
    a = log(volatility * volatility)
    spread = phi_squared + variance

    def f(x: float) -> float:
        square = exp(x)
        return square * (delta_squared - spread - square) / (2 * (spread + square) ** 2) - (x - a) / (tau * tau)

    low = a
    if delta_squared > spread:
        high = log(delta_squared - spread)
    else:
        steps = 1
        while f(a - steps * tau) < 0:
            steps += 1
        high = a - steps * tau
    f_low, f_high = f(low), f(high)
    while abs(high - low) > CONVERGED:
        between = low + (low - high) * f_low / (f_high - f_low)
        f_between = f(between)
        if f_between * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = between, f_between
    return exp(low / 2)


def _clamped(before: Values, after: Values) -> Values:
    rating, deviation, volatility = after
    return (
        _within(_within(rating, before[0] - MOST_STEP, before[0] + MOST_STEP), LEAST_RATING, MOST_RATING),
        _within(deviation, LEAST_DEVIATION, MOST_DEVIATION),
        min(volatility, MOST_VOLATILITY),
    )


def _within(value: float, least: float, most: float) -> float:
    """`value`, or the bound it passes. What is no number stays so, for the replay to refuse."""
    return least if value < least else most if value > most else value
