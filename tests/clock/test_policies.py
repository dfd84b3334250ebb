"""P1 to P12, each at one ms before, at, and one ms after the instant or the amount that matters."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.clock import Clock, Due
from chalicelib.clock.profiles import ImpossibleProfile, Profile, named, rigid
from chalicelib.core.durations import DAY, HOUR, SECOND
from chalicelib.core.sides import Side
from tests.clock.passed import passed

T0 = 1_772_323_200_000
GRACE = 1_500
PLAIN = Profile("plain", 30 * DAY, DAY, 30 * DAY)
GRACIOUS = replace(PLAIN, grace_ms=GRACE)
LATE = named("30-30-1-half")

around = pytest.mark.parametrize("off", [-1, 0, 1])


def started(profile: Profile = PLAIN, now_ms: int = T0, **more: object) -> Clock:
    """Both have moved, White is to move, the accounts are full."""
    clock = clocks.release((profile, profile), now_ms, **more)  # type: ignore[arg-type]
    return clocks.press(clocks.press(clock, now_ms).clock, now_ms).clock


def holding(white_ms: int, profile: Profile = PLAIN, **more: object) -> Clock:
    return started(profile, **more).with_remaining(Side.WHITE, white_ms)


def the_end(clock: Clock) -> Due:
    reached = clocks.due(clock)
    assert reached is not None
    return reached


@around
@pytest.mark.parametrize("grace", [0, 1, GRACE])
def test_p1_every_instant_is_in_time_or_too_late(grace: int, off: int) -> None:
    clock = holding(10 * DAY, replace(PLAIN, grace_ms=grace))
    reached = passed(clock, T0 + 10 * DAY + grace + off)
    assert (reached is not None) == (off >= 0)


@pytest.mark.parametrize("grace", [0, 1, GRACE])
def test_p1_the_grace_is_in_the_effective_instant_only(grace: int) -> None:
    end = the_end(holding(10 * DAY, replace(PLAIN, grace_ms=grace)))
    assert end == Due(T0 + 10 * DAY, T0 + 10 * DAY + grace, "time")


@around
def test_p2_what_has_passed_carries_the_deadline_itself(off: int) -> None:
    clock = holding(10 * DAY, GRACIOUS)
    reached = passed(clock, T0 + 11 * DAY + off)
    assert reached is not None
    assert reached.at_ms == T0 + 10 * DAY


@pytest.mark.parametrize(("off", "overrun"), [(-1, 0), (0, 0), (1, 1), (GRACE - 1, GRACE - 1)])
def test_p3_the_increment_comes_on_top_of_what_is_left_never_of_less_than_nothing(off: int, overrun: int) -> None:
    pressed = clocks.press(holding(10 * DAY, GRACIOUS), T0 + 10 * DAY + off)
    assert pressed.clock.white.remaining_ms == max(0, -off) + DAY
    assert (pressed.used_ms, pressed.increment_ms, pressed.lapsed_ms) == (10 * DAY + off, DAY, 0)
    assert pressed.overrun_ms == overrun


@pytest.mark.parametrize(("off", "left", "lapsed"), [(-1, 30 * DAY, 1), (0, 30 * DAY, 0), (1, 30 * DAY - 1, 0)])
def test_p3_the_cap_cuts_and_says_how_much(off: int, left: int, lapsed: int) -> None:
    pressed = clocks.press(started(), T0 + DAY + off)
    assert (pressed.clock.white.remaining_ms, pressed.lapsed_ms) == (left, lapsed)
    assert pressed.increment_ms == DAY


@pytest.mark.parametrize(("off", "used"), [(-1, 0), (0, 0), (1, 1)])
def test_p4_the_turn_start_never_goes_back(off: int, used: int) -> None:
    pressed = clocks.press(holding(10 * DAY), T0 + off)
    assert pressed.used_ms == used
    assert pressed.clock.white.remaining_ms == 11 * DAY - used
    assert pressed.clock.turn_started_at_ms == T0 + used
    assert the_end(pressed.clock).at_ms == T0 + used + 30 * DAY


@pytest.mark.parametrize(("lag", "used"), [(499, 501), (1_000, 0), (1_001, 0), (0, 1_000)])
def test_p4_lag_lowers_the_time_used_and_nothing_else(lag: int, used: int) -> None:
    pressed = clocks.press(holding(10 * DAY), T0 + 1_000, lag_ms=lag)
    assert pressed.used_ms == used
    assert pressed.clock.white.remaining_ms == 11 * DAY - used
    assert pressed.clock.turn_started_at_ms == T0 + 1_000


@around
def test_p5_the_game_must_be_opened_within_the_limit(off: int) -> None:
    clock = clocks.release((replace(GRACIOUS, first_move_limit_ms=7 * DAY),) * 2, T0)
    reached = passed(clock, T0 + 7 * DAY + off)
    assert reached == (Due(T0 + 7 * DAY, T0 + 7 * DAY, "no_start") if off >= 0 else None), (
        "and there is no grace for it"
    )


def test_p5_the_account_runs_from_the_release_all_the_same() -> None:
    clock = clocks.release((named("30-30-1"),) * 2, T0)
    assert clocks.press(clock, T0 + 7 * DAY - 1).clock.white.remaining_ms == 24 * DAY + 1


@pytest.mark.parametrize(("scope", "limits"), [("game", [True, False, False]), ("each_player", [True, True, False])])
def test_p5_whose_first_move_is_limited(scope: str, limits: list[bool]) -> None:
    profile = replace(PLAIN, first_move_limit_ms=7 * DAY, first_move_scope=scope)
    clock, now_ms, seen = clocks.release((profile, profile), T0), T0, []
    for _ in range(3):
        end = the_end(clock)
        seen.append((end.cause, end.at_ms) == ("no_start", now_ms + 7 * DAY))
        assert seen[-1] or end == Due(now_ms + 30 * DAY, now_ms + 30 * DAY, "time")
        now_ms += DAY
        clock = clocks.press(clock, now_ms).clock
    assert seen == limits


def test_p5_each_side_is_limited_by_its_own_profile() -> None:
    limited = replace(PLAIN, first_move_limit_ms=7 * DAY, first_move_scope="each_player")
    clock = clocks.release((PLAIN, limited), T0)
    assert the_end(clock).cause == "time"
    assert the_end(clocks.press(clock, T0 + DAY).clock) == Due(T0 + 8 * DAY, T0 + 8 * DAY, "no_start")
    black_first = clocks.release((PLAIN, limited), T0, to_move=Side.BLACK)
    assert the_end(black_first).cause == "no_start"


@pytest.mark.parametrize("length", [0, 1, 2, 3 * DAY])
def test_p6_a_pause_is_charged_to_nobody(length: int) -> None:
    paused = clocks.pause(holding(10 * DAY), T0 + 4 * DAY, "illness")
    assert clocks.due(paused) is None
    assert passed(paused, T0 + 400 * DAY) is None
    assert clocks.live_remaining(paused, Side.WHITE, T0 + 400 * DAY) == 6 * DAY
    running = clocks.resume(paused, T0 + 4 * DAY + length, "illness")
    assert the_end(running).at_ms == T0 + 10 * DAY + length
    assert running.white.remaining_ms == 10 * DAY
    assert clocks.press(running, T0 + 5 * DAY + length).used_ms == 5 * DAY


@around
def test_p6_a_pause_moves_the_first_move_limit(off: int) -> None:
    clock = clocks.release((named("30-30-1"),) * 2, T0)
    running = clocks.resume(clocks.pause(clock, T0 + 6 * DAY, "a"), T0 + 10 * DAY, "a")
    assert (passed(running, T0 + 11 * DAY + off) is not None) == (off >= 0)


@pytest.mark.parametrize(("shifts", "moved"), [(False, 0), (True, 4 * DAY)])
def test_p6_a_pause_moves_the_guillotine_only_if_the_event_says_so(shifts: bool, moved: int) -> None:
    clock = started(guillotine_ms=T0 + 20 * DAY, guillotine_shifts=shifts)
    running = clocks.resume(clocks.pause(clock, T0 + 6 * DAY, "a"), T0 + 10 * DAY, "a")
    assert the_end(running) == Due(T0 + 20 * DAY + moved, T0 + 20 * DAY + moved, "guillotine")


def test_p6_two_pauses_do_not_cancel_each_other() -> None:
    clock = clocks.pause(clocks.pause(holding(10 * DAY), T0 + DAY, "illness"), T0 + 2 * DAY, "outage")
    clock = clocks.resume(clock, T0 + 3 * DAY, "illness")
    assert clock.pause_reasons == {"outage"}
    assert clocks.due(clock) is None
    clock = clocks.resume(clocks.resume(clock, T0 + 4 * DAY, "illness"), T0 + 5 * DAY, "outage")
    assert clock.pause_reasons == frozenset()
    assert the_end(clock).at_ms == T0 + 14 * DAY


def test_p6_the_same_again_changes_nothing() -> None:
    once = clocks.pause(holding(10 * DAY), T0 + DAY, "illness")
    assert clocks.pause(once, T0 + 2 * DAY, "illness") == once
    running = clocks.resume(once, T0 + 3 * DAY, "illness")
    assert clocks.resume(running, T0 + 4 * DAY, "illness") == running
    assert clocks.resume(running, T0 + 4 * DAY, "never given") == running


@pytest.mark.parametrize(("off", "applied"), [(-1, 4 * DAY - 1), (0, 4 * DAY), (1, 4 * DAY)])
def test_p7_a_gift_is_measured_against_the_live_balance_and_cut_at_the_cap(off: int, applied: int) -> None:
    adjusted = clocks.adjust(started(), T0 + 4 * DAY, Side.WHITE, delta_ms=4 * DAY + off)
    assert (adjusted.requested_ms, adjusted.applied_ms) == (4 * DAY + off, applied)
    assert adjusted.clock.white.remaining_ms == 26 * DAY + applied
    assert adjusted.clock.turn_started_at_ms == T0 + 4 * DAY


@pytest.mark.parametrize(("off", "left"), [(-1, None), (0, None), (1, 1)])
def test_p7_a_correction_that_would_leave_nothing_is_refused(off: int, left: int | None) -> None:
    clock = holding(10 * DAY)
    if left is not None:
        adjusted = clocks.adjust(clock, T0 + 4 * DAY, Side.WHITE, delta_ms=-6 * DAY + off)
        assert the_end(adjusted.clock).at_ms == T0 + 4 * DAY + left
        return
    with pytest.raises(clocks.WouldExpire) as refused:
        clocks.adjust(clock, T0 + 4 * DAY, Side.WHITE, delta_ms=-6 * DAY + off)
    assert (refused.value.live_ms, refused.value.would_leave_ms) == (6 * DAY, off)


@pytest.mark.parametrize(("to_ms", "left"), [(-1, None), (0, None), (1, 1), (30 * DAY, 30 * DAY), (31 * DAY, 30 * DAY)])
def test_p7_an_account_can_be_set(to_ms: int, left: int | None) -> None:
    if left is None:
        with pytest.raises(clocks.WouldExpire):
            clocks.adjust(started(), T0 + DAY, Side.WHITE, to_ms=to_ms)
        return
    adjusted = clocks.adjust(started(), T0 + DAY, Side.WHITE, to_ms=to_ms)
    assert adjusted.clock.white.remaining_ms == left
    assert (adjusted.requested_ms, adjusted.applied_ms) == (to_ms - 29 * DAY, left - 29 * DAY)


def test_p7_the_idle_account_changes_without_touching_the_turn() -> None:
    clock = started().with_remaining(Side.BLACK, 29 * DAY)
    adjusted = clocks.adjust(clock, T0 + DAY, Side.BLACK, delta_ms=2 * DAY)
    assert adjusted.clock == clock.with_remaining(Side.BLACK, 30 * DAY)
    assert (adjusted.requested_ms, adjusted.applied_ms) == (2 * DAY, DAY)


@pytest.mark.parametrize("given", [{}, {"delta_ms": 1, "to_ms": 1}])
def test_p7_a_correction_is_relative_or_absolute(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="either delta_ms or to_ms"):
        clocks.adjust(started(), T0, Side.WHITE, **given)


@around
def test_p8_nothing_settles_a_clock_whose_deadline_has_passed(off: int) -> None:
    """Grace or not: from the deadline on a settle would have to move it (settled 4 and 14)."""
    clock = holding(10 * DAY, GRACIOUS)
    if off < 0:
        assert clocks.settle(clock, T0 + 10 * DAY + off).white.remaining_ms == -off
        return
    with pytest.raises(clocks.NotRunning):
        clocks.settle(clock, T0 + 10 * DAY + off)
    with pytest.raises(clocks.NotRunning):
        clocks.adjust(clock, T0 + 10 * DAY + off, Side.WHITE, delta_ms=DAY)


@pytest.mark.parametrize(
    ("start", "end", "taken"),
    [
        (-10, -1, 0),
        (-10, 0, 0),
        (-10, 1, 1),
        (-1, 10, 10),
        (0, 10, 10),
        (1, 10, 9),
        (5, 5, 0),
        (5, 4, 0),
        (5, 6, 1),
    ],
)
def test_p9_a_window_moves_the_turn_by_what_of_it_lay_in_the_turn(start: int, end: int, taken: int) -> None:
    clock = started()
    shifted, by_ms = clocks.shift_for_window(clock, T0 + start, T0 + end)
    assert by_ms == taken
    assert shifted.turn_started_at_ms == T0 + taken
    assert (shifted.white, shifted.black) == (clock.white, clock.black), "a full account loses nothing"
    assert the_end(shifted).at_ms == T0 + taken + 30 * DAY


@pytest.mark.parametrize(("start", "lost"), [(-1, False), (0, True), (1, True)])
def test_p9_a_turn_lost_before_the_window_stays_lost(start: int, lost: bool) -> None:
    clock = holding(10 * DAY)
    window = (T0 + 10 * DAY + start, T0 + 20 * DAY)
    assert (clocks.in_window(clock, *window) is None) is lost
    assert clocks.shift_for_window(clock, *window)[1] == (0 if lost else 10 * DAY + 1)


@pytest.mark.parametrize(("shifts", "moved"), [(False, 0), (True, HOUR)])
def test_p9_a_window_moves_limits_as_a_pause_does(shifts: bool, moved: int) -> None:
    clock = clocks.release((named("30-30-1"),) * 2, T0, guillotine_ms=T0 + 90 * DAY, guillotine_shifts=shifts)
    shifted, _ = clocks.shift_for_window(clock, T0 + DAY, T0 + DAY + HOUR)
    assert the_end(shifted) == Due(T0 + 7 * DAY + HOUR, T0 + 7 * DAY + HOUR, "no_start")
    assert shifted.guillotine_ms == T0 + 90 * DAY + moved


@pytest.mark.parametrize(("off", "cause"), [(-1, "no_start"), (0, "time"), (1, "time")])
def test_p10_time_comes_before_the_first_move_limit(off: int, cause: str) -> None:
    profile = replace(PLAIN, first_move_limit_ms=30 * DAY + off)
    end = the_end(clocks.release((profile, profile), T0))
    assert end == Due(T0 + 30 * DAY + min(off, 0), T0 + 30 * DAY + min(off, 0), cause)


@pytest.mark.parametrize(("off", "cause"), [(-1, "guillotine"), (0, "time"), (1, "time")])
def test_p10_time_comes_before_the_guillotine(off: int, cause: str) -> None:
    end = the_end(started(guillotine_ms=T0 + 30 * DAY + off))
    assert end == Due(T0 + 30 * DAY + min(off, 0), T0 + 30 * DAY + min(off, 0), cause)


@pytest.mark.parametrize(("off", "cause"), [(-1, "guillotine"), (0, "no_start"), (1, "no_start")])
def test_p10_the_first_move_limit_comes_before_the_guillotine(off: int, cause: str) -> None:
    end = the_end(clocks.release((named("30-30-1"),) * 2, T0, guillotine_ms=T0 + 7 * DAY + off))
    assert end == Due(T0 + 7 * DAY + min(off, 0), T0 + 7 * DAY + min(off, 0), cause)


@pytest.mark.parametrize(("off", "winner"), [(-1, Side.BLACK), (0, None), (1, Side.WHITE)])
def test_p10_the_guillotine_compares_live_balances(off: int, winner: Side | None) -> None:
    """White had 20 days when his turn began 5 days before the guillotine; Black has 15."""
    clock = holding(20 * DAY + off, guillotine_ms=T0 + 5 * DAY).with_remaining(Side.BLACK, 15 * DAY)
    assert clocks.guillotine_winner(clock) is winner


def test_p10_only_games_with_a_guillotine_have_a_winner_by_it() -> None:
    with pytest.raises(ValueError, match="no guillotine"):
        clocks.guillotine_winner(started())


@pytest.mark.parametrize(("off", "left"), [(-1, 1), (0, 0), (1, 0)])
def test_p11_a_move_that_ends_the_game_earns_nothing(off: int, left: int) -> None:
    pressed = clocks.press(holding(10 * DAY, GRACIOUS), T0 + 10 * DAY + off, ends_game=True)
    assert pressed.clock.white.remaining_ms == left
    assert (pressed.increment_ms, pressed.lapsed_ms, pressed.overrun_ms) == (0, 0, max(0, off))
    assert pressed.clock.ply == 3


def test_p11_rigid_clocks_do_not_reset_with_the_last_move() -> None:
    pressed = clocks.press(started(rigid(3)), T0 + DAY, ends_game=True)
    assert pressed.clock.white.remaining_ms == 2 * DAY


@pytest.mark.parametrize(
    ("ply", "earned"), [(97, DAY), (98, DAY), (99, DAY), (100, 12 * HOUR), (101, 12 * HOUR), (102, 12 * HOUR)]
)
def test_p12_the_increment_goes_by_the_players_own_move_number(ply: int, earned: int) -> None:
    """Plies 98 and 99 are the 50th moves of the two, 100 and 101 the 51st."""
    clock = clocks.release((LATE, LATE), T0)
    for _ in range(ply):
        clock = clocks.press(clock, T0).clock
    mover = Side(ply % 2)
    pressed = clocks.press(clock.with_remaining(mover, 10 * DAY), T0 + HOUR)
    assert pressed.increment_ms == earned
    assert pressed.clock.account(mover).remaining_ms == 10 * DAY - HOUR + earned


def test_each_side_plays_under_its_own_profile() -> None:
    clock = clocks.release((named("30-30-1"), named("T3_1")), T0)
    clock = clocks.press(clock, T0 + 2 * DAY).clock
    assert the_end(clock) == Due(T0 + 5 * DAY, T0 + 5 * DAY + GRACE, "time")
    clock = clocks.press(clock, T0 + 4 * DAY).clock
    assert (clock.white.remaining_ms, clock.black.remaining_ms) == (29 * DAY, 3 * DAY)
    assert the_end(clock) == Due(T0 + 33 * DAY, T0 + 33 * DAY + GRACE, "time")


def test_an_account_never_holds_less_than_nothing() -> None:
    with pytest.raises(ValueError, match="an account cannot hold -1 ms"):
        clocks.Account(PLAIN, -1)
    with pytest.raises(ValueError, match="an account cannot hold -1 ms"):
        replace(clocks.Account(PLAIN, 0), remaining_ms=-1)
    with pytest.raises(ImpossibleProfile):
        replace(PLAIN, initial_buffer_ms=31 * DAY)


@pytest.mark.parametrize("off", [-5 * SECOND, -1, 0])
def test_a_host_clock_behind_never_turns_time_back(off: int) -> None:
    """C48 for everything that takes an instant, not only for moves."""
    clock = holding(10 * DAY)
    assert clocks.elapsed(clock, T0 + off) == 0
    assert clocks.live_remaining(clock, Side.WHITE, T0 + off) == 10 * DAY
    assert clocks.settle(clock, T0 + off) == clock
    assert clocks.adjust(clock, T0 + off, Side.WHITE, delta_ms=DAY).clock.turn_started_at_ms == T0
    assert clocks.resume(clocks.pause(clock, T0, "a"), T0 + off, "a") == clock
