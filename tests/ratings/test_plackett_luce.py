"""Plackett-Luce: the same bits as the pinned library, and the laws of two sides (ratings page, 1.2)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import BradleyTerryFull, PlackettLuce

from chalicelib.ratings.model import Values, Winner
from chalicelib.ratings.plackett_luce import (
    BETA,
    KAPPA,
    SIGMA,
    START,
    TAU,
    Parameters,
    Z,
    ordinal,
    rate,
    rate_sides,
    win_probability,
)
from tests.conformance import openskill as kind

CASES = Path(__file__).parents[1] / "cases" / "openskill.json"
VECTORS: list[dict[str, Any]] = json.loads(CASES.read_text())["vectors"]

mu = st.floats(-100, 150)
sigma = st.floats(0.01, 20)
player = st.tuples(mu, sigma)
winners: st.SearchStrategy[Winner] = st.sampled_from(("A", "B", ""))
sides = st.lists(player, min_size=1, max_size=3)
RANKS: dict[Winner, list[float]] = {"A": [1, 2], "B": [2, 1], "": [1, 1]}


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_case(vector: dict[str, Any]) -> None:
    counts: Any = {"with the bits of the library": 0}

    assert kind.differences(vector, counts) == []
    assert counts["with the bits of the library"] == 1


def by_library(model: Any, a: list[Values], b: list[Values], winner: Winner) -> tuple[Values, ...]:
    teams = [[model.rating(mu=mu, sigma=sigma) for mu, sigma in side] for side in (a, b)]
    return tuple((each.mu, each.sigma) for team in model.rate(teams, ranks=RANKS[winner]) for each in team)


@given(sides, sides, winners)
def test_two_sides_have_the_bits_of_the_library(a: list[Values], b: list[Values], winner: Winner) -> None:
    assert rate_sides(a, b, winner) == by_library(PlackettLuce(), a, b, winner)


@given(st.data(), winners)
def test_so_have_the_usual_sizes_and_values(data: st.DataObject, winner: Winner) -> None:
    """One or two a side, with the values that a club comes to."""
    usual = st.tuples(st.floats(0, 50), st.floats(1.4, 8.4))
    a, b = (data.draw(st.lists(usual, min_size=1, max_size=2)) for _ in "AB")

    assert rate_sides(a, b, winner) == by_library(PlackettLuce(), a, b, winner)


def test_thousands_of_games_have_the_bits_of_the_library() -> None:
    """`x**2` and `x * x` differ in one double of a thousand: a few hundred games would not tell."""
    random, model = Random(5), PlackettLuce()
    for _ in range(5_000):
        a, b = ([(random.gauss(25, 10), random.uniform(0.5, 8.5)) for _ in range(random.randint(1, 2))] for _ in "AB")
        winner = random.choice(("A", "B", ""))
        assert rate_sides(a, b, winner) == by_library(model, a, b, winner)


def test_the_defaults_are_those_of_the_pinned_library() -> None:
    model = PlackettLuce()

    assert (model.mu, model.sigma, model.beta, model.tau, model.kappa) == (*START, BETA, TAU, KAPPA)
    assert (model.limit_sigma, model.balance, model.margin) == (False, False, 0.0)
    assert model.rating(mu=28.0, sigma=5.0).ordinal() == ordinal(28.0, 5.0) == 28.0 - Z * 5.0


@given(sides, sides, winners)
def test_it_is_bradley_terry_between_two(a: list[Values], b: list[Values], winner: Winner) -> None:
    ours = rate_sides(a, b, winner)

    for player_here, player_there in zip(ours, by_library(BradleyTerryFull(), a, b, winner), strict=True):
        assert player_here == pytest.approx(player_there, rel=1e-9, abs=1e-9)


@given(sides, sides, winners)
def test_the_floor_of_the_variance_never_binds(a: list[Values], b: list[Values], winner: Winner) -> None:
    for (_, before), (_, after) in zip(a + b, rate_sides(a, b, winner), strict=True):
        assert after**2 > 0.75 * (before**2 + TAU**2)


@given(sides, sides, winners)
def test_mu_moves_by_the_variance_and_against_each_other(a: list[Values], b: list[Values], winner: Winner) -> None:
    """The change of mu for each unit of variance is one number for a whole side, and its negative for the other."""
    after = rate_sides(a, b, winner)
    moved = [
        (mu_after - mu_before) / (sigma_before**2 + TAU**2)
        for (mu_before, sigma_before), (mu_after, _) in zip(a + b, after, strict=True)
    ]
    smallest = min(sigma for _, sigma in a + b)
    rounding = 1e-12 * 150 / smallest**2

    for value in moved[: len(a)]:
        assert value == pytest.approx(moved[0], abs=rounding)
    for value in moved[len(a) :]:
        assert value == pytest.approx(-moved[0], abs=rounding)


@given(sides, sides, winners)
def test_sigma_does_not_ask_who_won(a: list[Values], b: list[Values], winner: Winner) -> None:
    wanted = [sigma for _, sigma in rate_sides(a, b, "A")]

    assert [sigma for _, sigma in rate_sides(a, b, winner)] == pytest.approx(wanted, rel=1e-12)


@given(sides, sides, winners)
def test_labels_do_not_matter(a: list[Values], b: list[Values], winner: Winner) -> None:
    flipped: dict[Winner, Winner] = {"A": "B", "B": "A", "": ""}
    swapped = rate_sides(b, a, flipped[winner])

    assert rate_sides(a, b, winner) == swapped[len(b) :] + swapped[: len(b)]


@given(mu, st.lists(sigma, min_size=2, max_size=2), st.lists(sigma, min_size=2, max_size=2))
def test_a_draw_of_equals_moves_nobody(mu: float, a: list[float], b: list[float]) -> None:
    after = rate_sides([(mu, each) for each in a], [(mu, each) for each in b], "")

    assert [value for value, _ in after] == [mu] * 4


@given(sides, sides)
def test_the_chances_of_both_sides_make_one(a: list[Values], b: list[Values]) -> None:
    assert win_probability(a, b) + win_probability(b, a) == pytest.approx(1, abs=1e-12)
    assert win_probability(a, a) == 0.5


def test_sigma_can_pass_its_start() -> None:
    """A16 of the ratings page, and the wrong sentence that sigma sinks with every game."""
    (_, sigma), _ = rate_sides([(400.0, SIGMA)], [(0.0, 1.0)], "A")

    assert sigma > SIGMA


def test_more_than_two_teams_go_through_the_library_and_leave_nothing_behind() -> None:
    teams = [[(60.0, 1.0)], [(0.0, 1.0)], [(0.0, 1.0)]]
    limited = rate(teams, [1, 2, 2], Parameters(limit_sigma=True))
    free = rate(teams, [1, 2, 2])

    assert limited[0][0][1] == 1.0
    assert free[0][0][1] > 1.0
    assert len(free) == 3
