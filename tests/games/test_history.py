"""The history as a fold over the log: what each event did, and the game rebuilt from it."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games import events
from chalicelib.games.history import Entry, beginning, evolve, history, rebuilt, running_clock
from chalicelib.games.model import Game
from chalicelib.rules.referee import End
from tests.games.table import ANNA, BERT, LONG, T0, Table, accepted, both_moved, invited, match, paired

FIELDS = ("version", "log", "clock", "offer", "result", "released_at_ms", "white", "black", "position")


def same(game: Game) -> None:
    """The game is what its log says it is."""
    again = rebuilt(game)
    assert {name: getattr(again, name) for name in FIELDS} == {name: getattr(game, name) for name in FIELDS}
    assert game.version == len(game.log) == len(history(game))
    assert [entry.version for entry in history(game)] == list(range(1, game.version + 1))


def eventful() -> Table:
    """A game in which everything happens that can."""
    table = accepted(match(LONG)).play("e2e4 e7e5", every_ms=HOUR)
    table.do(ask.OfferDraw(BERT, 2), T0 + 3 * HOUR)
    table.do(ask.DeclineDraw(ANNA, 2), T0 + 4 * HOUR)
    table.do(ask.Pause("illness: flu"), T0 + DAY)
    table.do(ask.Resume("illness: flu"), T0 + 3 * DAY)
    table.do(ask.Adjust(Side.BLACK, delta_ms=-5 * DAY), T0 + 4 * DAY)
    table.do(ask.ShiftForWindow("night", T0 + 4 * DAY, T0 + 5 * DAY), T0 + 5 * DAY)
    table.do(ask.Move(ANNA, 2, "g1f3", lag_ms=300), T0 + 7 * DAY)
    table.do(ask.OfferDraw(ANNA, 3))
    table.do(ask.AcceptDraw(BERT, 3), T0 + 8 * DAY)
    return table


def test_a_game_in_which_everything_happened_is_rebuilt_from_its_log() -> None:
    game = eventful().game
    same(game)
    assert [type(event).__name__ for event in game.log] == [
        "Accepted",
        *["Moved"] * 2,
        "DrawOffered",
        "DrawDeclined",
        "Paused",
        "Resumed",
        "Adjusted",
        "Shifted",
        "Moved",
        "DrawOffered",
        "Ended",
    ]


def test_what_each_event_of_that_game_did() -> None:
    entries = history(eventful().game)
    full = 30 * DAY
    balances = [(entry.white_ms, entry.black_ms) for entry in entries]
    assert balances == [
        (full, full),
        (full, full),
        (full, full),
        (full - HOUR, full),
        (full - 2 * HOUR, full),
        (full - DAY + 2 * HOUR, full),
        (full - DAY + 2 * HOUR, full),
        (full - 2 * DAY + 2 * HOUR, 25 * DAY),
        (full - 2 * DAY + 2 * HOUR, 25 * DAY),
        (full - 3 * DAY + 2 * HOUR + 300, 25 * DAY),
        (full - 3 * DAY + 2 * HOUR + 300, 25 * DAY),
        (full - 3 * DAY + 2 * HOUR + 300, 24 * DAY),
    ]
    move = entries[9]
    assert (move.used_ms, move.increment_ms, move.lapsed_ms, move.overrun_ms) == (4 * DAY - 2 * HOUR - 300, DAY, 0, 0)
    assert [(entry.ply, entry.by) for entry in entries] == [
        (0, Side.BLACK),
        (0, Side.WHITE),
        (1, Side.BLACK),
        (2, Side.BLACK),
        (2, Side.WHITE),
        (2, None),
        (2, None),
        (2, None),
        (2, None),
        (2, Side.WHITE),
        (3, Side.WHITE),
        (3, Side.BLACK),
    ]


@pytest.mark.parametrize("kept", range(13))
def test_the_history_of_a_game_is_the_beginning_of_its_later_history(kept: int) -> None:
    game = eventful().game
    state = beginning(game)
    entries: list[Entry] = []
    for event in list(game.log)[:kept]:
        state, entry = evolve(state, event)
        entries.append(entry)
    assert entries == history(game)[:kept] == history(state)


@pytest.mark.parametrize(
    "ending",
    [ask.Resign(ANNA), ask.Resign(BERT), ask.Abort(ANNA), ask.Look()],
)
def test_games_that_ended_are_rebuilt(ending: ask.Command) -> None:
    table = accepted()
    table.do(ending, T0 + 31 * DAY if isinstance(ending, ask.Look) else T0 + HOUR)
    assert table.game.is_over
    same(table.game)


@pytest.mark.parametrize("ending", [ask.Decline(BERT), ask.Withdraw(ANNA), ask.Look()])
def test_invitations_that_came_to_nothing_are_rebuilt(ending: ask.Command) -> None:
    table = Table(invited())
    same(table.game)
    table.do(ending, T0 + 14 * DAY if isinstance(ending, ask.Look) else T0 + HOUR)
    same(table.game)
    entry = history(table.game)[-1]
    assert (entry.white_ms, entry.black_ms, entry.by, entry.ply) == (None, None, None, 0)


@pytest.mark.parametrize(
    "terms", [{}, {"guillotine_ms": T0 + 9 * DAY}, {"guillotine_ms": 1, "guillotine_shifts": True}]
)
def test_a_paired_game_begins_with_its_clock(terms: dict[str, Any]) -> None:
    table = paired(release_at_ms=T0 + DAY, **terms)
    assert beginning(table.game) == table.game == rebuilt(table.game)
    clock = running_clock(table.game)
    assert (clock.turn_started_at_ms, clock.guillotine_ms) == (T0 + DAY, terms.get("guillotine_ms"))
    assert clock.guillotine_shifts is terms.get("guillotine_shifts", False)


def test_an_invitation_begins_without_a_clock() -> None:
    before = beginning(accepted().game)
    assert (before.clock, before.released_at_ms, before.version, len(before.log)) == (None, None, 0, 0)


def test_a_mating_move_is_an_end_of_the_log() -> None:
    table = both_moved().play("d1h5 b8c6 f1c4 g8f6 h5f7")
    same(table.game)
    assert history(table.game)[-1].event == events.Moved(T0, "h5f7", 0, End("checkmate", Side.WHITE))
    assert history(table.game)[-1].increment_ms == 0


def test_a_game_without_a_clock_has_no_running_one() -> None:
    with pytest.raises(ValueError, match="game game has not been released"):
        running_clock(invited())


def test_evolve_adds_exactly_one_event() -> None:
    game = both_moved().game
    after, entry = evolve(game, events.DrawOffered(T0 + 5, Side.BLACK))
    assert list(after.log) == [*game.log, entry.event]
    assert (after.version, entry.version) == (game.version + 1,) * 2
    assert game.offer is None, "the game before is as it was"
