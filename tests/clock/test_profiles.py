"""Impossible profiles are refused with the reason; what can be read off a profile."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.clock.profiles import LONGEST_ACCOUNT, ImpossibleProfile, Profile
from chalicelib.core.durations import DAY, MINUTE

POSSIBLE: dict[str, Any] = {"code": "x", "initial_buffer_ms": 10 * DAY, "increment_ms": DAY, "cap_ms": 20 * DAY}


def profile(**numbers: Any) -> Profile:
    return Profile(**POSSIBLE | numbers)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ({"initial_buffer_ms": 0}, "initial_buffer_ms must be positive, not 0"),
        ({"initial_buffer_ms": -1}, "initial_buffer_ms must be positive, not -1"),
        ({"increment_ms": -1}, "increment_ms must not be negative, not -1"),
        ({"cap_ms": 10 * DAY - 1}, "cap_ms 863999999 is below initial_buffer_ms 864000000"),
        ({"increment_ms": 20 * DAY + 1}, "increment_ms 1728000001 is above cap_ms 1728000000"),
        ({"cap_ms": LONGEST_ACCOUNT + 1}, "above ten years"),
        ({"grace_ms": -1}, "grace_ms must lie between 0 and 60000, not -1"),
        ({"grace_ms": MINUTE + 1}, "grace_ms must lie between 0 and 60000, not 60001"),
        ({"first_move_limit_ms": 0}, "first_move_limit_ms must be positive"),
        ({"first_move_limit_ms": -1}, "first_move_limit_ms must be positive"),
        ({"first_move_limit_ms": LONGEST_ACCOUNT + 1}, "first_move_limit_ms must be positive and at most"),
        ({"first_move_scope": "both"}, "first_move_scope must be 'game' or 'each_player', not 'both'"),
        ({"no_start": "draw"}, "no_start must be 'loss' or 'abort', not 'draw'"),
        ({"late_increment_ms": 1}, "late_increment_ms and late_from_move belong together"),
        ({"late_from_move": 51}, "late_increment_ms and late_from_move belong together"),
        ({"late_increment_ms": -1, "late_from_move": 51}, "late_increment_ms must lie between 0 and cap_ms"),
        ({"late_increment_ms": 20 * DAY + 1, "late_from_move": 51}, "late_increment_ms must lie between 0 and cap_ms"),
        ({"late_increment_ms": DAY, "late_from_move": 1}, "late_from_move must be above 1, not 1"),
    ],
)
def test_an_impossible_profile_is_refused_with_the_reason(numbers: dict[str, Any], reason: str) -> None:
    with pytest.raises(ImpossibleProfile) as refused:
        profile(**numbers)
    assert reason in str(refused.value)


@pytest.mark.parametrize(
    "numbers",
    [
        {"initial_buffer_ms": 1},
        {"increment_ms": 0},
        {"cap_ms": 10 * DAY},
        {"increment_ms": 20 * DAY},
        {"cap_ms": LONGEST_ACCOUNT},
        {"grace_ms": 0},
        {"grace_ms": MINUTE},
        {"first_move_limit_ms": 1},
        {"first_move_limit_ms": LONGEST_ACCOUNT},
        {"first_move_limit_ms": None},
        {"late_increment_ms": 0, "late_from_move": 2},
        {"late_increment_ms": 20 * DAY, "late_from_move": 2},
    ],
)
def test_the_last_possible_number_is_allowed(numbers: dict[str, Any]) -> None:
    made = profile(**numbers)
    assert {name: getattr(made, name) for name in numbers} == numbers


def test_regenerative_follows_from_the_numbers() -> None:
    assert profile(increment_ms=20 * DAY - 1).is_regenerative
    assert not profile(increment_ms=20 * DAY).is_regenerative


@pytest.mark.parametrize(("base", "is_live"), [(DAY - 1, True), (DAY, False)])
def test_live_is_a_base_time_under_a_day(base: int, is_live: bool) -> None:
    assert profile(initial_buffer_ms=base).is_live is is_live


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (3 * MINUTE, "blitz"),
        (3 * MINUTE + 1, "rapid"),
        (10 * MINUTE, "rapid"),
        (10 * MINUTE + 1, "classical"),
        (30 * DAY, "classical"),
    ],
)
def test_time_classes_go_by_base_time_alone(base: int, expected: str) -> None:
    assert profile(initial_buffer_ms=base, cap_ms=40 * DAY).time_class == expected
