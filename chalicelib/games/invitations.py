"""The rules of invitations: accepting, declining, withdrawing. Pure."""

from __future__ import annotations

from typing import Any

from chalicelib.core.sides import Side
from chalicelib.games.commands import Accept, Decline, Withdraw
from chalicelib.games.events import Accepted, Ended
from chalicelib.games.model import Invitation
from chalicelib.games.ruling import Change, Refusal, Ruling, Scene, over


def answer(scene: Scene, command: Accept | Decline | Withdraw) -> Ruling:
    """What becomes of an answer to an invitation, whoever sends it."""
    if scene.game.is_over:
        return over(scene.game)
    invitation = scene.game.invitation
    if invitation is None:
        return Refusal("already_accepted", "the invitation was accepted; the game runs")
    match command:
        case Accept():
            return _accept(invitation, command, scene.now_ms)
        case Decline(player):
            if player != invitation.opponent:
                return Refusal("not_a_player", "only the player challenged can decline")
            return Change(Ended(scene.now_ms, "declined", None))
        case Withdraw(player):
            if player != invitation.challenger:
                return Refusal("not_a_player", "only the challenger can withdraw")
            return Change(Ended(scene.now_ms, "withdrawn", None))


def _accept(invitation: Invitation, command: Accept, now_ms: int) -> Ruling:
    if command.player == invitation.challenger:
        return Refusal("own_invitation", "nobody can accept their own invitation")
    if invitation.opponent not in (None, command.player):
        return Refusal("not_a_player", f"this challenge is addressed to {invitation.opponent}")
    acceptor = command.coin
    if invitation.colour != "random":
        acceptor = Side.BLACK if invitation.colour == "white" else Side.WHITE
    seats: dict[str, Any] = {acceptor.colour: command.player, acceptor.other.colour: invitation.challenger}
    return Change(Accepted(now_ms, acceptor), seats)
