"""Maintenance windows and silences: while one is open nothing is flagged and its time is charged to nobody."""

from __future__ import annotations

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.decide import decide
from chalicelib.games.events import Accepted, DrawOffered, Ended, Moved, Paused, Shifted
from chalicelib.games.history import history
from chalicelib.games.invariants import faults
from chalicelib.games.item import index_keys
from chalicelib.games.model import Game
from chalicelib.rules import referee
from chalicelib.watch.model import Window
from tests.games.table import ANNA, BERT, T0, Table, both_moved, invited, paired

OPENED = T0 + 29 * DAY
"""White's 30 days have a day left when the window opens."""


def silent(now_ms: int = T0 + 40 * DAY, **terms: object) -> Table:
    table = both_moved(**terms)
    table.window = Window("silence-1", OPENED)
    table.now_ms = now_ms
    return table


def white_left(game: Game) -> int:
    assert game.clock is not None
    return game.clock.white.remaining_ms


def test_nothing_is_flagged_while_a_window_is_open() -> None:
    table = silent()
    before = table.game
    outcome = table.do(ask.Look())
    assert (outcome.game, outcome.entry, outcome.refusal) == (before, None, None)


def test_a_move_in_the_window_is_charged_up_to_its_beginning_only() -> None:
    table = silent()
    outcome = table.do(ask.Move(ANNA, 2, "g1f3"))
    assert outcome.entry is not None
    assert outcome.entry.event == Moved(T0 + 40 * DAY, "g1f3")
    assert (outcome.entry.used_ms, outcome.entry.white_ms, outcome.entry.version) == (29 * DAY, 2 * DAY, 4)
    assert list(table.game.log)[2] == Shifted(T0 + 40 * DAY, "silence-1", OPENED)
    assert table.game.version == len(table.game.log) == 4


def test_a_turn_that_begins_in_the_window_costs_nothing_until_it_closes() -> None:
    table = silent()
    table.do(ask.Move(ANNA, 2, "g1f3"))
    outcome = table.do(ask.Move(BERT, 3, "b8c6"), T0 + 90 * DAY)
    assert outcome.entry is not None
    assert (outcome.entry.used_ms, outcome.entry.lapsed_ms) == (0, DAY)
    table.do(ask.ShiftForWindow("silence-1", OPENED, T0 + 100 * DAY), T0 + 100 * DAY)
    table.window = None
    assert table.do(ask.Look(), T0 + 102 * DAY - 1).game.result is None
    table.do(ask.Look(), T0 + 102 * DAY)
    assert table.result == ("time", Side.BLACK, T0 + 102 * DAY)


@pytest.mark.parametrize(
    ("command", "event"),
    [
        (ask.OfferDraw(BERT, 2), DrawOffered(T0 + 40 * DAY, Side.BLACK)),
        (ask.Resign(ANNA), Ended(T0 + 40 * DAY, "resignation", Side.BLACK, Side.WHITE)),
        (ask.Pause("x"), Paused(T0 + 40 * DAY, "x")),
    ],
)
def test_every_other_act_in_the_window_takes_its_time_out_first(command: ask.Command, event: object) -> None:
    table = silent()
    outcome = table.do(command)
    assert outcome.refusal is None
    assert list(table.game.log)[2:] == [Shifted(T0 + 40 * DAY, "silence-1", OPENED), event]
    assert history(table.game)[-1] == outcome.entry
    assert history(table.game)[-1].white_ms == DAY


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (ask.Move(ANNA, 2, "e2e4"), "illegal_move"),
        (ask.Move(BERT, 2, "g1f3"), "not_your_turn"),
        (ask.Move(ANNA, 3, "g1f3"), "wrong_ply"),
        (ask.AcceptDraw(BERT, 2), "no_offer"),
        (ask.Abort(ANNA), "not_abortable"),
        (ask.Adjust(Side.WHITE, delta_ms=-DAY), "would_expire"),
    ],
)
def test_what_is_refused_in_the_window_leaves_nothing_behind(command: ask.Command, code: str) -> None:
    assert silent().refused(command) == code


def test_what_was_done_before_is_answered_in_the_window() -> None:
    table = silent()
    before = table.game
    outcome = table.do(ask.Move(ANNA, 0, "e2e4"))
    assert outcome.entry == history(before)[0]
    assert outcome.game == before


def test_a_correction_in_the_window_settles_without_it() -> None:
    table = silent()
    table.do(ask.Adjust(Side.WHITE, delta_ms=DAY))
    assert white_left(table.game) == 2 * DAY
    table.do(ask.ShiftForWindow("silence-1", OPENED, T0 + 50 * DAY), T0 + 50 * DAY)
    assert table.deadline == T0 + 52 * DAY


def test_a_window_closed_after_a_correction_pays_back_what_the_correction_took() -> None:
    table = both_moved()
    table.do(ask.Adjust(Side.WHITE, delta_ms=-DAY), T0 + 3 * DAY)
    assert white_left(table.game) == 26 * DAY
    outcome = table.do(ask.ShiftForWindow("night", T0 + 2 * DAY, T0 + 4 * DAY), T0 + 4 * DAY)
    assert outcome.entry is not None
    assert (outcome.entry.used_ms, outcome.entry.white_ms) == (-DAY, 27 * DAY)
    assert table.deadline == T0 + 4 * DAY + 27 * DAY
    again = table.do(ask.ShiftForWindow("night", T0 + 2 * DAY, T0 + 4 * DAY), T0 + 5 * DAY)
    assert (again.entry, again.refusal) == (None, None)
    table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 5 * DAY)
    assert white_left(table.game) == 27 * DAY
    assert list(faults(table.game, index_keys(table.game), referee("chess"))) == []


@pytest.mark.parametrize(("off", "lost"), [(-1, False), (0, True), (1, True)])
def test_a_turn_lost_before_the_window_waits_for_its_end(off: int, lost: bool) -> None:
    table = both_moved()
    table.window = Window("silence-1", T0 + 30 * DAY + off)
    table.now_ms = T0 + 40 * DAY
    if not lost:
        assert table.do(ask.Move(ANNA, 2, "g1f3")).refusal is None
        return
    before = table.game
    for command in (
        ask.Move(ANNA, 2, "g1f3"),
        ask.Resign(BERT),
        ask.OfferDraw(ANNA, 2),
        ask.Pause("x"),
        ask.Adjust(Side.WHITE, delta_ms=DAY),
    ):
        assert table.refused(command) == "clock_suspended"
    assert table.do(ask.Look()).game == before
    assert table.do(ask.Move(ANNA, 0, "e2e4")).entry == history(before)[0]
    assert table.refused(ask.ShiftForWindow("silence-1", T0 + 30 * DAY + off, T0 + 50 * DAY)) == "lost_before_window"
    table.window = None
    table.do(ask.Look(), T0 + 50 * DAY)
    assert table.result == ("time", Side.BLACK, T0 + 30 * DAY)


def test_closing_the_window_gives_the_running_turn_its_overlap_once() -> None:
    table = both_moved()
    close = ask.ShiftForWindow("night", T0 + 2 * DAY, T0 + 2 * DAY + 4 * HOUR)
    outcome = table.do(close, T0 + 3 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Shifted(T0 + 2 * DAY + 4 * HOUR, "night", T0 + 2 * DAY)
    assert table.deadline == T0 + 30 * DAY + 4 * HOUR
    assert white_left(table.game) == 30 * DAY, "a full account loses nothing"
    before = table.game
    again = table.do(close, T0 + 4 * DAY)
    assert (again.game, again.entry, again.refusal) == (before, None, None)


def test_a_window_before_the_turn_or_the_release_gives_nothing() -> None:
    table = both_moved()
    close = ask.ShiftForWindow("night", T0 - DAY, T0)
    assert table.do(close).game == both_moved().game
    waiting = paired(release_at_ms=T0 + 5 * DAY)
    assert waiting.do(ask.ShiftForWindow("night", T0, T0 + 2 * DAY), T0 + 2 * DAY).game.version == 0
    waiting.do(ask.ShiftForWindow("night", T0 + 4 * DAY, T0 + 6 * DAY), T0 + 6 * DAY)
    assert waiting.deadline == T0 + 36 * DAY


def test_a_window_over_a_pause_counts_what_the_pause_did_not() -> None:
    table = both_moved()
    table.do(ask.Pause("x"), T0 + 3 * DAY)
    table.window = Window("night", T0 + 2 * DAY)
    table.do(ask.Resume("x"), T0 + 5 * DAY)
    table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 6 * DAY)
    assert history(table.game)[-1].used_ms == 2 * DAY


def test_the_first_move_limit_and_the_guillotine_in_a_window() -> None:
    """Nothing is flagged, the limit moves along, the guillotine only if the event says so (settled 16)."""
    for shifts in (False, True):
        table = silent(guillotine_ms=T0 + 35 * DAY, guillotine_shifts=shifts)
        assert table.do(ask.Look()).game.result is None
        table.do(ask.ShiftForWindow("silence-1", OPENED, T0 + 41 * DAY), T0 + 41 * DAY)
        table.window = None
        table.do(ask.Look(), T0 + 41 * DAY)
        assert (table.result is None) == shifts
        table.do(ask.Look(), T0 + 42 * DAY)
        assert table.result is not None
        assert table.result[0] == ("time" if shifts else "guillotine")


@pytest.mark.parametrize(("off", "code"), [(-1, None), (0, "clock_suspended"), (1, "clock_suspended")])
def test_who_is_caught_by_the_guillotine_in_a_window_waits_for_its_end(off: int, code: str | None) -> None:
    table = silent(now_ms=T0 + 35 * DAY + off, guillotine_ms=T0 + 35 * DAY)
    move = ask.Move(ANNA, 2, "g1f3")
    if code is None:
        assert table.do(move).refusal is None
        return
    assert table.refused(move) == code
    assert table.do(ask.Look()).game.result is None
    table.window = None
    table.do(ask.Look())
    assert table.result is not None
    assert table.result[0] == "time", "without the window the account was up first"


def test_an_invitation_lapses_in_a_window_as_ever() -> None:
    """No clock runs, so there is nothing the window could protect."""
    table = Table(invited())
    table.window = Window("silence-1", T0)
    table.do(ask.Look(), T0 + 14 * DAY)
    assert table.result == ("expired", None, T0 + 14 * DAY)


def test_an_invitation_can_be_accepted_in_a_window() -> None:
    table = Table(invited())
    table.window = Window("silence-1", T0)
    outcome = table.do(ask.Accept(BERT, Side.BLACK), T0 + DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Accepted(T0 + DAY, Side.BLACK)


def test_a_game_that_is_over_does_not_change_in_a_window() -> None:
    table = both_moved()
    table.do(ask.Resign(ANNA))
    table.window = Window("silence-1", T0)
    assert table.refused(ask.Move(BERT, 2, "g1f3"), T0 + 90 * DAY) == "game_over"


def test_a_window_that_has_ended_is_taken_out_as_far_as_it_went() -> None:
    table = silent()
    table.window = Window("night", OPENED, OPENED + HOUR)
    outcome = table.do(ask.Move(ANNA, 2, "g1f3"), OPENED + 3 * HOUR)
    assert outcome.entry is not None
    assert outcome.entry.used_ms == 29 * DAY + 2 * HOUR
    assert list(table.game.log)[2] == Shifted(OPENED + HOUR, "night", OPENED)


def test_nothing_is_flagged_while_a_window_that_has_ended_is_not_settled() -> None:
    table = silent()
    table.window = Window("night", OPENED, OPENED + HOUR)
    end = OPENED + DAY + HOUR
    assert table.do(ask.Look(), end).game.result is None
    assert table.refused(ask.Move(ANNA, 2, "g1f3")) == "clock_suspended"
    table.do(ask.ShiftForWindow("night", OPENED, OPENED + HOUR))
    table.window = None
    table.do(ask.Look())
    assert table.result == ("time", Side.BLACK, end)


@pytest.mark.parametrize(
    ("first", "second", "given"),
    [
        ((0, 4), (6, 8), 6),
        ((0, 4), (2, 8), 8),
        ((0, None), (2, 4), 9),
        ((0, 2), (4, None), 7),
    ],
)
def test_two_windows_give_back_what_lies_in_either(
    first: tuple[int, int | None], second: tuple[int, int | None], given: int
) -> None:
    game = silent().game
    windows = [
        Window(name, OPENED + start * HOUR, None if end is None else OPENED + end * HOUR)
        for name, (start, end) in (("one", first), ("two", second))
    ]
    outcome = decide(game, ask.Move(ANNA, 2, "g1f3"), OPENED + 9 * HOUR, referee("chess"), windows)
    assert outcome.entry is not None
    assert outcome.entry.used_ms == 29 * DAY + (9 - given) * HOUR
    assert list(faults(outcome.game, index_keys(outcome.game), referee("chess"))) == []
