"""From a command to the stored game: load, decide, write conditionally, and decide again if the game moved on.

A move costs one read and one write. The watch is read when a deadline seems to have passed, and every few seconds.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final, Protocol

from pynamodb.transactions import TransactWrite

from chalicelib.core.sides import Side
from chalicelib.games import store
from chalicelib.games.commands import Accept, Command, Look, PlayerCommand, ShiftForWindow
from chalicelib.games.decide import Outcome, decide
from chalicelib.games.due import is_due
from chalicelib.games.fan_out import TakenBack
from chalicelib.games.model import Game
from chalicelib.rules import referee
from chalicelib.watch import watching
from chalicelib.watch.model import Window

ATTEMPTS: Final = 10
"""How often a command is decided anew because the game moved on; each time somebody else's act got through."""


class Windows(Protocol):
    """A way to learn of the windows and silences that stand at `now_ms`: for sure, or as last heard."""

    def __call__(self, now_ms: int, *, surely: bool) -> tuple[Window, ...]: ...


Also = Callable[[Game, Outcome], store.Addition]
"""What is stored together with what was done to a game, in one transaction."""


class Busy(Exception):
    """The game changed under every attempt; nothing was done."""


def act(game_id: str, command: Command, now_ms: int, windows: Windows = watching.windows) -> Outcome:
    """Carry out one command received at `now_ms`. Raises store.UnknownGame, Busy.

    A game that its sender may not see does not exist for them.
    """
    game = store.load(game_id)
    if isinstance(command, PlayerCommand) and not game.is_shown_to(command.player):
        raise store.UnknownGame(game_id)
    return carry_out(game, command, now_ms, windows)


def carry_out(
    game: Game, command: Command, now_ms: int, windows: Windows = watching.windows, also: Also | None = None
) -> Outcome:
    """As `act`, on a game just read; `also` says what is stored together with what is done.

    When the write finds another version, the game as stored decides the command again: if it was our own write whose
    answer got lost, the command is found in the log and answered as done; if a rival's, it is refused or retried.
    """
    for _ in range(ATTEMPTS):
        outcome = preview(game, command, now_ms, windows)
        if outcome.game.version == game.version:
            return outcome
        try:
            _commit(game, outcome, _new_seat(game, command), also)
        except store.Stale as stale:
            game = stale.current
            continue
        return outcome
    raise Busy(game.id)


def preview(game: Game, command: Command, now_ms: int, windows: Windows = watching.windows) -> Outcome:
    """What `carry_out` would do now; nothing is stored."""
    return decide(game, command, now_ms, referee(game.kind), _standing(game, command, now_ms, windows))


def _commit(game: Game, outcome: Outcome, seat: str | None, also: Also | None) -> None:
    """Store what was decided. An end that comes by itself, before a refusal, is nothing that `also` knows of."""
    additions = [also(game, outcome)] if also is not None and outcome.entry is not None else []
    back = TakenBack(outcome.game) if game.is_over and not outcome.game.is_over else None
    if back is not None:
        additions.append(back.add)
    store.commit(game, outcome.game, seat, _all_of(additions) if additions else None)
    if back is not None:
        back.announce()


def _all_of(additions: list[store.Addition]) -> store.Addition:
    def add(transaction: TransactWrite) -> None:
        for addition in additions:
            addition(transaction)

    return add


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


def _standing(game: Game, command: Command, now_ms: int, windows: Windows) -> tuple[Window, ...]:
    """The windows that matter to a command. Only whom they might keep from losing the game is worth a read."""
    is_late = is_due(game, now_ms)
    if game.clock is None or isinstance(command, ShiftForWindow) or (isinstance(command, Look) and not is_late):
        return ()
    return windows(now_ms, surely=is_late)


def _new_seat(game: Game, command: Command) -> str | None:
    """The player who takes a seat open to everybody; a challenged player has a list row from the start."""
    is_open = game.invitation is not None and game.invitation.opponent is None
    return command.player if isinstance(command, Accept) and is_open else None
