"""What may be expected of two sides before they play."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.durations import DAY
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.model import Partition, Standing
from chalicelib.ratings.prediction import (
    MemberTwice,
    NoPair,
    Prediction,
    SinglePlayersOnly,
    expected_score,
    predicted,
    subjects_of,
)

WORLD, POOL, EVENT = Partition("GLOBAL"), Partition("POOL", "chess/rapid"), Partition("EVENT", "abcdefghjkmn")
NOW = 1_772_323_200_000
NEVER = Runs()


def club(mu: float, sigma: float, at_ms: int = NOW) -> Standing:
    return Standing((mu, sigma), games=12, last_at_ms=at_ms, last_no=0)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([(30, 4)], [(20, 4)], 0.922681),
        ([(28, 7), (27, 6)], [(26, 5), (25, 4)], 0.630839),
        ([(25, 25 / 3)], [(32, 1.8)], 0.230355),
    ],
)
def test_the_formula_of_the_seed(a: list[tuple[float, float]], b: list[tuple[float, float]], expected: float) -> None:
    names_a, names_b = tuple(f"a{n}" for n in range(len(a))), tuple(f"b{n}" for n in range(len(b)))
    standings = {name: club(*values) for name, values in zip(names_a + names_b, a + b, strict=True)}
    found = predicted(WORLD, names_a, names_b, standings, NEVER, NOW)
    assert found.score == pytest.approx(expected, abs=1e-6)
    assert found.unrated == ()


def test_who_has_not_played_stands_with_the_start_values_and_is_named() -> None:
    assert predicted(WORLD, ("new",), ("newer", "newest"), {}, NEVER, NOW) == Prediction(
        pytest.approx(0.048046, abs=1e-6), ("new", "newer", "newest")
    )
    known = {"anna": Standing((1700.0, 60.0, 0.06), games=40, last_at_ms=NOW, last_no=3)}
    found = predicted(POOL, ("anna",), ("bert",), known, NEVER, NOW)
    assert (found.score, found.unrated) == (expected_score((1700, 60, 0.06), (1500, 350, 0.06)), ("bert",))


def test_a_rest_makes_a_prediction_less_sure() -> None:
    runs = Runs(date(2026, 2, 1), date(2026, 2, 20))
    rested, other = club(35, 2, NOW - 60 * DAY), club(25, 2)
    standings = {"anna": rested, "bert": other}
    fresh = predicted(WORLD, ("anna",), ("bert",), standings, NEVER, NOW).score
    assert predicted(WORLD, ("anna",), ("bert",), standings, runs, NOW).score < fresh
    assert predicted(EVENT, ("anna",), ("bert",), standings, runs, NOW).score == fresh
    pool = {"anna": Standing((1900.0, 60.0, 0.06), games=40, last_at_ms=NOW - 300 * DAY, last_no=3)}
    aged = predicted(POOL, ("anna",), ("bert",), pool, NEVER, NOW).score
    assert aged < predicted(POOL, ("anna",), ("bert",), pool, NEVER, NOW - 300 * DAY).score


VALUES = st.tuples(st.floats(400, 4_000), st.floats(45, 350), st.just(0.06))


@given(VALUES, VALUES)
def test_both_sides_of_a_pool_expect_one_point_together(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert expected_score(a, b) + expected_score(b, a) == pytest.approx(1)
    assert (expected_score(a, b) >= 0.5) == (a[0] >= b[0]) or expected_score(a, b) == pytest.approx(0.5)


def test_who_is_rated_on_either_side() -> None:
    four = (("bert", "anna"), ("dora", "carl"))
    assert subjects_of(WORLD, "individual", *four) == four
    assert subjects_of(WORLD, "pair", *four) == (("anna+bert",), ("carl+dora",))
    assert subjects_of(POOL, "individual", ("anna",), ("bert",)) == (("anna",), ("bert",))
    for twice in ((("anna",), ("anna",)), (("anna", "anna"), ("bert",)), (("anna", "bert"), ("carl", "bert"))):
        with pytest.raises(MemberTwice):
            subjects_of(WORLD, "individual", *twice)
    with pytest.raises(NoPair):
        subjects_of(WORLD, "pair", ("anna", "bert"), ("carl",))
    for too_many in (("individual", *four), ("pair", *four)):
        with pytest.raises(SinglePlayersOnly):
            subjects_of(POOL, *too_many)
