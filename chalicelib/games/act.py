"""From a command to the stored game: load, decide, write conditionally, and decide again if the game moved on.

A move costs one read and one write. The read of the watch comes in only when a deadline seems to have passed.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from chalicelib.core.sides import Side
from chalicelib.games import store
from chalicelib.games.commands import Accept, Command, Look, PlayerCommand
from chalicelib.games.decide import OpenWindow, Outcome, decide
from chalicelib.games.due import is_due
from chalicelib.games.model import Game
from chalicelib.rules import referee
from chalicelib.watch.model import Silence
from chalicelib.watch.watching import silence_now

ATTEMPTS: Final = 10
"""How often a command is decided anew because the game moved on; each time somebody else's act got through."""

Silences = Callable[[], Silence | None]
"""A way to learn of the silence that forbids flagging, if there is one."""


class Busy(Exception):
    """The game changed under every attempt; nothing was done."""


def act(game_id: str, command: Command, now_ms: int, silence: Silences = silence_now) -> Outcome:
    """Carry out one command received at `now_ms`. Raises store.UnknownGame, Busy.

    A game that its sender may not see does not exist for them. `silence` is asked when a deadline seems to have passed.
    """
    game = store.load(game_id)
    if isinstance(command, PlayerCommand) and not game.is_shown_to(command.player):
        raise store.UnknownGame(game_id)
    return carry_out(game, command, now_ms, silence)


def carry_out(game: Game, command: Command, now_ms: int, silence: Silences = silence_now) -> Outcome:
    """As `act`, on a game just read.

    When the write finds another version, the game as stored decides the command again: if it was our own write whose
    answer got lost, the command is found in the log and answered as done; if a rival's, it is refused or retried.
    """
    for _ in range(ATTEMPTS):
        outcome = decide(game, command, now_ms, referee(game.kind), _open_window(game, now_ms, silence))
        if outcome.game.version == game.version:
            return outcome
        try:
            store.commit(game, outcome.game, _new_seat(game, command))
        except store.Stale as stale:
            game = stale.current
            continue
        return outcome
    raise Busy(game.id)


def settled(game: Game, now_ms: int) -> Game:
    """The game as it truly stands at `now_ms`: if its time is up, the end is stored first (settled 3)."""
    return carry_out(game, Look(), now_ms).game if is_due(game, now_ms) else game


def settled_all(games: list[Game], now_ms: int) -> list[Game]:
    """As `settled`, for a list: a game under so many hands that it cannot be settled is shown as it was read."""
    return [_settled_or_as_read(game, now_ms) for game in games]


def _settled_or_as_read(game: Game, now_ms: int) -> Game:
    try:
        return settled(game, now_ms)
    except Busy:
        return game


def toss() -> Side:
    """A fair coin, for colours left to chance."""
    return Side(secrets.randbelow(2))


def _open_window(game: Game, now_ms: int, silence: Silences) -> OpenWindow | None:
    if not is_due(game, now_ms):
        return None
    found = silence()
    return OpenWindow(found.id, found.from_ms) if found else None


def _new_seat(game: Game, command: Command) -> str | None:
    """The player who takes a seat open to everybody; a challenged player has a list row from the start."""
    is_open = game.invitation is not None and game.invitation.opponent is None
    return command.player if isinstance(command, Accept) and is_open else None
