"""What players, referees and the clock may ask of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from chalicelib.core.sides import Side

DrawClaim = Literal["threefold_repetition", "fifty_moves"]


@dataclass(frozen=True, slots=True)
class Accept:
    """Take up an invitation. `coin` is the side the acceptor plays if the challenger left it to chance."""

    player: str
    coin: Side


@dataclass(frozen=True, slots=True)
class Decline:
    player: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take back one's own invitation."""

    player: str


@dataclass(frozen=True, slots=True)
class Move:
    """`ply` is the number of the ply the move is meant for; `lag_ms` is what the server measured, never a claim."""

    player: str
    ply: int
    move: str
    lag_ms: int = 0


@dataclass(frozen=True, slots=True)
class Resign:
    player: str


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """An offer bound to the ply that is to be played."""

    player: str
    ply: int


@dataclass(frozen=True, slots=True)
class AcceptDraw:
    player: str
    ply: int


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    player: str
    ply: int


@dataclass(frozen=True, slots=True)
class Abort:
    player: str


@dataclass(frozen=True, slots=True)
class ClaimDraw:
    """Claim a draw by rule on the position that stands before ply `ply`."""

    player: str
    ply: int
    reason: DrawClaim


@dataclass(frozen=True, slots=True)
class Look:
    """Nobody asks for anything but the truth: end the game if its time is up."""


@dataclass(frozen=True, slots=True)
class Pause:
    reason: str


@dataclass(frozen=True, slots=True)
class Resume:
    reason: str


@dataclass(frozen=True, slots=True)
class Adjust:
    """Correct an account: exactly one of `delta_ms` and `to_ms` is set."""

    side: Side
    delta_ms: int | None = None
    to_ms: int | None = None


@dataclass(frozen=True, slots=True)
class ShiftForWindow:
    """Take the closed maintenance window [from_ms, to_ms) out of the running turn."""

    window_id: str
    from_ms: int
    to_ms: int


PlayerCommand = Accept | Decline | Withdraw | Move | Resign | OfferDraw | AcceptDraw | DeclineDraw | Abort | ClaimDraw
DeskCommand = Pause | Resume | Adjust | ShiftForWindow
Command = PlayerCommand | DeskCommand | Look
