"""What players, referees and the clock may ask of a game."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from chalicelib.core.sides import Side
from chalicelib.ratings import glicko2

DrawClaim = Literal["threefold_repetition", "fifty_moves"]


NEW_PLAYER: Final = round(glicko2.START[0])
"""The rating with which whoever has not played yet accepts a seek."""


class Accept(Struct, frozen=True):
    """Take up an invitation. `coin` is the side the acceptor plays if the challenger left it to chance; `rating` is the
    acceptor's in the pool of the game, which matters to seeks with a range."""

    player: str
    coin: Side
    rating: int = NEW_PLAYER


class Decline(Struct, frozen=True):
    player: str


class Withdraw(Struct, frozen=True):
    """Take back one's own invitation."""

    player: str


class Move(Struct, frozen=True):
    """`ply` is the number of the ply the move is meant for; `lag_ms` is what the server measured, never a claim."""

    player: str
    ply: int
    move: str
    lag_ms: int = 0


class Resign(Struct, frozen=True):
    player: str


class OfferDraw(Struct, frozen=True):
    """An offer bound to the ply that is to be played."""

    player: str
    ply: int


class AcceptDraw(Struct, frozen=True):
    player: str
    ply: int


class DeclineDraw(Struct, frozen=True):
    player: str
    ply: int


class Abort(Struct, frozen=True):
    player: str


class ClaimDraw(Struct, frozen=True):
    """Claim a draw by rule on the position that stands before ply `ply`."""

    player: str
    ply: int
    reason: DrawClaim


class Look(Struct, frozen=True):
    """Nobody asks for anything but the truth: end the game if its time is up."""


class RefereeAct(Struct, frozen=True, kw_only=True):
    """What the acts of a referee have in common.

    The same `key` again does nothing again. With a `version` the act is refused if the game has moved on from it.
    """

    key: str = ""
    version: int | None = None


class Pause(RefereeAct, frozen=True):
    """Stop the clock for a reason, beside the reasons for which it may be stopped already."""

    reason: str


class Resume(RefereeAct, frozen=True):
    """Take a reason for a pause away."""

    reason: str


class Adjust(RefereeAct, frozen=True):
    """Correct an account: exactly one of the choices is set.

    `reset_to` "start" is what the side's profile starts with; a number is the version of the game after whose event the
    account held what it shall hold again.
    """

    side: Side
    delta_ms: int | None = None
    to_ms: int | None = None
    reset_to: Literal["start"] | int | None = None


class Adjudicate(RefereeAct, frozen=True):
    """End the game by a referee's decision; `winner` None is a draw, or nothing at all if `is_annulled`."""

    winner: Side | None
    is_annulled: bool = False


class Reinstate(RefereeAct, frozen=True):
    """Take the end of a game that ended on time back; the side that was to move has `to_ms` then."""

    to_ms: int


class Undo(RefereeAct, frozen=True):
    """Take the last act of a referee back."""


class ShiftForWindow(Struct, frozen=True):
    """Take the closed maintenance window [from_ms, to_ms) out of the running turn."""

    window_id: str
    from_ms: int
    to_ms: int


PlayerCommand = Accept | Decline | Withdraw | Move | Resign | OfferDraw | AcceptDraw | DeclineDraw | Abort | ClaimDraw
DeskCommand = Pause | Resume | Adjust | Adjudicate | Reinstate | Undo
Command = PlayerCommand | DeskCommand | ShiftForWindow | Look
