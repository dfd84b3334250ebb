"""Invitations: who may take them up, send them back or take them back, and until when."""

from __future__ import annotations

from typing import get_args

import pytest

from chalicelib.clock.profiles import named
from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.events import Accepted
from chalicelib.games.making import INVITATION_OPEN, LIVE_INVITATION_OPEN
from chalicelib.games.model import Colour
from tests.games.table import ANNA, BERT, CARL, T0, Table, accepted, invited, match, paired

OPEN = 14 * DAY
ANSWERS = [ask.Accept(BERT, Side.BLACK), ask.Decline(BERT), ask.Withdraw(ANNA)]


@pytest.mark.parametrize("coin", list(Side))
@pytest.mark.parametrize("colour", get_args(Colour))
def test_the_challenger_gets_the_colour_asked_for(colour: Colour, coin: Side) -> None:
    table = Table(invited(colour=colour))
    outcome = table.do(ask.Accept(BERT, coin), T0 + 5)
    bert = {"white": Side.BLACK, "black": Side.WHITE, "random": coin}[colour]
    assert (table.game.side_of(BERT), table.game.side_of(ANNA)) == (bert, bert.other)
    assert outcome.entry is not None
    assert outcome.entry.event == Accepted(T0 + 5, bert)
    assert outcome.entry.by is bert


def test_accepting_releases_the_clock() -> None:
    table = Table(invited())
    assert table.game.status(T0) == "created"
    table.do(ask.Accept(BERT, Side.BLACK), T0 + DAY)
    game = table.game
    assert game.clock is not None
    assert (game.clock.turn_started_at_ms, game.released_at_ms) == (T0 + DAY, T0 + DAY)
    assert (game.invitation, game.status(T0 + DAY), game.version) == (None, "active", 1)


def test_an_accepted_game_set_up_with_black_to_move_runs_blacks_clock() -> None:
    table = Table(invited(match(setup="4k3/8/8/8/8/8/4P3/4K3 b - - 0 1")))
    table.do(ask.Accept(BERT, Side.BLACK))
    assert table.game.clock is not None
    assert table.game.clock.to_move is Side.BLACK
    assert table.refused(ask.Move(ANNA, 0, "e2e4")) == "not_your_turn"
    assert table.do(ask.Move(BERT, 0, "e8e7")).refusal is None


def test_only_the_challenged_player_may_answer() -> None:
    table = Table(invited())
    for stranger in (ask.Accept(CARL, Side.BLACK), ask.Decline(CARL), ask.Decline(ANNA)):
        assert table.refused(stranger) == "not_a_player"
    assert table.refused(ask.Withdraw(BERT)) == "not_a_player"
    assert table.refused(ask.Withdraw(CARL)) == "not_a_player"


@pytest.mark.parametrize("opponent", [BERT, None])
def test_nobody_accepts_their_own_invitation(opponent: str | None) -> None:
    assert Table(invited(opponent=opponent)).refused(ask.Accept(ANNA, Side.BLACK)) == "own_invitation"


def test_anybody_else_may_take_up_a_seek_and_nobody_can_decline_it() -> None:
    table = Table(invited(opponent=None))
    assert table.game.terms.origin == "seek"
    assert table.refused(ask.Decline(CARL)) == "not_a_player"
    assert table.do(ask.Accept(CARL, Side.BLACK)).refusal is None
    assert table.game.black == CARL
    assert table.refused(ask.Accept(BERT, Side.BLACK)) == "already_accepted"


@pytest.mark.parametrize(("command", "reason"), [(ask.Decline(BERT), "declined"), (ask.Withdraw(ANNA), "withdrawn")])
def test_a_refused_invitation_leaves_no_game(command: ask.Command, reason: str) -> None:
    table = Table(invited())
    outcome = table.do(command, T0 + 7)
    assert outcome.refusal is None
    assert table.result == (reason, None, T0 + 7)
    assert table.game.status(T0 + 7) == "aborted"
    assert not table.game.rates
    assert table.game.clock is None


@pytest.mark.parametrize("command", ANSWERS)
@pytest.mark.parametrize(("off", "in_time"), [(-1, True), (0, False), (1, False)])
def test_an_invitation_expires_to_the_millisecond(command: ask.Command, off: int, in_time: bool) -> None:
    table = Table(invited())
    outcome = table.do(command, T0 + OPEN + off)
    if in_time:
        assert outcome.refusal is None
        return
    assert outcome.refusal is not None
    assert (outcome.refusal.code, outcome.entry) == ("game_over", None)
    assert table.result == ("expired", None, T0 + OPEN), "stamped with the instant it lapsed"
    assert table.game.version == 1


def test_looking_expires_an_invitation_once() -> None:
    table = Table(invited())
    assert table.do(ask.Look(), T0 + OPEN - 1).game.version == 0
    assert table.do(ask.Look(), T0 + OPEN).game.version == 1
    assert table.do(ask.Look(), T0 + OPEN + 5).game.version == 1
    assert table.game.status(T0 + OPEN) == "aborted"


def test_how_long_invitations_stay_open() -> None:
    assert (INVITATION_OPEN, LIVE_INVITATION_OPEN) == (14 * DAY, HOUR)
    live = Table(invited(match(named("3+2"))))
    assert live.do(ask.Look(), T0 + HOUR - 1).game.version == 0
    assert live.do(ask.Look(), T0 + HOUR).game.is_over
    one_side_live = Table(invited(match(named("30-30-1"), black=named("3+2"))))
    assert one_side_live.do(ask.Look(), T0 + HOUR).game.is_over


@pytest.mark.parametrize("later", [0, 1, 20 * DAY])
@pytest.mark.parametrize("command", ANSWERS)
def test_an_answer_sent_again_gets_the_same_entry(command: ask.Command, later: int) -> None:
    table = Table(invited())
    first = table.do(command, T0 + 5)
    again = table.do(command, T0 + 5 + later)
    assert again.entry == first.entry is not None
    assert again.refusal is None
    assert again.game == first.game


def test_an_acceptance_sent_again_when_the_game_is_long_over() -> None:
    table = Table(invited())
    first = table.do(ask.Accept(BERT, Side.BLACK))
    table.play("f2f3 e7e5 g2g4 d8h4", every_ms=1_000)
    assert table.game.is_over
    again = table.do(ask.Accept(BERT, Side.WHITE), T0 + 90 * DAY)
    assert (again.entry, again.refusal, again.game.version) == (first.entry, None, 5)


def test_after_the_acceptance_the_other_answers_come_too_late() -> None:
    table = accepted()
    for command in (ask.Accept(ANNA, Side.BLACK), ask.Decline(BERT), ask.Withdraw(ANNA), ask.Accept(CARL, Side.WHITE)):
        assert table.refused(command) == "already_accepted"


@pytest.mark.parametrize("first", [ask.Decline(BERT), ask.Withdraw(ANNA)])
def test_after_a_refusal_the_other_answers_come_too_late(first: ask.Command) -> None:
    table = Table(invited())
    table.do(first)
    for command in ANSWERS:
        if command != first:
            assert table.refused(command) == "game_over"


@pytest.mark.parametrize(
    "command",
    [
        ask.Move(ANNA, 0, "e2e4"),
        ask.Resign(ANNA),
        ask.OfferDraw(ANNA, 0),
        ask.AcceptDraw(ANNA, 0),
        ask.DeclineDraw(ANNA, 0),
        ask.Abort(ANNA),
        ask.ClaimDraw(ANNA, 0, "fifty_moves"),
    ],
)
def test_nobody_plays_before_the_acceptance(command: ask.Command) -> None:
    assert Table(invited()).refused(command) == "not_a_player"


@pytest.mark.parametrize("command", [ask.Pause("x"), ask.Resume("x"), ask.Adjust(Side.WHITE, delta_ms=1)])
def test_a_referee_has_no_clock_to_change_before_the_acceptance(command: ask.Command) -> None:
    assert Table(invited()).refused(command) == "not_started"
    assert Table(invited()).refused(ask.ShiftForWindow("w", T0, T0 + 1)) == "not_running"


def test_a_paired_game_is_no_invitation() -> None:
    table = paired()
    for command in ANSWERS:
        assert table.refused(command) == "already_accepted"
