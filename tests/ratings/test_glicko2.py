"""Glicko-2: our vectors, ageing, clamps, and that nothing inside the clamps runs away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.durations import DAY
from chalicelib.ratings import glicko2
from chalicelib.ratings.model import Played, Standing, Values
from chalicelib.ratings.replay import Rules, States, rebuild
from tests.conformance import glicko2 as kind

CASES = Path(__file__).parents[1] / "cases" / "glicko2.json"
VECTORS: list[dict[str, Any]] = json.loads(CASES.read_text())["vectors"]

players = st.tuples(st.floats(400, 4000), st.floats(45, 350), st.floats(0.01, 0.1))
scores = st.sampled_from((1.0, 0.5, 0.0))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_case(vector: dict[str, Any]) -> None:
    assert kind.differences(vector) == []


def test_the_example_of_the_paper() -> None:
    games = [(1400.0, 30.0, 1.0), (1550.0, 100.0, 0.0), (1700.0, 300.0, 0.0)]

    rating, deviation, volatility = glicko2.period((1500.0, 200.0, 0.06), games)

    assert rating == pytest.approx(1464.0507, abs=1e-3)
    assert deviation == pytest.approx(151.5165, abs=1e-3)
    assert volatility == pytest.approx(0.059996, abs=1e-6)


def test_our_constants() -> None:
    ours = json.loads(CASES.read_text())["our_constants"]

    assert (ours["r0"], ours["rd0"], ours["vol0"]) == glicko2.START
    assert (ours["tau"], ours["eps"]) == (glicko2.TAU, glicko2.CONVERGED)
    assert (ours["min_rd"], ours["max_rd"]) == (glicko2.LEAST_DEVIATION, glicko2.MOST_DEVIATION)
    assert (ours["min_r"], ours["max_r"]) == (glicko2.LEAST_RATING, glicko2.MOST_RATING)
    assert (ours["max_vol"], ours["periods_per_day"]) == (glicko2.MOST_VOLATILITY, glicko2.PERIODS_PER_DAY)
    assert ours["provisional_rd"] == glicko2.ESTABLISHED_BELOW


@given(players, players, scores)
def test_every_game_stays_inside_the_clamps(white: Values, black: Values, score: float) -> None:
    for before, after in zip((white, black), glicko2.rate_game(white, black, score), strict=True):
        assert 400 <= after[0] <= 4000
        assert 45 <= after[1] <= 350
        assert 0 < after[2] <= 0.1
        assert abs(after[0] - before[0]) <= 700
        assert after[2] / before[2] == pytest.approx(1, abs=0.01)


def test_no_game_moves_a_rating_by_more_than_seven_hundred() -> None:
    """A deviation within the clamps comes to 698 at most; the bound is for values from elsewhere."""
    upset = (400.0, 400.0, 0.06), (4000.0, 45.0, 0.06)

    assert glicko2.period(upset[0], [(4000.0, 45.0, 1.0)], periods=0.0)[0] > 1100.0
    assert glicko2.rate_game(*upset, 1.0)[0][0] == 1100.0


@given(players, players, scores)
def test_colours_do_not_matter(white: Values, black: Values, score: float) -> None:
    assert glicko2.rate_game(white, black, score) == glicko2.rate_game(black, white, 1.0 - score)[::-1]


@given(players, st.floats(-1e6, 1e6), st.floats(0, 1e4))
def test_time_only_widens(player: Values, days: float, more: float) -> None:
    once = glicko2.aged(player, days)

    assert once[0] == player[0]
    assert once[2] == player[2]
    assert player[1] <= once[1] <= glicko2.aged(player, max(0.0, days) + more)[1] <= 350


@given(st.floats(45, 350), st.floats(0.03, 0.1), st.integers(0, 2**41))
def test_an_established_rating_is_one_until_the_instant_told(deviation: float, volatility: float, last_ms: int) -> None:
    standing = Standing((1500.0, deviation, volatility), 30, 15, 0, last_ms, 29)

    until = glicko2.established_until_ms(standing)

    if until is None:
        assert deviation >= 110
    else:
        assert until > last_ms
        assert glicko2.at(standing, until - 2)[1] < 110 + 1e-9
        assert glicko2.at(standing, until + 2)[1] >= 110 - 1e-9


def test_who_never_played_is_never_established() -> None:
    assert glicko2.established_until_ms(Standing(glicko2.START)) is None
    assert glicko2.at(Standing(glicko2.START), 5) == glicko2.START


def test_a_replay_ages_both_by_the_time_since_their_own_last_games() -> None:
    known = {
        "anna": Standing((1800.0, 60.0, 0.06), 40, 20, 0, 0, 0),
        "bert": Standing((1750.0, 70.0, 0.06), 40, 20, 0, 100 * DAY, 1),
    }
    states: States = {"individual": known}

    (line,) = rebuild([Played(100 * DAY, "g", ("anna",), ("bert",), "A")], states, 2, Rules("glicko2"))

    vector = next(each for each in VECTORS if each["id"] == "H04")
    assert line.individual[0].after[0] == pytest.approx(vector["expected_white"]["rating"], abs=1e-6)
    assert line.individual[1].after[0] == pytest.approx(vector["expected_black"]["rating"], abs=1e-6)
    assert line.pair == ()


def test_after_thirty_games_a_rating_is_established() -> None:
    """With a step of the volatility for every game the deviation would stay above 60 for ever (R34)."""
    player = glicko2.START
    for number in range(30):
        player, _ = glicko2.rate_game(player, (1500.0, 60.0, 0.06), number % 2)
    assert 60 < player[1] < 70
