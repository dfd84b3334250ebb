"""What clients send about results, with the constraints that the OpenAPI document states."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from chalicelib.core.identity import PLAYER_ID
from chalicelib.results.model import EARLIEST_MS, LATEST_MS, Status

MemberId = Annotated[str, Meta(pattern=PLAYER_ID, description="a member, as the claim sub of their token names them")]
Id = Annotated[str, Meta(min_length=1, max_length=64)]
Instant = (
    Annotated[datetime, Meta(tz=True, description="RFC 3339, with a time zone")]
    | Annotated[int, Meta(ge=EARLIEST_MS, le=LATEST_MS, description="milliseconds since the epoch, UTC")]
)
Score = Annotated[str, Meta(max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)", examples=["21-17, 21-19"])]
Version = Annotated[int, Meta(ge=1, le=1_000_000_000)]
Winner = Annotated[Literal["A", "B", ""], Meta(description="empty: a draw, if the result is finished")]


class SeatBody(msgspec.Struct, forbid_unknown_fields=True):
    """One seat of a side: a member or a guest of the club."""

    member: MemberId | None = None
    guest: Id | None = None


SeatsBody = Annotated[list[SeatBody], Meta(min_length=1, max_length=2)]


class ResultBody(msgspec.Struct, forbid_unknown_fields=True):
    """A result. A winner that is left out, null or empty is a draw if the result is finished."""

    played_at: Instant
    a: SeatsBody
    b: SeatsBody
    winner: Winner | None = None
    status: Status = "finished"
    event: Id | None = None
    score: Score = ""
    exclude_from_rating: bool = False


class ResultChanges(msgspec.Struct, forbid_unknown_fields=True):
    """What is to be changed in a result; what is left out stays. `event` null takes it out of its event.

    `version` is the version that the sender has seen; the header If-Match may say it instead.
    """

    version: Version | None = None
    club: Id | UnsetType = UNSET
    played_at: Instant | UnsetType = UNSET
    a: SeatsBody | UnsetType = UNSET
    b: SeatsBody | UnsetType = UNSET
    winner: Winner | UnsetType | None = UNSET
    status: Status | UnsetType = UNSET
    event: Id | UnsetType | None = UNSET
    score: Score | UnsetType = UNSET
    exclude_from_rating: bool | UnsetType = UNSET


class LinkBody(msgspec.Struct, forbid_unknown_fields=True):
    """The member that a guest turned out to be."""

    member: MemberId
