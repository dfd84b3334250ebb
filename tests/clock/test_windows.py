"""Maintenance windows and pauses within one turn: exact, harmless when repeated, in any order (U21, C35 to C40).

The expected time is found on a set of single ms, without the product.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.clock import clock as clocks
from chalicelib.clock.clock import Clock, Span
from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from tests.clock.effort import effort

LONG = Profile("long", 1_000, 0, 1_000)
NOW = 100


def spans(most: int, first: int = -20) -> st.SearchStrategy[list[Span]]:
    """Any spans up to NOW, overlapping or not, some of no length."""
    instants = st.integers(first, NOW)
    return st.lists(st.tuples(instants, instants).map(lambda pair: (min(pair), max(pair))), max_size=most)


@st.composite
def pauses(draw: st.DrawFn) -> list[Span]:
    """Pauses one after the other; the last one may still run, it then ends after NOW."""
    cuts = sorted(draw(st.lists(st.integers(0, NOW), max_size=7)))
    if len(cuts) % 2:
        cuts.append(NOW + 1)
    return list(zip(cuts[::2], cuts[1::2], strict=True))


def paused(clock: Clock, stops: list[Span]) -> Clock:
    for start, end in stops:
        clock = clocks.pause(clock, start, "a")
        if end <= NOW:
            clock = clocks.resume(clock, end, "a")
    return clock


def without(stops: list[Span], windows: list[Span]) -> int:
    """How many ms of the turn [0, NOW) lie in no pause and no window."""
    free = {ms for start, end in [*stops, *windows] for ms in range(start, end)}
    return sum(1 for ms in range(NOW) if ms not in free)


def close(clock: Clock, windows: list[Span]) -> tuple[Clock, int]:
    total = 0
    for start, end in windows:
        clock, by_ms = clocks.shift_for_window(clock, start, end)
        total += by_ms
    return clock, total


@pytest.fixture(scope="module")
def turn() -> Clock:
    return clocks.release((LONG, LONG), 0)


@effort(120)
@given(pauses(), spans(5))
def test_only_what_no_pause_and_no_window_covers_is_charged(
    turn: Clock, stops: list[Span], windows: list[Span]
) -> None:
    clock, total = close(paused(turn, stops), windows)
    assert clocks.elapsed(clock, NOW) == without(stops, windows)
    assert total == without(stops, []) - without(stops, windows)
    assert (clock.white, clock.black) == (turn.white, turn.black)


@effort(120)
@given(pauses(), spans(4), st.data())
def test_the_order_of_closing_does_not_matter(
    turn: Clock, stops: list[Span], windows: list[Span], data: st.DataObject
) -> None:
    clock = paused(turn, stops)
    one, total = close(clock, windows)
    other, other_total = close(clock, data.draw(st.permutations(windows)))
    assert (one.turn_started_at_ms, total) == (other.turn_started_at_ms, other_total)
    assert sorted(ms for span in one.stopped for ms in range(*span)) == sorted(
        ms for span in other.stopped for ms in range(*span)
    )


@effort(120)
@given(pauses(), spans(4), st.lists(st.integers(0, NOW), max_size=4))
def test_a_window_gives_back_what_was_settled_before_it_closed(
    turn: Clock, stops: list[Span], windows: list[Span], settlings: list[int]
) -> None:
    """Pauses, then settlings or windows in any order of closing: charged is what no pause and no window covers."""
    acts = [(at, 0, at) for at in settlings] + [(end, 1, start) for start, end in windows]
    ends = [instant for stop in stops for instant in stop if instant <= NOW]
    acts += [(at, 2 + number % 2, at) for number, at in enumerate(ends)]
    clock = turn
    for at, what, start in sorted(acts, key=lambda act: act[0]):
        match what:
            case 0:
                clock = clocks.settle(clock, at)
            case 1:
                clock, _ = clocks.shift_for_window(clock, start, at)
            case 2:
                clock = clocks.pause(clock, at, "a")
            case 3:
                clock = clocks.resume(clock, at, "a")
    charged = LONG.initial_buffer_ms - clocks.live_remaining(clock, Side.WHITE, NOW)
    assert charged == without(stops, windows)
    late, _ = close(clocks.settle(clock, NOW), [(-20, NOW)])
    assert clocks.live_remaining(late, Side.WHITE, NOW) == LONG.initial_buffer_ms


@pytest.mark.parametrize("is_settled", [False, True])
def test_a_window_gives_a_full_account_no_more_than_it_had(is_settled: bool) -> None:
    clock = clocks.release((LONG, LONG), 0)
    if is_settled:
        clock = clocks.adjust(clock, 60, Side.WHITE, delta_ms=1_000).clock
    clock, by_ms = clocks.shift_for_window(clock, 50, 70)
    assert by_ms == 20
    assert clocks.live_remaining(clock, Side.WHITE, 70) == (1_000 if is_settled else 950)


@effort(120)
@given(pauses(), spans(4))
def test_a_window_closed_again_changes_nothing(turn: Clock, stops: list[Span], windows: list[Span]) -> None:
    clock, _ = close(paused(turn, stops), windows)
    assert close(clock, windows) == (clock, 0)
    assert close(clock, [span for start, end in windows for span in ((start, end - 1), (start + 1, end))]) == (clock, 0)


@effort(120)
@given(pauses(), st.lists(st.integers(-20, NOW), min_size=2, max_size=6))
def test_a_window_in_pieces_is_the_whole_window(turn: Clock, stops: list[Span], cuts: list[int]) -> None:
    """What an open window is taken out for, move by move or look by look, adds up to the whole."""
    cuts = sorted(cuts)
    clock = paused(turn, stops)
    whole, total = close(clock, [(cuts[0], cuts[-1])])
    pieces, pieced_total = close(clock, list(pairwise(cuts)))
    growing, grown_total = close(clock, [(cuts[0], cut) for cut in cuts])
    assert pieces.turn_started_at_ms == growing.turn_started_at_ms == whole.turn_started_at_ms
    assert pieced_total == grown_total == total


@effort(120)
@given(pauses(), spans(3))
def test_windows_that_close_before_a_pause_ends_are_not_given_back_twice(
    turn: Clock, stops: list[Span], windows: list[Span]
) -> None:
    """The same, with every window closed as soon as it is over, in between the pauses."""
    ends = [instant for stop in stops for instant in stop if instant <= NOW]
    acts = [(at, number, at) for number, at in enumerate(ends)] + [(end, -1, start) for start, end in windows]
    clock = turn
    for at, number, start in sorted(acts):
        if number < 0:
            clock, _ = clocks.shift_for_window(clock, start, at)
        else:
            clock = (clocks.resume if number % 2 else clocks.pause)(clock, at, "a")
    assert clocks.elapsed(clock, NOW) == without(stops, windows)


@effort(100)
@given(pauses(), spans(3, first=0))
def test_the_idle_side_and_a_turn_begun_later_get_nothing(turn: Clock, stops: list[Span], windows: list[Span]) -> None:
    stopped = paused(turn, [stop for stop in stops if stop[1] <= NOW])
    clock = clocks.press(stopped, NOW).clock
    assert close(clock, windows) == (clock, 0)


@effort(100)
@given(pauses(), spans(3))
def test_the_first_move_limit_moves_with_the_turn(stops: list[Span], windows: list[Span]) -> None:
    profile = Profile("limited", 1_000, 0, 1_000, first_move_limit_ms=500)
    turn = clocks.release((profile, profile), 0, guillotine_ms=700, guillotine_shifts=True)
    clock, _ = close(paused(turn, [stop for stop in stops if stop[1] <= NOW]), windows)
    free = NOW - without([stop for stop in stops if stop[1] <= NOW], windows)
    assert (clock.first_move_due_ms, clock.guillotine_ms) == (500 + free, 700 + free)


@effort(100)
@given(
    st.lists(st.tuples(st.sampled_from(["press", "settle", "pause", "resume", "adjust", "shift"]), st.integers(0, 99)))
)
def test_instants_out_of_order_never_turn_time_back(acts: list[tuple[str, int]]) -> None:
    """C48: hosts disagree by some ms; the turn start only ever grows, and nobody gets more than they had."""
    clock = clocks.release((LONG, LONG), 50)
    for what, at in acts:
        before = clock
        match what:
            case "press" if clock.paused_at_ms is None:
                clock = clocks.press(clock, at).clock
            case "settle":
                clock = clocks.settle(clock, at)
            case "pause":
                clock = clocks.pause(clock, at, "a")
            case "resume":
                clock = clocks.resume(clock, at, "a")
            case "adjust":
                clock = clocks.adjust(clock, at, Side.WHITE, to_ms=500).clock
            case "shift":
                clock = clocks.shift_for_window(clock, at, at + 10)[0]
        assert clock.turn_started_at_ms >= before.turn_started_at_ms
        for side in Side:
            assert clocks.live_remaining(clock, side, at) <= clock.account(side).remaining_ms
            assert clock.account(side).remaining_ms <= 1_000
