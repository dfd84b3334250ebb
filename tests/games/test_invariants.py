"""The check of the store finds every kind of contradiction that is planted."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from chalicelib.clock.profiles import named
from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games.commands import Adjust, Command, Move, Pause, Resign, Resume
from chalicelib.games.decide import decide
from chalicelib.games.events import Ended, Log
from chalicelib.games.invariants import faults
from chalicelib.games.item import index_keys
from chalicelib.games.making import Match, pair
from chalicelib.games.model import DrawOffer, Game, Result, Terms
from chalicelib.rules import referee
from chalicelib.rules.referee import Position

T0 = 1_772_323_200_000
CHESS = referee("chess")


def played(*more: Command) -> Game:
    """Four plies with long thoughts, a pause and corrections of both accounts between them, and then `more`."""
    both = named("30-30-1")
    made = pair("game00000001", Match("chess", None, (both, both), rated=True), CHESS, Terms("pairing"), T0, T0)
    game = replace(made, white="w", black="b")
    commands: list[Command] = [
        Move("w", 0, "e2e4"),
        Move("b", 1, "e7e5"),
        Pause("illness"),
        Resume("illness"),
        Adjust(Side.WHITE, delta_ms=-HOUR),
        Adjust(Side.BLACK, delta_ms=-2 * HOUR),
        Move("w", 2, "g1f3"),
        Move("b", 3, "b8c6"),
        *more,
    ]
    for number, command in enumerate(commands, 1):
        outcome = decide(game, command, T0 + number * 2 * DAY, CHESS)
        assert outcome.refusal is None
        game = outcome.game
    return game


def test_a_sound_game_has_no_faults() -> None:
    for game in (played(), played(Resign("w"))):
        assert list(faults(game, index_keys(game), CHESS)) == []


def test_an_ended_game_may_have_left_the_index_and_a_running_one_may_not() -> None:
    assert list(faults(played(Resign("w")), None, CHESS)) == []
    assert list(faults(played(), None, CHESS)) != []


def _account_off_by_one(game: Game) -> Game:
    assert game.clock is not None
    return replace(game, clock=game.clock.with_remaining(Side.WHITE, game.clock.white.remaining_ms - 1))


def _turn_off_by_one(game: Game) -> Game:
    assert game.clock is not None
    return replace(game, clock=replace(game.clock, turn_started_at_ms=game.clock.turn_started_at_ms + 1))


PLANTED: dict[str, Any] = {
    "account": _account_off_by_one,
    "turn": _turn_off_by_one,
    "version": lambda game: replace(game, version=game.version + 1),
    "offer": lambda game: replace(game, offer=DrawOffer(Side.WHITE, 4)),
    "result without event": lambda game: replace(game, result=Result("resignation", Side.BLACK, T0)),
    "event without result": lambda game: replace(game, log=game.log.plus(Ended(T0 + 99 * DAY, "time", Side.BLACK))),
    "a lost event": lambda game: replace(game, log=Log(T0, game.log.text.rpartition(" ")[0])),
    "another move": lambda game: replace(game, log=Log(T0, game.log.text.replace("g1f3", "g1h3"))),
    "an illegal move": lambda game: replace(game, log=Log(T0, game.log.text.replace("g1f3", "g1g3"))),
    "another board": lambda game: replace(game, position=Position(CHESS.start(None).notation)),
    "an unreadable log": lambda game: replace(game, log=Log(T0, game.log.text.replace("@", "#", 1))),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_what_is_planted_is_found(fault: str) -> None:
    game = played()
    assert list(faults(PLANTED[fault](game), index_keys(game), CHESS)) != []


def test_an_index_that_lags_behind_is_found() -> None:
    game = played()
    keys = index_keys(game)
    assert keys is not None
    assert list(faults(game, (keys[0], keys[1] + 1), CHESS)) != []
    assert list(faults(game, ("running9", keys[1]), CHESS)) != []
