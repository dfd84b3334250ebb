"""Edges of the clock and of decisions where two rules meet: limits inside the grace, stops, resends, late hosts."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.clock.clock import Due
from chalicelib.core.durations import DAY
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.events import Adjusted, Moved, Shifted
from chalicelib.games.history import history
from chalicelib.games.invariants import faults
from chalicelib.games.item import index_keys
from chalicelib.rules import referee
from tests.games.table import ANNA, BERT, PLAIN, T0, Table, both_moved, match, paired

GRACE = 1_500
GRACIOUS = replace(PLAIN, grace_ms=GRACE)


def entries_account_for_all_time(table: Table) -> None:
    """used + left = start + increments - lapsed + adjustments + overrun, from the entries alone (settled 13, U52)."""
    clock = table.game.clock
    assert clock is not None
    for side in Side:
        own = [
            entry
            for entry in history(table.game)
            if entry.by is side or (isinstance(entry.event, Adjusted) and entry.event.side is side)
        ]
        used = sum(entry.used_ms for entry in own)
        earned = sum(entry.increment_ms - entry.lapsed_ms + entry.overrun_ms for entry in own)
        given = sum(entry.event.applied_ms for entry in own if isinstance(entry.event, Adjusted))
        assert used + clock.account(side).remaining_ms == 30 * DAY + earned + given


def test_f1_the_time_a_correction_charges_is_in_its_entry() -> None:
    table = both_moved()
    outcome = table.do(ask.Adjust(Side.WHITE, delta_ms=-DAY), T0 + 3 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.used_ms == 3 * DAY
    table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 5 * DAY)
    assert history(table.game)[-1].used_ms == 2 * DAY
    entries_account_for_all_time(table)


def test_f1_a_correction_of_the_idle_side_charges_nothing() -> None:
    table = both_moved()
    outcome = table.do(ask.Adjust(Side.BLACK, delta_ms=-DAY), T0 + 3 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.used_ms == 0
    table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 5 * DAY)
    entries_account_for_all_time(table)


@pytest.mark.parametrize("first", [Side.WHITE, Side.BLACK])
def test_f1_the_check_of_the_store_knows_corrections(first: Side) -> None:
    """no false alarm, whatever was corrected first"""
    table = paired()
    table.do(ask.Adjust(first, delta_ms=-DAY), T0 + 3 * DAY)
    table.do(ask.Adjust(first.other, delta_ms=-DAY), T0 + 4 * DAY)
    table.do(ask.Adjust(first, delta_ms=-DAY), T0 + 5 * DAY)
    table.play("e2e4")
    assert list(faults(table.game, index_keys(table.game), referee("chess"))) == []


@pytest.mark.parametrize(("resumed", "moved"), [(2, 0), (5, 0), (6, 1)])
def test_f2_a_pause_counts_from_the_beginning_of_the_turn(resumed: int, moved: int) -> None:
    """a game paused before its release, or by a host whose clock is behind"""
    clock = clocks.release((PLAIN, PLAIN), T0 + 5)
    running = clocks.resume(clocks.pause(clock, T0, "a"), T0 + resumed, "a")
    assert running.turn_started_at_ms == T0 + 5 + moved


def test_f2_a_game_paused_before_its_release_starts_on_time() -> None:
    table = paired(release_at_ms=T0 + 10 * DAY)
    table.do(ask.Pause("x"), T0 + DAY)
    table.do(ask.Resume("x"), T0 + 5 * DAY)
    assert table.deadline == T0 + 40 * DAY
    outcome = table.do(ask.Move(ANNA, 0, "e2e4"), T0 + 11 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Moved(T0 + 11 * DAY, "e2e4")


@pytest.mark.parametrize("how", ["pause", "window"])
def test_f3_the_guillotine_compares_what_was_left_when_it_fell(how: str) -> None:
    """White had used 4 days when time stood still, and it fell during that"""
    table = both_moved(guillotine_ms=T0 + 5 * DAY)
    table.do(ask.Adjust(Side.BLACK, to_ms=28 * DAY))
    if how == "pause":
        table.do(ask.Pause("x"), T0 + 4 * DAY)
        table.do(ask.Resume("x"), T0 + 9 * DAY)
    else:
        table.do(ask.ShiftForWindow("night", T0 + 4 * DAY, T0 + 9 * DAY), T0 + 9 * DAY)
    table.do(ask.Look())
    assert table.result == ("guillotine", Side.BLACK, T0 + 5 * DAY)
    assert history(table.game)[-1].white_ms == 26 * DAY


@pytest.mark.parametrize(
    ("off", "end"),
    [
        (-1, Due(-1, -1, "guillotine")),
        (0, Due(0, 0, "time")),
        (700, Due(0, 700, "time")),
        (GRACE, Due(0, GRACE, "time")),
    ],
)
def test_f4_a_guillotine_in_the_grace_does_not_hide_the_deadline(off: int, end: Due) -> None:
    """P10: at one instant time comes first; what players see is the account's end"""
    deadline = T0 + 30 * DAY
    clock = clocks.release((GRACIOUS, GRACIOUS), T0, guillotine_ms=deadline + off)
    assert clocks.due(clock) == Due(deadline + end.at_ms, deadline + end.effective_ms, end.cause)
    limited = replace(GRACIOUS, first_move_limit_ms=30 * DAY + off)
    cause = "no_start" if end.cause == "guillotine" else "time"
    assert clocks.due(clocks.release((limited, limited), T0)) == Due(
        deadline + end.at_ms, deadline + end.effective_ms, cause
    )


@pytest.mark.parametrize("command", [ask.Adjust(Side.WHITE, delta_ms=DAY), ask.Pause("x")])
def test_f4_no_referee_acts_between_deadline_and_guillotine(command: ask.Command) -> None:
    """Adjust raises NotRunning (HTTP 500), Pause moves a passed deadline"""
    table = both_moved(match(GRACIOUS), guillotine_ms=T0 + 30 * DAY + 700)
    assert table.refused(command, T0 + 30 * DAY + 100) == "deadline_passed"


def test_f5_a_window_that_begins_in_the_grace_moves_no_passed_deadline() -> None:
    """settled 4 (maintenance shifts are named there)"""
    clock = clocks.release((GRACIOUS, GRACIOUS), T0)
    assert clocks.in_window(clock, T0 + 30 * DAY - 1, T0 + 31 * DAY) is not None
    assert clocks.in_window(clock, T0 + 30 * DAY, T0 + 31 * DAY) is None
    assert clocks.in_window(clock, T0 + 30 * DAY + GRACE - 1, T0 + 31 * DAY) is None


def test_f6_an_offer_sent_again_gets_its_own_entry_not_that_of_a_later_agreement() -> None:
    """White offers, Black declines and offers himself, White accepts, all at ply 2"""
    table = both_moved()
    first = table.do(ask.OfferDraw(ANNA, 2))
    table.do(ask.DeclineDraw(BERT, 2))
    table.do(ask.OfferDraw(BERT, 2))
    table.do(ask.AcceptDraw(ANNA, 2))
    assert table.do(ask.OfferDraw(ANNA, 2)).entry == first.entry


def test_f7_no_more_lag_is_recorded_than_was_given_back() -> None:
    table = both_moved()
    outcome = table.do(ask.Move(ANNA, 2, "g1f3", lag_ms=500), T0 + 100)
    assert outcome.entry is not None
    assert outcome.entry.event == Moved(T0 + 100, "g1f3", lag_ms=100)


def test_f8_the_entry_of_a_window_shows_the_balance_at_its_instant() -> None:
    """closed after a later pause, the balance shown is one that never was"""
    table = both_moved()
    table.do(ask.Pause("x"), T0 + 3 * DAY)
    table.do(ask.Resume("x"), T0 + 4 * DAY)
    table.do(ask.ShiftForWindow("night", T0 + DAY, T0 + 2 * DAY), T0 + 5 * DAY)
    last = history(table.game)[-1]
    assert isinstance(last.event, Shifted)
    assert last.white_ms in (29 * DAY, 27 * DAY), "at the end of the window, or at the instant of closing it"


def test_f9_times_in_the_log_do_not_go_back_when_a_host_is_behind() -> None:
    """C48"""
    table = both_moved()
    table.do(ask.Move(ANNA, 2, "g1f3"), T0 + DAY)
    table.do(ask.Resign(BERT), T0 + DAY - 5)
    assert table.result == ("resignation", Side.WHITE, T0 + DAY)
