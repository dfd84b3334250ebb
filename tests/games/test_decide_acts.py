"""Referees' acts that go further than a correction: resets, decisions, ends taken back, and acts undone."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clock.clock import live_remaining
from chalicelib.clock.profiles import Profile
from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.due import due
from chalicelib.games.events import Adjusted, Ended, Reinstated, Undone
from chalicelib.games.history import rebuilt
from chalicelib.games.invariants import faults
from chalicelib.games.item import game_of_image, index_keys, item_of
from chalicelib.games.model import Game
from chalicelib.games.views import event_view, score
from chalicelib.rules import referee
from tests.clock.effort import effort
from tests.games.table import ANNA, BERT, LONG, PLAIN, T0, Table, accepted, both_moved, invited, match, paired

GRACIOUS = replace(PLAIN, grace_ms=1_500)


def sound(table: Table) -> Table:
    """The table, after making sure that its game agrees with its log, and survives its item."""
    game = table.game
    assert list(faults(game, index_keys(game), referee(game.kind))) == []
    assert game_of_image(item_of(game).serialize()) == game
    return table


def live(table: Table, side: Side) -> int:
    assert table.game.clock is not None
    return live_remaining(table.game.clock, side, table.now_ms)


def detail(table: Table, command: ask.Command, at_ms: int | None = None) -> str:
    """The sentence of a refusal that leaves the game as it was."""
    before = table.game
    refusal = table.do(command, at_ms).refusal
    assert refusal is not None
    assert table.game == before
    return refusal.detail


# --- what all acts have in common


def acts(key: str = "", version: int | None = None) -> list[ask.DeskCommand]:
    both: dict[str, Any] = {"key": key, "version": version}
    return [
        ask.Pause("illness", **both),
        ask.Resume("illness", **both),
        ask.Adjust(Side.WHITE, delta_ms=-HOUR, **both),
        ask.Adjust(Side.BLACK, reset_to="start", **both),
        ask.Adjudicate(Side.BLACK, **both),
        ask.Adjudicate(None, is_annulled=True, **both),
        ask.Undo(**both),
    ]


@pytest.mark.parametrize("number", range(len(acts())))
def test_an_act_with_a_key_is_done_once_and_answered_for_ever(number: int) -> None:
    act = acts("k7")[number]
    table = both_moved()
    if isinstance(act, ask.Resume | ask.Undo):
        table.do(ask.Pause("illness"), T0 + HOUR)
    first = table.do(act, T0 + DAY)
    assert first.entry is not None
    for later in (T0 + DAY, T0 + 2 * DAY):
        again = table.do(act, later)
        assert (again.entry, again.refusal, again.game) == (first.entry, None, first.game)
    assert event_view(first.entry).act == "k7"
    sound(table)


@pytest.mark.parametrize("number", range(len(acts())))
def test_an_act_meant_for_another_version_is_refused(number: int) -> None:
    table = both_moved()
    table.do(ask.Pause("illness"), T0 + HOUR)
    assert "version 2, but the game stands at version 3" in detail(table, acts(version=2)[number])
    assert table.refused(acts(version=4)[number]) == "stale_version"
    table = both_moved()
    if number not in (1, 6):
        assert table.do(acts(version=2)[number], T0 + HOUR).entry is not None


@pytest.mark.parametrize("number", range(len(acts())))
def test_no_act_reaches_a_game_whose_deadline_has_passed(number: int) -> None:
    """Settled 4; and once the grace is over the game ends first, and the act is refused."""
    table = both_moved(match(GRACIOUS))
    table.do(ask.Adjust(Side.BLACK, delta_ms=-HOUR), T0)
    assert table.refused(acts()[number], T0 + 30 * DAY) == "deadline_passed"
    refusal = table.do(acts()[number], T0 + 31 * DAY).refusal
    assert refusal is not None
    assert refusal.code == "game_over"
    assert table.result == ("time", Side.BLACK, T0 + 30 * DAY)
    sound(table)


def test_an_invitation_has_no_clock_for_the_desk() -> None:
    table = Table(invited())
    for act in [*acts(), ask.Reinstate(DAY)]:
        assert table.refused(act) == "not_started"
    table.do(ask.Decline(BERT))
    for act in [*acts(), ask.Reinstate(DAY)]:
        assert table.refused(act) == "game_over"


# --- corrections


def test_a_reset_goes_to_the_start_of_the_sides_own_profile() -> None:
    short = Profile("short", 5 * DAY, increment_ms=DAY, cap_ms=8 * DAY)
    table = both_moved(match(PLAIN, black=short))
    table.do(ask.Adjust(Side.WHITE, reset_to="start"), T0 + 4 * DAY)
    assert list(table.game.log)[-1] == Adjusted(T0 + 4 * DAY, Side.WHITE, 4 * DAY, 4 * DAY)
    table.do(ask.Adjust(Side.BLACK, reset_to="start"))
    assert list(table.game.log)[-1] == Adjusted(T0 + 4 * DAY, Side.BLACK, -DAY, -DAY)
    assert (live(table, Side.WHITE), live(table, Side.BLACK)) == (30 * DAY, 5 * DAY)
    sound(table)


def test_a_reset_goes_to_what_an_account_held_after_a_version() -> None:
    table = both_moved().play("g1f3 b8c6", every_ms=3 * DAY)
    table.do(ask.Adjust(Side.WHITE, reset_to=3), T0 + 16 * DAY)
    assert live(table, Side.WHITE) == 28 * DAY, "30 - 3 + 1, whatever has been used since"
    table.do(ask.Adjust(Side.BLACK, reset_to=3))
    assert live(table, Side.BLACK) == 30 * DAY
    sound(table)


@pytest.mark.parametrize("version", [0, -1, 9])
def test_a_reset_to_a_version_that_never_was_is_refused(version: int) -> None:
    table = both_moved()
    assert f"version {version}; there are 1 to 2" in detail(table, ask.Adjust(Side.WHITE, reset_to=version))


def test_a_reset_to_a_version_before_the_release_is_refused() -> None:
    table = paired()
    assert "there are none yet" in detail(table, ask.Adjust(Side.WHITE, reset_to=1))
    assert "there are 1 to 1" in detail(accepted(), ask.Adjust(Side.WHITE, reset_to=0))


@pytest.mark.parametrize(
    ("command", "numbers"),
    [
        (ask.Adjust(Side.WHITE, delta_ms=-26 * DAY - 2 * HOUR), "would leave -2 h of 26 d"),
        (ask.Adjust(Side.WHITE, to_ms=-HOUR), "would leave -1 h of 26 d"),
        (ask.Adjust(Side.BLACK, delta_ms=-30 * DAY), "would leave 0 s of 30 d"),
    ],
)
def test_a_refused_correction_says_what_it_would_leave(command: ask.Command, numbers: str) -> None:
    table = both_moved()
    assert detail(table, command, T0 + 4 * DAY) == numbers


# --- decisions


@pytest.mark.parametrize("paused", [False, True])
@pytest.mark.parametrize(
    ("command", "result", "written", "status", "rates"),
    [
        (ask.Adjudicate(Side.WHITE), ("adjudication", Side.WHITE), "1-0", "finished", True),
        (ask.Adjudicate(Side.BLACK), ("adjudication", Side.BLACK), "0-1", "finished", True),
        (ask.Adjudicate(None), ("adjudication", None), "1/2-1/2", "finished", True),
        (ask.Adjudicate(None, is_annulled=True), ("annulled", None), "*", "aborted", False),
    ],
)
def test_a_referee_decides_a_game(
    command: ask.Adjudicate, result: tuple[str, Side | None], written: str, status: str, rates: bool, paused: bool
) -> None:
    table = both_moved()
    if paused:
        table.do(ask.Pause("illness"), T0 + HOUR)
    outcome = table.do(command, T0 + DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Ended(T0 + DAY, *result)
    assert table.result == (*result, T0 + DAY)
    assert (score(table.game), table.game.status(table.now_ms), table.game.rates) == (written, status, rates)
    for other in (ask.Resign(ANNA), ask.Move(ANNA, 2, "g1f3"), ask.Pause("x"), ask.Adjudicate(Side.WHITE)):
        assert table.refused(other) == "game_over"
    sound(table)


# --- undoing


def undone_is_as_never_done(table: Table, act: ask.Command, wait_ms: int, charged: bool) -> None:
    """An act and its undoing leave the game as it would have stood; if not `charged`, the time in between is free."""
    twin = Table(table.game, table.now_ms)
    assert table.do(act).entry is not None
    table.wait(wait_ms)
    outcome = table.do(ask.Undo())
    assert outcome.entry is not None
    sound(table)
    twin.now_ms = table.now_ms if charged else twin.now_ms
    assert [live(table, side) for side in Side] == [live(twin, side) for side in Side]
    kept = ("offer", "result", "position", "ply")
    assert [getattr(table.game, name) for name in kept] == [getattr(twin.game, name) for name in kept]
    running, other = due(table.game), due(twin.game)
    if running is None or other is None:
        assert (running, other) == (None, None)
        return
    assert running.at_ms - table.now_ms == other.at_ms - twin.now_ms
    assert table.game.clock is not None
    assert twin.game.clock is not None
    assert table.game.clock.pause_reasons == twin.game.clock.pause_reasons


def game_in_pause() -> Table:
    table = both_moved()
    table.do(ask.OfferDraw(BERT, 2))
    table.do(ask.Pause("illness"), T0 + 4 * DAY)
    return table.wait(DAY)


def game_with_offer() -> Table:
    table = both_moved()
    table.do(ask.OfferDraw(BERT, 2))
    return table.wait(4 * DAY)


def game_not_opened() -> Table:
    return paired(match(LONG)).wait(DAY)


@pytest.mark.parametrize("wait_ms", [0, 1, 5 * DAY])
@pytest.mark.parametrize("begun", [game_in_pause, game_with_offer, game_not_opened])
@pytest.mark.parametrize(
    ("act", "charged"),
    [
        (ask.Adjust(Side.WHITE, delta_ms=2 * DAY), True),
        (ask.Adjust(Side.WHITE, delta_ms=-2 * DAY), True),
        (ask.Adjust(Side.WHITE, delta_ms=90 * DAY), True),
        (ask.Adjust(Side.BLACK, to_ms=DAY), True),
        (ask.Pause("power cut"), False),
        (ask.Resume("illness"), False),
        (ask.Adjudicate(Side.BLACK), False),
        (ask.Adjudicate(None, is_annulled=True), False),
    ],
)
def test_an_act_undone_leaves_the_game_as_if_it_had_never_been(
    begun: Any, act: ask.Command, charged: bool, wait_ms: int
) -> None:
    table: Table = begun()
    if isinstance(act, ask.Resume) and begun is not game_in_pause:
        assert Table(table.game, table.now_ms).do(act).entry is None
        return
    undone_is_as_never_done(table, act, wait_ms, charged)


def test_acts_are_undone_one_after_the_other_until_a_ply_and_no_further() -> None:
    table = both_moved()
    table.do(ask.Adjust(Side.WHITE, delta_ms=-DAY), T0 + DAY)
    table.play("g1f3")
    table.do(ask.Adjust(Side.WHITE, delta_ms=-2 * DAY), T0 + 2 * DAY)
    table.do(ask.Adjust(Side.BLACK, delta_ms=-3 * DAY))
    table.do(ask.OfferDraw(ANNA, 3))
    assert table.do(ask.Undo()).entry is not None
    assert list(table.game.log)[-1] == Undone(table.now_ms, 6)
    assert table.do(ask.Undo()).entry is not None
    assert list(table.game.log)[-1] == Undone(table.now_ms, 5)
    assert (live(table, Side.WHITE), live(table, Side.BLACK)) == (29 * DAY, 29 * DAY)
    assert table.refused(ask.Undo()) == "nothing_to_undo"
    assert table.refused(ask.Undo(), T0 + 3 * DAY) == "nothing_to_undo"
    assert table.game.offer is not None
    sound(table)


def test_undoing_a_gift_that_was_used_up_is_refused_with_numbers() -> None:
    table = both_moved()
    table.do(ask.Adjust(Side.WHITE, to_ms=DAY), T0)
    table.do(ask.Adjust(Side.WHITE, delta_ms=DAY), T0 + 23 * HOUR)
    assert detail(table, ask.Undo(), T0 + 26 * HOUR) == "would leave -2 h of 22 h"
    assert table.do(ask.Undo(), T0 + 24 * HOUR - 1).entry is not None
    assert live(table, Side.WHITE) == 1
    sound(table)


def test_an_end_that_players_or_the_clock_made_is_not_the_desks_to_undo() -> None:
    table = both_moved()
    table.do(ask.Pause("x"), T0 + DAY)
    table.do(ask.Resume("x"))
    table.do(ask.Resign(ANNA))
    assert table.refused(ask.Undo()) == "game_over"


def test_a_decision_is_not_undone_when_the_guillotine_has_fallen_meanwhile() -> None:
    table = both_moved(guillotine_ms=T0 + 10 * DAY)
    table.do(ask.Adjudicate(Side.WHITE), T0 + 9 * DAY)
    assert "its guillotine was up 2 d ago" in detail(table, ask.Undo(), T0 + 12 * DAY)
    assert table.do(ask.Undo(), T0 + 10 * DAY - 1).entry is not None
    sound(table)


def test_a_decision_may_follow_one_that_was_undone() -> None:
    table = both_moved()
    for number in range(3):
        assert table.do(ask.Adjudicate(Side.WHITE), T0 + (2 * number + 1) * DAY).entry is not None
        assert table.do(ask.Undo(), T0 + (2 * number + 2) * DAY).entry is not None
    assert table.deadline == T0 + 33 * DAY
    table.do(ask.Adjudicate(None, is_annulled=True))
    assert table.result == ("annulled", None, T0 + 6 * DAY)
    assert sound(table).game.version == 2 + 7


# --- ends on time taken back


def flagged(profile: Profile = PLAIN, **terms: Any) -> Table:
    table = both_moved(match(profile), **terms)
    table.do(ask.OfferDraw(BERT, 2))
    table.do(ask.Look(), T0 + 31 * DAY)
    assert table.game.is_over
    return table


def test_a_game_flagged_wrongly_goes_on_with_the_account_that_the_referee_names() -> None:
    table = flagged(GRACIOUS)
    outcome = table.do(ask.Reinstate(2 * DAY, key="k7"), T0 + 35 * DAY)
    assert outcome.entry is not None
    assert outcome.entry.event == Reinstated(T0 + 35 * DAY, Side.WHITE, 2 * DAY, 2 * DAY, "k7")
    assert (outcome.entry.used_ms, outcome.entry.white_ms, outcome.entry.black_ms) == (30 * DAY, 2 * DAY, 30 * DAY)
    assert table.result is None
    assert table.game.offer is None, "an offer lapses with the end"
    assert index_keys(table.game) == ("running0", T0 + 37 * DAY + 1_500)
    sound(table)
    assert table.refused(ask.Reinstate(DAY)) == "not_ended_on_time"
    assert table.refused(ask.Undo()) == "nothing_to_undo"
    assert table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 36 * DAY).refusal is None
    sound(table)
    table.do(ask.Look(), T0 + 400 * DAY)
    assert table.result == ("time", Side.WHITE, T0 + 66 * DAY)
    sound(table)


def test_the_account_of_a_game_taken_back_is_cut_at_the_cap_and_never_empty() -> None:
    table = flagged()
    assert detail(table, ask.Reinstate(0)) == "would leave 0 s of 0 s"
    assert detail(table, ask.Reinstate(-2 * HOUR)) == "would leave -2 h of 0 s"
    table.do(ask.Reinstate(40 * DAY))
    assert list(table.game.log)[-1] == Reinstated(table.now_ms, Side.WHITE, 40 * DAY, 30 * DAY)
    sound(table)


def test_a_game_lost_by_its_first_move_may_be_opened_again_for_as_long() -> None:
    table = paired(match(LONG))
    table.do(ask.Look(), T0 + 9 * DAY)
    assert table.result == ("no_start", Side.BLACK, T0 + 7 * DAY)
    table.do(ask.Reinstate(25 * DAY))
    assert list(table.game.log)[-1] == Reinstated(T0 + 9 * DAY, Side.WHITE, 2 * DAY, 2 * DAY)
    reached = due(table.game)
    assert reached is not None
    assert (reached.at_ms, reached.cause) == (T0 + 16 * DAY, "no_start")
    sound(table)


def test_a_guillotine_that_fell_wrongly_is_lifted() -> None:
    table = both_moved(guillotine_ms=T0 + 10 * DAY)
    table.do(ask.Look(), T0 + 11 * DAY)
    assert table.result == ("guillotine", Side.BLACK, T0 + 10 * DAY)
    table.do(ask.Reinstate(20 * DAY))
    reached = due(table.game)
    assert reached is not None
    assert (reached.at_ms, reached.cause) == (T0 + 31 * DAY, "time")
    sound(table)


@pytest.mark.parametrize("end", [ask.Resign(BERT), ask.Adjudicate(Side.WHITE), ask.Adjudicate(None, is_annulled=True)])
def test_a_game_that_did_not_end_on_time_is_not_taken_back_as_if(end: ask.Command) -> None:
    table = both_moved()
    assert table.refused(ask.Reinstate(DAY)) == "not_ended_on_time"
    table.do(end)
    assert table.refused(ask.Reinstate(DAY)) == "not_ended_on_time"


def test_a_game_taken_back_from_its_deadline_may_be_decided_and_that_undone() -> None:
    table = flagged()
    table.do(ask.Reinstate(2 * DAY))
    table.do(ask.Adjudicate(Side.BLACK), T0 + 32 * DAY)
    table.do(ask.Undo(), T0 + 40 * DAY)
    assert table.deadline == T0 + 41 * DAY
    sound(table)


# --- everything at once


WHAT = st.sampled_from(["pause", "resume", "give", "take", "set", "reset", "decide", "annul", "undo", "back", "move"])
KNIGHTS = ("g1f3", "g8f6", "f3g1", "f6g8")


@effort(150)
@given(st.lists(st.tuples(WHAT, st.sampled_from([0, 1, HOUR, DAY, 9 * DAY, 29 * DAY])), max_size=14))
def test_whatever_the_desk_does_the_log_tells_it_all(steps: list[tuple[str, int]]) -> None:
    table = paired(match(GRACIOUS), guillotine_ms=T0 + 200 * DAY)
    for what, wait_ms in steps:
        before = table.game
        outcome = table.wait(wait_ms).do(_command(what, table.game))
        assert (outcome.entry is None) or outcome.refusal is None
        if outcome.refusal is not None and not (table.game.is_over and not before.is_over):
            assert table.game == before
        sound(table)
        assert rebuilt(table.game) == table.game
        _no_deadline_without_its_account(table.game)


def _no_deadline_without_its_account(game: Game) -> None:
    """Settled 14: the deadline is the turn and its account, and nothing else."""
    reached = due(game)
    if reached is not None and reached.cause == "time":
        assert game.clock is not None
        account = game.clock.account(game.clock.to_move)
        assert reached.at_ms == game.clock.turn_started_at_ms + account.remaining_ms
        assert account.remaining_ms <= account.profile.cap_ms


def _command(what: str, game: Game) -> ask.Command:
    side = Side(game.version % 2)
    if what == "move":
        return ask.Move(game.player(game.mover(game.ply)) or "", game.ply, KNIGHTS[game.ply % 4])
    return {
        "pause": ask.Pause("ill" if side else "power"),
        "resume": ask.Resume("ill"),
        "give": ask.Adjust(side, delta_ms=3 * DAY),
        "take": ask.Adjust(side, delta_ms=-3 * DAY),
        "set": ask.Adjust(side, to_ms=DAY),
        "reset": ask.Adjust(side, reset_to=game.version),
        "decide": ask.Adjudicate(side),
        "annul": ask.Adjudicate(None, is_annulled=True),
        "undo": ask.Undo(),
        "back": ask.Reinstate(2 * DAY),
    }[what]
