"""What admins send about games and profiles, with the constraints that the OpenAPI document states."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from chalicelib.clock.profiles import LONGEST_ACCOUNT, FirstMoveScope, NoStart
from chalicelib.core.ids import GAME_ID
from chalicelib.games.bodies import PlayerId

PRINTABLE = r"^[^\x00-\x1f\x7f]*$(?!\n)"

Reason = Annotated[str, Meta(min_length=1, max_length=500, description="why, for the audit log; players do not see it")]
Because = Annotated[
    str,
    Meta(min_length=1, max_length=64, pattern=PRINTABLE, description="a reason for the pause, seen by everybody"),
]
Amount = Annotated[int, Meta(ge=-LONGEST_ACCOUNT, le=LONGEST_ACCOUNT, description="milliseconds")]
Version = Annotated[int, Meta(ge=0, le=1_000_000, description="the act is for this version of the game alone")]
Numbers = Annotated[int, Meta(ge=-(2**53), le=2**53, description="milliseconds")]
ProfileName = Annotated[
    str, Meta(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$(?!\n)", examples=["60-60-2"])
]


class ActBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What every act needs. With `dry_run` the answer says what would happen, and nothing is done."""

    reason: Reason
    version: Version | None = None
    dry_run: bool = False


class AdjustBody(ActBody, forbid_unknown_fields=True, kw_only=True):
    """A correction of the account of one `player`, or `side`, in one of four ways.

    `delta_ms` adds or takes away, `to_ms` sets; `reset` "start" sets what the profile starts with, and `snapshot` what
    the account held after the event that made this version of the game.
    """

    player: PlayerId | None = None
    side: Literal["white", "black"] | None = None
    delta_ms: Amount | None = None
    to_ms: Amount | None = None
    reset: Literal["start"] | None = None
    snapshot: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None


class PauseBody(ActBody, forbid_unknown_fields=True, kw_only=True):
    """A pause, or its end. Pauses for different reasons do not end each other."""

    because: Because = "referee"


class AdjudicateBody(ActBody, forbid_unknown_fields=True, kw_only=True):
    """A decision: who wins, a draw, or that the game counts for nothing."""

    result: Literal["white", "black", "draw", "annul"]


class ReinstateBody(ActBody, forbid_unknown_fields=True, kw_only=True):
    """A wrong end on time is taken back; the side that was to move has `to_ms` from now on."""

    to_ms: Amount


class ProfileBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A new time control. All times in ms; see GET /v1/profiles for what they mean."""

    code: ProfileName
    initial_buffer_ms: Numbers
    increment_ms: Numbers
    cap_ms: Numbers
    reason: Reason
    first_move_limit_ms: Numbers | None = None
    first_move_scope: FirstMoveScope = "game"
    no_start: NoStart = "loss"
    grace_ms: Numbers = 0
    late_increment_ms: Numbers | None = None
    late_from_move: Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] | None = None


class RetireBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A time control that new games may not use any more."""

    code: Annotated[str, Meta(max_length=32)]
    reason: Reason


class AuditQuery(msgspec.Struct):
    """One of `game`, `profile`, `actor` and `day` (UTC); none of them: today."""

    game: Annotated[str, Meta(pattern=f"^{GAME_ID}$(?!\\n)")] | None = None
    profile: ProfileName | None = None
    actor: Annotated[str, Meta(min_length=1, max_length=64, pattern=PRINTABLE)] | None = None
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)", examples=["2026-11-30"])] | None = None
    cursor: Annotated[str, Meta(max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20
