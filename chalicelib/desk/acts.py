"""Carrying out what an admin wants of a game: the change and its line in the audit log are stored together.

An act that is asked for again is found by its id in the log of the game, and answered from the audit log.
"""

from __future__ import annotations

from chalicelib.desk import audit
from chalicelib.desk.model import Act, Order, act_on_game, subject_of_game
from chalicelib.games.act import carry_out, preview
from chalicelib.games.decide import Outcome
from chalicelib.games.model import Game
from chalicelib.games.store import Addition


class Refused(Exception):
    """The game does not take the act; `outcome` says why, and how the game stands."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.game.id)
        self.outcome = outcome


class NothingToDo(Exception):
    """The game is already as the act would make it; `game` is it."""

    def __init__(self, game: Game) -> None:
        super().__init__(game.id)
        self.game = game


class KeyReused(Exception):
    """The idempotency key has been used for another act on this game."""


def done(order: Order, game: Game, now_ms: int) -> Act:
    """Carry an order out on a game just read. Raises Refused, NothingToDo, KeyReused, and act.Busy."""
    tried: list[Act] = []

    def also(before: Game, outcome: Outcome) -> Addition:
        tried.append(act_on_game(order, before, outcome, now_ms))
        return audit.addition(tried[-1])

    outcome = _acted(carry_out(game, order.command, now_ms, also=also))
    is_first_try = len(tried) == 1 and outcome.entry is not None and tried[0].version == outcome.entry.version
    return tried[0] if is_first_try else _recorded(order, outcome)


def previewed(order: Order, game: Game, now_ms: int) -> Act:
    """What `done` would do now; nothing is stored. Raises as that does."""
    outcome = _acted(preview(game, order.command, now_ms))
    if outcome.game.version == game.version:
        return _recorded(order, outcome)
    return act_on_game(order, game, outcome, now_ms)


def _acted(outcome: Outcome) -> Outcome:
    if outcome.refusal is not None:
        raise Refused(outcome)
    if outcome.entry is None:
        raise NothingToDo(outcome.game)
    return outcome


def _recorded(order: Order, outcome: Outcome) -> Act:
    """The act as the audit log has it; it was stored with the entry."""
    entry = outcome.entry
    subject = subject_of_game(outcome.game.id)
    act = audit.find(subject, entry.event.at_ms, order.command.key) if entry else None
    if act is None:
        raise LookupError(f"{subject} has an act {order.command.key} that the audit log does not have")
    if act.fingerprint != order.fingerprint:
        raise KeyReused(act.id)
    return act
