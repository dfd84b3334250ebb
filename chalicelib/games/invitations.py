"""The rules of invitations: accepting, declining, withdrawing, and what to expect of the game. Pure."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from chalicelib.core.sides import Side
from chalicelib.games.commands import Accept, Decline, Withdraw
from chalicelib.games.events import Accepted, Ended
from chalicelib.games.model import Invitation
from chalicelib.games.ruling import Change, Refusal, Ruling, Scene, over
from chalicelib.ratings.board import Shown
from chalicelib.ratings.model import Partition
from chalicelib.ratings.prediction import expected_score


class Forecast(Struct, frozen=True):
    """The ratings of who looks at an invitation and of whom they would meet, in the pool of the game.

    `theirs` is None for the challenger of a seek, who meets nobody yet.
    """

    viewer: str
    pool: Partition
    mine: Shown
    theirs: Shown | None

    @property
    def expected_score(self) -> float | None:
        """What the viewer may expect, between 0 and 1."""
        return expected_score(self.mine.values, self.theirs.values) if self.theirs else None


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


def refusal_to(invitation: Invitation, player: str, rating: int) -> Refusal | None:
    """Why a player of this rating cannot accept an invitation; None: they can."""
    if player == invitation.challenger:
        return Refusal("own_invitation", "nobody can accept their own invitation")
    if invitation.opponent not in (None, player):
        return Refusal("not_a_player", f"this challenge is addressed to {invitation.opponent}")
    if invitation.rating_range is not None:
        lowest, highest = invitation.rating_range
        if not lowest <= rating <= highest:
            return Refusal(
                "rating_out_of_range",
                f"the seek wants ratings from {lowest} to {highest}; that of {player} is {rating}",
            )
    return None


def _accept(invitation: Invitation, command: Accept, now_ms: int) -> Ruling:
    if refused := refusal_to(invitation, command.player, command.rating):
        return refused
    acceptor = command.coin
    if invitation.colour != "random":
        acceptor = Side.BLACK if invitation.colour == "white" else Side.WHITE
    seats: dict[str, Any] = {acceptor.colour: command.player, acceptor.other.colour: invitation.challenger}
    return Change(Accepted(now_ms, acceptor), seats)
