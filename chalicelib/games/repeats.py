"""Whether something was asked before: the same act again gets the answer of the first time (settled 1). Pure."""

from __future__ import annotations

from chalicelib.core.sides import Side
from chalicelib.games.commands import (
    Abort,
    Accept,
    AcceptDraw,
    ClaimDraw,
    Decline,
    DeclineDraw,
    DeskCommand,
    Move,
    OfferDraw,
    PlayerCommand,
    Resign,
    Withdraw,
)
from chalicelib.games.events import Accepted, DrawDeclined, DrawOffered, Ended, Moved, RefereesEvent
from chalicelib.games.history import Entry, history
from chalicelib.games.model import Game
from chalicelib.rules.referee import IllegalMove, Referee


def asked_before(game: Game, command: PlayerCommand, referee: Referee) -> Entry | None:
    """The entry of the same act by the same player, if it was done already (settled 1)."""
    if isinstance(command, Decline | Withdraw):
        return _ended_invitation(game, command)
    side = game.side_of(command.player)
    if side is None:
        return None
    if isinstance(command, Move):
        return _move_played_before(game, command, side, referee)
    if isinstance(command, Accept):
        return next((entry for entry in history(game) if isinstance(entry.event, Accepted) and entry.by is side), None)
    is_open_offer = isinstance(command, OfferDraw | DeclineDraw)
    if game.result is None and not is_open_offer:
        return None
    return next((e for e in history(game) if e.by is side and _is_act(e, command)), None)


def done_before(game: Game, command: DeskCommand) -> Entry | None:
    """The entry of the same act of the desk; its content does not say whether it is meant twice, its key does."""
    if not command.key:
        return None
    entries = history(game)
    return next((e for e in entries if isinstance(e.event, RefereesEvent) and e.event.key == command.key), None)


def _ended_invitation(game: Game, command: Decline | Withdraw) -> Entry | None:
    if game.result is None or game.invitation is None:
        return None
    reason, player = (
        ("declined", game.invitation.opponent)
        if isinstance(command, Decline)
        else ("withdrawn", game.invitation.challenger)
    )
    return history(game)[-1] if (game.result.reason, player) == (reason, command.player) else None


def _is_act(entry: Entry, command: PlayerCommand) -> bool:
    """Whether the entry, by the same side, is what the command asks for."""
    event = entry.event
    match command:
        case Resign():
            return isinstance(event, Ended) and event.reason == "resignation"
        case Abort():
            return isinstance(event, Ended) and event.reason == "aborted"
        case ClaimDraw(_, ply, reason):
            return isinstance(event, Ended) and (entry.ply, event.reason) == (ply, reason)
        case AcceptDraw(_, ply):
            return isinstance(event, Ended) and (entry.ply, event.reason) == (ply, "agreement")
        case OfferDraw(_, ply):
            is_crossing = isinstance(event, Ended) and event.reason == "agreement"
            return entry.ply == ply and (isinstance(event, DrawOffered) or is_crossing)
        case DeclineDraw(_, ply):
            return entry.ply == ply and isinstance(event, DrawDeclined)
    return False


def _move_played_before(game: Game, command: Move, side: Side, referee: Referee) -> Entry | None:
    if not 0 <= command.ply < game.ply or game.mover(command.ply) is not side:
        return None
    moves = [entry for entry in history(game) if isinstance(entry.event, Moved)]
    entry = moves[command.ply]
    played = entry.event.move if isinstance(entry.event, Moved) else ""
    if command.move == played:
        return entry
    return entry if _canonical(game, moves[: command.ply], command.move, referee) == played else None


def _canonical(game: Game, before: list[Entry], move: str, referee: Referee) -> str | None:
    """The canonical spelling of a move on the board after the plies `before`; None if it was never legal there."""
    position = referee.start(game.setup)
    for entry in before:
        if isinstance(entry.event, Moved):
            position = referee.play(position, entry.event.move).position
    try:
        return referee.play(position, move).move
    except IllegalMove:
        return None
