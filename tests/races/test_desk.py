"""Referees, players and the scan reach for one game in the same instant: nothing that was answered is lost."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from functools import partial

import pytest
from msgspec.structs import replace

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.ids import random_id
from chalicelib.core.sides import Side
from chalicelib.core.signing import Admin
from chalicelib.desk import acts, audit
from chalicelib.desk.model import Act, Order, act_id
from chalicelib.games import commands, rows, store
from chalicelib.games.act import act
from chalicelib.games.decide import Outcome
from chalicelib.games.events import Adjusted, Ended, RefereesEvent
from chalicelib.games.model import Game
from tests.races.conftest import T0, rounds, sound, together

OTTO = Admin("key", "otto", "operator", frozenset(), "nonce")
Answer = str
"""A word for what whoever asked was told: "done", or the code of the refusal."""

AT = T0 + HOUR
DUE = T0 + 3 * DAY + 1_500


def told(outcome: Outcome) -> Answer:
    return outcome.refusal.code if outcome.refusal else "done"


def play(game: Game, move: str, at_ms: int) -> Answer:
    return told(act(game.id, commands.Move("white", 0, move), at_ms))


def look(game: Game, at_ms: int) -> Answer:
    return told(act(game.id, commands.Look(), at_ms))


def order(game: Game, command: commands.DeskCommand, key: str) -> Order:
    kinds = {commands.Adjust: "adjust", commands.Adjudicate: "adjudicate", commands.Undo: "undo"}
    named = replace(command, key=act_id(OTTO, f"game#{game.id}", key))
    return Order(replace(OTTO, signature=random_id()), kinds[type(command)], named, "race", key)  # type: ignore[arg-type]


def give(game: Game, command: commands.DeskCommand, key: str, at_ms: int) -> Act | Answer:
    try:
        return acts.done(order(game, command, key), store.load(game.id), at_ms)
    except acts.Refused as refused:
        assert refused.outcome.refusal is not None
        return refused.outcome.refusal.code


def as_told(game: Game, answers: list[Act | Answer]) -> Game:
    """The stored game, after making sure that log and audit have exactly the acts that were answered."""
    after = sound(game.id)
    answered = {one.id: one for one in answers if isinstance(one, Act)}
    assert {line.id: line for line in audit.of_subject(f"game#{game.id}", 100).acts} == answered
    logged = [event.key for event in after.log if isinstance(event, RefereesEvent) and event.key]
    assert sorted(logged) == sorted(answered)
    return after


def test_gift_against_move_against_scan(new_game: Callable[..., Game]) -> None:
    """0 lost updates: what is answered is in the log, once, and the balances are those of all of it."""
    for number in range(rounds(6)):
        game = new_game("T3_1")
        gifts = [commands.Adjust(Side.WHITE, delta_ms=-HOUR), commands.Adjust(Side.BLACK, delta_ms=-2 * HOUR)]
        asked: list[Callable[[], Act | Answer]] = [
            *(partial(give, game, gift, f"k{place}", AT) for place, gift in enumerate(gifts)),
            partial(play, game, "e2e4", AT),
            partial(look, game, AT),
            partial(look, game, AT),
        ]
        random.Random(number).shuffle(asked)
        answers = together(asked)
        assert [one for one in answers if not isinstance(one, Act)] == ["done"] * 3, answers
        after = as_told(game, answers)
        assert (after.ply, after.version, after.result) == (1, 4, None)
        assert after.clock is not None
        assert after.clock.black.remaining_ms == 3 * DAY - 2 * HOUR
        assert after.clock.white.remaining_ms in (3 * DAY, 3 * DAY - HOUR), "before the move it is made good by it"


@pytest.mark.parametrize("offset", [-1_501, -1_500, -1, 0])
def test_a_gift_around_the_deadline_never_moves_a_passed_one(new_game: Callable[..., Game], offset: int) -> None:
    for number in range(rounds(3)):
        game = new_game("T3_1")
        at_ms = DUE + offset
        gift = commands.Adjust(Side.WHITE, to_ms=2 * DAY)
        asked: list[Callable[[], Act | Answer]] = [
            partial(give, game, gift, "k", at_ms),
            partial(look, game, at_ms),
            partial(play, game, "e2e4", at_ms),
        ]
        random.Random(number).shuffle(asked)
        answers = together(asked)
        after = as_told(game, answers)
        if offset == 0:
            assert after.result is not None
            assert (after.result.reason, after.version, after.ply) == ("time", 2, 0)
        elif offset < -1_500:
            assert (after.version, after.ply, after.result) == (3, 1, None)
        else:
            assert (after.ply, after.result) == (1, None), "the grace runs: White may move"
            assert after.version == 2 + sum(isinstance(one, Act) for one in answers)


def test_the_same_act_many_times_at_once_is_done_once(new_game: Callable[..., Game]) -> None:
    for _ in range(rounds(2)):
        game = new_game("T3_1")
        gift = commands.Adjust(Side.WHITE, delta_ms=-HOUR)
        answers = together([partial(give, game, gift, "k", AT)] * 6)
        first = answers[0]
        assert isinstance(first, Act)
        assert {one.id for one in answers if isinstance(one, Act)} == {first.id}
        assert [replace(one, signature="") for one in answers if isinstance(one, Act)] == [
            replace(first, signature="")
        ] * 6
        after = sound(game.id)
        assert after.version == 2
        assert len(audit.of_subject(f"game#{game.id}", 10).acts) == 1


def test_a_decision_against_its_undoing_a_move_and_a_late_fan_out(new_game: Callable[..., Game]) -> None:
    """Whatever comes first, lists and log agree in the end."""
    from chalicelib.games import fan_out

    for number in range(rounds(3)):
        game = new_game("T3_1")
        decided = give(game, commands.Adjudicate(Side.BLACK), uuid.uuid4().hex, AT)
        assert isinstance(decided, Act)
        image = store.load(game.id)

        def follow(image: Game = image) -> Answer:
            fan_out.ended(image)
            return "done"

        asked: list[Callable[[], Act | Answer]] = [
            partial(give, game, commands.Undo(), "undo", AT + HOUR),
            partial(play, game, "e2e4", AT + HOUR),
            follow,
            follow,
        ]
        random.Random(number).shuffle(asked)
        answers = together(asked)
        after = as_told(game, [decided, *answers])
        assert after.result is None
        assert sum(isinstance(event, Ended) for event in after.log) == 1
        assert not any(isinstance(event, Adjusted) for event in after.log)
        for player in ("white", "black"):
            assert game.id in rows.running_of(player)
            assert game.id not in rows.ended_of(player, 1_000).game_ids
