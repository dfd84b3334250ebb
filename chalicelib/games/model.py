"""The game aggregate: frozen values, no behaviour beyond what can be read off them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from chalicelib.clock.clock import Clock
from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from chalicelib.games.events import Log
from chalicelib.rules.referee import Position

Status = Literal["created", "active", "paused", "finished", "aborted"]
Origin = Literal["challenge", "seek", "pairing", "migration"]
Colour = Literal["white", "black", "random"]
FlagUnderOffer = Literal["loss", "draw"]

ABORTED_REASONS = frozenset({"aborted", "auto_aborted", "annulled", "declined", "withdrawn", "expired"})
"""Ends that leave neither record nor rating (settled 5 and 8)."""


class Terms(Struct, frozen=True):
    """What was agreed when the game was made and never changes.

    `flag_under_offer` "draw": an open draw offer of the winner turns a flag into a draw (an event may choose so).
    `guillotine_ms` is the instant at which a round ends all its games; pauses move it only if `guillotine_shifts`.
    `fingerprint` identifies the request that made the game, for its idempotency key. `legacy_id` is what the game was
    called on the platform it was migrated from.
    """

    origin: Origin
    rated: bool = True
    event: str | None = None
    flag_under_offer: FlagUnderOffer = "loss"
    guillotine_ms: int | None = None
    guillotine_shifts: bool = False
    fingerprint: str = ""
    legacy_id: str | None = None

    @property
    def is_abortable(self) -> bool:
        """Players may abort what they arranged here themselves, never what an event paired (settled 7)."""
        return self.is_by_invitation

    @property
    def is_by_invitation(self) -> bool:
        """Whether the clock waits for somebody to accept; that of other games is released when they are made."""
        return self.origin in ("challenge", "seek")


class Invitation(Struct, frozen=True):
    """A challenge (to `opponent`) or a seek (`opponent` None) that nobody has accepted yet.

    `colour` is what the challenger wants to play. `rating_range` bounds who may accept a seek, both ends included.
    """

    challenger: str
    opponent: str | None
    colour: Colour
    expires_at_ms: int
    rating_range: tuple[int, int] | None = None


class DrawOffer(Struct, frozen=True):
    """An open offer and the ply it is bound to; the next move of either side makes it lapse."""

    by: Side
    ply: int


class Result(Struct, frozen=True):
    """How a game ended. `winner` None is a draw, or no result at all for an aborted game."""

    reason: str
    winner: Side | None
    at_ms: int


class Game(Struct, frozen=True):
    """One game, as stored in one item.

    `white` and `black` are player ids, None while an invitation leaves them open. `setup` is the position asked for
    (None: the usual one). `profiles` are those of (white, black). `clock` is None until the game is released; a game
    that was released has no `invitation` any more.
    """

    id: str
    kind: str
    terms: Terms
    setup: str | None
    position: Position
    first_to_move: Side
    profiles: tuple[Profile, Profile]
    log: Log
    version: int = 0
    white: str | None = None
    black: str | None = None
    invitation: Invitation | None = None
    clock: Clock | None = None
    released_at_ms: int | None = None
    offer: DrawOffer | None = None
    result: Result | None = None

    @property
    def created_at_ms(self) -> int:
        return self.log.created_at_ms

    @property
    def ply(self) -> int:
        """Number of plies played; also the number of the ply the side to move is about to play."""
        return self.clock.ply if self.clock else 0

    @property
    def is_over(self) -> bool:
        return self.result is not None

    def player(self, side: Side) -> str | None:
        return self.white if side is Side.WHITE else self.black

    def side_of(self, player: str) -> Side | None:
        """The side a player plays; None for everybody else."""
        if player == self.white:
            return Side.WHITE
        return Side.BLACK if player == self.black else None

    def mover(self, ply: int) -> Side:
        """The side that plays the ply of this number."""
        return self.first_to_move if ply % 2 == 0 else self.first_to_move.other

    def status(self, now_ms: int) -> Status:
        """The state as settled point 5 names it; a game paired for later is "created" until its release."""
        if self.result is not None:
            return "aborted" if self.result.reason in ABORTED_REASONS else "finished"
        if self.clock is None or self.released_at_ms is None or now_ms < self.released_at_ms:
            return "created"
        return "active" if self.clock.paused_at_ms is None else "paused"

    def is_shown_to(self, player: str) -> bool:
        """Whether a player may see the game: a challenge that was never accepted is a matter of its two players."""
        invitation = self.invitation
        if invitation is None or invitation.opponent is None:
            return True
        return player in (invitation.challenger, invitation.opponent)

    @property
    def rates(self) -> bool:
        """Whether the result counts for ratings (settled 8): not when nobody started, and never when aborted."""
        return (
            self.terms.rated
            and self.result is not None
            and self.result.reason != "no_start"
            and self.result.reason not in ABORTED_REASONS
        )
