"""Every preset of the source: its numbers, and how long games under it can last (U14, and the source's tables)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import NAMED, Profile, UnknownProfile, named, rigid
from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.core.sides import Side

ACCUMULATING = [
    # code, start and cap, increment, in days
    ("30-30-1", 30, 1.0),
    ("30-30-1-half", 30, 1.0),
    ("40-40-0.8", 40, 0.8),
    ("20-20-1.2", 20, 1.2),
    ("20-20-1.0", 20, 1.0),
    ("15-15-0.8", 15, 0.8),
    ("10-10-0.6", 10, 0.6),
    ("5-5-0.4", 5, 0.4),
]

LONGEST = [
    # code, moves of each side, days given out to both sides, days that can be used
    ("30-30-1", 50, 160, 158),
    ("30-30-1", 80, 220, 218),
    ("40-40-0.8", 50, 160, 158.4),
    ("40-40-0.8", 80, 208, 206.4),
    ("20-20-1.2", 50, 160, 157.6),
    ("20-20-1.2", 80, 232, 229.6),
    ("5-5-0.4", 50, 50, 49.2),
    ("5-5-0.4", 80, 74, 73.2),
    ("10-10-0.6", 50, 80, 78.8),
    ("10-10-0.6", 80, 116, 114.8),
    ("15-15-0.8", 50, 110, 108.4),
    ("15-15-0.8", 80, 158, 156.4),
    ("20-20-1.0", 50, 140, 138),
    ("20-20-1.0", 80, 200, 198),
    ("30-30-1-half", 50, 160, 158),
    ("30-30-1-half", 80, 190, 189),
    ("T3_1", 50, 306, 300),
    ("T7_1", 80, 1134, 1120),
]


def days(number: float) -> int:
    return round(number * DAY)


@pytest.mark.parametrize(("code", "start", "increment"), ACCUMULATING)
def test_accumulating_presets(code: str, start: int, increment: float) -> None:
    profile = named(code)
    assert profile.code == code
    assert (profile.initial_buffer_ms, profile.cap_ms) == (days(start), days(start))
    assert profile.increment_ms == days(increment)
    assert (profile.first_move_limit_ms, profile.first_move_scope, profile.no_start) == (days(7), "game", "loss")
    assert profile.grace_ms == 1_500
    assert profile.is_regenerative
    assert not profile.is_live


def test_only_one_preset_has_a_late_stage() -> None:
    assert {code for code, profile in NAMED.items() if profile.late_from_move is not None} == {"30-30-1-half"}
    half = named("30-30-1-half")
    assert [half.increment_for(move) for move in (1, 49, 50, 51, 52, 400)] == [DAY] * 3 + [12 * HOUR] * 3
    assert {named("30-30-1").increment_for(move) for move in (1, 50, 51, 400)} == {DAY}


@pytest.mark.parametrize(("code", "length"), [("T3_1", 3), ("T7_1", 7), ("T1_1", 1), ("T14_1", 14), ("T3650_1", 3650)])
def test_rigid_presets(code: str, length: int) -> None:
    profile = named(code)
    assert profile.code == code
    assert (profile.initial_buffer_ms, profile.increment_ms, profile.cap_ms) == (days(length),) * 3
    assert profile.first_move_limit_ms is None
    assert profile.grace_ms == 1_500
    assert not profile.is_regenerative
    assert not profile.is_live
    assert profile == rigid(length)


@pytest.mark.parametrize(
    ("code", "base", "increment", "time_class"),
    [
        ("3+2", 3 * MINUTE, 2 * SECOND, "blitz"),
        ("10+5", 10 * MINUTE, 5 * SECOND, "rapid"),
        ("30+20", 30 * MINUTE, 20 * SECOND, "classical"),
    ],
)
def test_live_presets(code: str, base: int, increment: int, time_class: str) -> None:
    profile = named(code)
    assert (profile.initial_buffer_ms, profile.increment_ms) == (base, increment)
    assert (profile.first_move_limit_ms, profile.first_move_scope, profile.no_start) == (
        30 * SECOND,
        "each_player",
        "abort",
    )
    assert profile.grace_ms == 0
    assert profile.is_live
    assert profile.time_class == time_class


def test_these_are_all_presets() -> None:
    listed = {code for code, _, _ in ACCUMULATING} | {"T3_1", "T7_1", "3+2", "10+5", "30+20"}
    assert set(NAMED) == listed


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("30-30-2", "unknown profile '30-30-2'; known: 30-30-1"),
        ("", "unknown profile ''"),
        ("T10_5", "'T10_5' gives 5 moves together; only T10_1 is played"),
        ("T3_0", "'T3_0' gives 0 moves together; only T3_1 is played"),
        ("T0_1", "days per move must lie between 1 and 3650"),
        ("T3651_1", "days per move must lie between 1 and 3650"),
        ("t3_1", "unknown profile 't3_1'"),
        ("T3_1 ", "unknown profile 'T3_1 '"),
        ("T-3_1", "unknown profile 'T-3_1'"),
        ("T٣_1", "unknown profile"),
    ],
)
def test_unknown_presets_are_refused_with_the_reason(code: str, reason: str) -> None:
    with pytest.raises(UnknownProfile) as refused:
        named(code)
    assert reason in str(refused.value)


def slowest_game(profile: Profile, moves: int) -> tuple[clocks.Clock, int, int]:
    """Both sides take all but the last ms for each of `moves` moves: the clock then, its time, the increment lost."""
    clock, now_ms, lapsed_ms = clocks.release((profile, profile), 0), 0, 0
    for _ in range(2 * moves):
        reached = clocks.due(clock)
        assert reached is not None
        now_ms = reached.at_ms - 1
        pressed = clocks.press(clock, now_ms)
        clock, lapsed_ms = pressed.clock, lapsed_ms + pressed.lapsed_ms
        for side in Side:
            assert 0 <= clock.account(side).remaining_ms <= profile.cap_ms
    return clock, now_ms, lapsed_ms


def without_first_move_limit(profile: Profile) -> Profile:
    return replace(profile, first_move_limit_ms=None)


@pytest.mark.parametrize(("code", "moves", "given", "_usable"), LONGEST)
def test_what_a_preset_gives_out_in_so_many_moves(code: str, moves: int, given: float, _usable: float) -> None:
    """Used and left together are the source's `2 * (start + n * increment)`, when no increment lapses."""
    clock, now_ms, lapsed_ms = slowest_game(without_first_move_limit(named(code)), moves)
    left_ms = clock.white.remaining_ms + clock.black.remaining_ms
    assert now_ms + left_ms + lapsed_ms == days(given)
    assert lapsed_ms == (2 * moves if code.startswith("T") else 0), "rigid clocks lose the last ms of every turn"


@pytest.mark.parametrize(("code", "moves", "_given", "usable"), LONGEST)
def test_how_long_a_game_of_so_many_moves_can_last(code: str, moves: int, _given: float, usable: float) -> None:
    """The game ends with the last move, whose increment nobody can use; the last ms of a turn cannot be used either."""
    clock, now_ms, _ = slowest_game(without_first_move_limit(named(code)), moves)
    unused_ms = 2 * moves if code.startswith("T") else 2
    assert now_ms == days(usable) - unused_ms
    assert clock.ply == 2 * moves


def test_a_quitter_of_30_30_1_is_gone_after_30_days() -> None:
    """The source's "almost 31 days" cannot be: a full account holds 30."""
    clock = clocks.release((named("30-30-1"),) * 2, 0)
    for _ in range(60):
        clock = clocks.press(clock, clock.turn_started_at_ms).clock
    reached = clocks.due(clock)
    assert reached is not None
    assert (reached.at_ms, reached.cause) == (30 * DAY, "time")


@pytest.mark.parametrize(
    ("pace", "survived"), [(1.0, 400), (1.5, 57), (1.579, 50), (1.58, 49), (1.6, 48), (1.75, 38), (2.0, 28)]
)
def test_what_a_constant_pace_of_so_many_days_leads_to(pace: float, survived: int) -> None:
    """The table of checked arithmetic: 1.6 days loses on move 49, 1.5 on 58, 2.0 on 29; 50 moves need under 1.58."""
    profile = without_first_move_limit(named("30-30-1"))
    clock, moves = clocks.release((profile, profile), 0), 0
    while moves < 400:
        now_ms = clock.turn_started_at_ms + days(pace)
        reached = clocks.due(clock)
        assert reached is not None
        if now_ms >= reached.at_ms:
            break
        clock = clocks.press(clocks.press(clock, now_ms).clock, now_ms).clock
        moves += 1
    assert moves == survived
