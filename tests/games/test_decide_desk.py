"""Referees' acts: pauses, corrections, and until when they are possible (settled 4 and 14)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.due import due
from chalicelib.games.events import Adjusted, Paused, Resumed
from chalicelib.games.history import history
from tests.games.table import ANNA, BERT, PLAIN, T0, Table, both_moved, match, paired

GRACE = 1_500
GRACIOUS = replace(PLAIN, grace_ms=GRACE)


def paused_after(ms: int) -> Table:
    table = both_moved()
    table.do(ask.Pause("illness"), T0 + ms)
    return table


def test_a_paused_game_takes_nothing_but_the_desk() -> None:
    table = paused_after(4 * DAY)
    assert table.game.status(T0 + 5 * DAY) == "paused"
    for command in (
        ask.Move(ANNA, 2, "g1f3"),
        ask.Move(BERT, 2, "g1f3"),
        ask.Resign(ANNA),
        ask.OfferDraw(BERT, 2),
        ask.AcceptDraw(BERT, 2),
        ask.DeclineDraw(BERT, 2),
        ask.ClaimDraw(ANNA, 2, "fifty_moves"),
        ask.Abort(ANNA),
    ):
        assert table.refused(command, T0 + 400 * DAY) == "game_paused"
    assert table.do(ask.Look(), T0 + 400 * DAY).game == table.game, "and nobody is flagged"


def test_what_was_done_before_a_pause_is_answered_during_it() -> None:
    table = paused_after(4 * DAY)
    again = table.do(ask.Move(ANNA, 0, "e2e4"))
    assert again.entry == history(table.game)[0]
    assert table.refused(ask.Move(ANNA, 0, "d2d4")) == "already_played"


def test_a_pause_is_charged_to_nobody() -> None:
    table = paused_after(4 * DAY)
    assert table.do(ask.Resume("illness"), T0 + 9 * DAY).entry == history(table.game)[-1]
    assert table.deadline == T0 + 35 * DAY
    outcome = table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 11 * DAY)
    assert outcome.entry is not None
    assert (outcome.entry.used_ms, outcome.entry.white_ms) == (6 * DAY, 25 * DAY)


def test_pauses_are_logged_with_their_reasons_and_both_must_end() -> None:
    table = paused_after(DAY)
    table.do(ask.Pause("power cut, hall 2"), T0 + 2 * DAY)
    table.do(ask.Resume("illness"), T0 + 3 * DAY)
    assert table.refused(ask.Move(ANNA, 2, "g1f3")) == "game_paused"
    table.do(ask.Resume("power cut, hall 2"), T0 + 4 * DAY)
    assert list(table.game.log)[2:] == [
        Paused(T0 + DAY, "illness"),
        Paused(T0 + 2 * DAY, "power cut, hall 2"),
        Resumed(T0 + 3 * DAY, "illness"),
        Resumed(T0 + 4 * DAY, "power cut, hall 2"),
    ]
    assert table.deadline == T0 + 33 * DAY


@pytest.mark.parametrize("command", [ask.Pause("illness"), ask.Resume("never given")])
def test_what_is_so_already_is_no_event(command: ask.Command) -> None:
    table = paused_after(DAY)
    before = table.game
    outcome = table.do(command, T0 + 2 * DAY)
    assert (outcome.game, outcome.entry, outcome.refusal) == (before, None, None)
    running = both_moved()
    assert running.do(ask.Resume("illness")).game == both_moved().game


@pytest.mark.parametrize(
    "command",
    [
        ask.Pause("illness"),
        ask.Adjust(Side.WHITE, delta_ms=DAY),
        ask.Adjust(Side.WHITE, to_ms=DAY),
        ask.Adjust(Side.BLACK, delta_ms=-DAY),
    ],
)
@pytest.mark.parametrize(
    ("off", "code"), [(-1, None), (0, "deadline_passed"), (1, "deadline_passed"), (GRACE - 1, "deadline_passed")]
)
def test_from_the_deadline_on_no_referee_can_move_it(command: ask.Command, off: int, code: str | None) -> None:
    """Settled 4: refused although the grace still runs, in which the player may move."""
    table = both_moved(match(GRACIOUS))
    table.now_ms = T0 + 30 * DAY + off
    if code is None:
        assert table.do(command).refusal is None
        return
    assert table.refused(command) == code
    assert table.do(ask.Move(ANNA, 2, "g1f3")).refusal is None


def test_a_correction_settles_the_live_balance_first() -> None:
    table = both_moved()
    outcome = table.do(ask.Adjust(Side.WHITE, delta_ms=12 * HOUR), T0 + 4 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Adjusted(T0 + 4 * DAY, Side.WHITE, 12 * HOUR, 12 * HOUR)
    assert (outcome.entry.by, outcome.entry.ply) == (None, 2)
    assert (outcome.entry.white_ms, outcome.entry.black_ms) == (26 * DAY + 12 * HOUR, 30 * DAY)
    assert table.deadline == T0 + 30 * DAY + 12 * HOUR


def test_a_correction_above_the_cap_is_cut_and_both_amounts_are_logged() -> None:
    table = both_moved()
    table.do(ask.Adjust(Side.WHITE, delta_ms=9 * DAY), T0 + 4 * DAY)
    assert list(table.game.log)[-1] == Adjusted(T0 + 4 * DAY, Side.WHITE, 9 * DAY, 4 * DAY)
    table.do(ask.Adjust(Side.BLACK, to_ms=10 * DAY))
    assert list(table.game.log)[-1] == Adjusted(T0 + 4 * DAY, Side.BLACK, -20 * DAY, -20 * DAY)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (ask.Adjust(Side.WHITE, delta_ms=-26 * DAY + 1), None),
        (ask.Adjust(Side.WHITE, delta_ms=-26 * DAY), "would_expire"),
        (ask.Adjust(Side.WHITE, delta_ms=-26 * DAY - 1), "would_expire"),
        (ask.Adjust(Side.BLACK, delta_ms=-30 * DAY), "would_expire"),
        (ask.Adjust(Side.WHITE, to_ms=1), None),
        (ask.Adjust(Side.WHITE, to_ms=0), "would_expire"),
    ],
)
def test_a_correction_never_ends_a_game(command: ask.Command, code: str | None) -> None:
    table = both_moved()
    table.now_ms = T0 + 4 * DAY
    if code:
        assert table.refused(command) == code
        return
    assert table.do(command).refusal is None
    assert table.deadline == table.now_ms + 1


def test_a_correction_with_a_key_is_done_once() -> None:
    """Its content does not say whether it is meant twice; its key does (settled 1)."""
    table = both_moved()
    gift = ask.Adjust(Side.WHITE, delta_ms=HOUR, key="gift-1")
    first = table.do(gift, T0 + 4 * DAY)
    assert first.entry is not None
    assert first.entry.event == Adjusted(T0 + 4 * DAY, Side.WHITE, HOUR, HOUR, "gift-1")
    again = table.do(gift, T0 + 5 * DAY)
    assert (again.entry, again.refusal, again.game) == (first.entry, None, first.game)
    table.do(ask.Adjust(Side.WHITE, delta_ms=HOUR, key="gift-2"))
    table.do(ask.Adjust(Side.WHITE, delta_ms=HOUR))
    table.do(ask.Adjust(Side.WHITE, delta_ms=HOUR))
    assert table.deadline == T0 + 30 * DAY + 4 * HOUR


@pytest.mark.parametrize("later", [0, DAY, 400 * DAY])
def test_a_correction_with_a_key_is_answered_whatever_has_happened_since(later: int) -> None:
    table = both_moved()
    gift = ask.Adjust(Side.BLACK, delta_ms=-HOUR, key="gift-1")
    first = table.do(gift, T0 + DAY)
    table.play("g1f3")
    again = table.do(gift, T0 + DAY + later)
    assert (again.entry, again.refusal) == (first.entry, None)


def test_a_correction_during_a_pause_counts_from_its_beginning() -> None:
    table = paused_after(4 * DAY)
    table.do(ask.Adjust(Side.WHITE, delta_ms=-DAY), T0 + 6 * DAY)
    assert table.game.clock is not None
    assert table.game.clock.white.remaining_ms == 25 * DAY
    table.do(ask.Resume("illness"), T0 + 9 * DAY)
    assert table.deadline == T0 + 34 * DAY


def test_offers_survive_the_desk_and_positions_too() -> None:
    table = both_moved()
    table.do(ask.OfferDraw(BERT, 2))
    for command in (ask.Adjust(Side.BLACK, delta_ms=-DAY), ask.Pause("x"), ask.Resume("x")):
        before = table.game
        table.do(command, table.now_ms + HOUR)
        assert table.game.version == before.version + 1
        assert (table.game.offer, table.game.position, table.game.ply) == (before.offer, before.position, before.ply)
    assert table.do(ask.AcceptDraw(ANNA, 2)).refusal is None


@pytest.mark.parametrize("command", [ask.Pause("x"), ask.Resume("x"), ask.Adjust(Side.WHITE, delta_ms=1)])
def test_a_game_that_is_over_is_left_alone(command: ask.Command) -> None:
    table = both_moved()
    table.do(ask.Resign(ANNA))
    assert table.refused(command) == "game_over"
    assert table.refused(ask.ShiftForWindow("w", T0, T0 + 1)) == "not_running"


def test_an_account_may_be_corrected_before_the_release() -> None:
    table = paired(release_at_ms=T0 + 10 * DAY)
    table.do(ask.Adjust(Side.WHITE, delta_ms=-5 * DAY), T0 + DAY)
    assert table.deadline == T0 + 35 * DAY
    reached = due(table.game)
    assert reached is not None
    assert reached.at_ms == T0 + 35 * DAY
    assert table.do(ask.Move(ANNA, 0, "e2e4"), T0 + 11 * DAY).refusal is None


def test_a_paused_game_may_be_released_meanwhile() -> None:
    table = paired(release_at_ms=T0 + DAY)
    table.do(ask.Pause("late start"), T0)
    assert table.game.status(T0 + DAY - 1) == "created"
    assert table.game.status(T0 + DAY) == "paused"
    assert table.refused(ask.Move(ANNA, 0, "e2e4"), T0 + 2 * DAY) == "game_paused"
