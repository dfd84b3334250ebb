"""What clients send about clubs, with the constraints that the OpenAPI document states."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from chalicelib.clubs.model import Role

Name = Annotated[
    str,
    Meta(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$(?!\n)"),
]
TimeZone = Annotated[
    str, Meta(min_length=1, max_length=64, description="a name of the IANA database", examples=["Europe/Berlin"])
]
Day = Annotated[
    str,
    Meta(max_length=32, description="YYYY-MM-DD", examples=["2026-01-31"], extra_json_schema={"format": "date"}),
]
Version = Annotated[int, Meta(ge=1, le=1_000_000_000, description="the version as read; another one is refused")]


class ClubBody(msgspec.Struct, forbid_unknown_fields=True):
    """A new club. Its days begin and end in `time_zone`."""

    name: Name
    time_zone: TimeZone


class ClubEditBody(msgspec.Struct, forbid_unknown_fields=True):
    """A club as it shall be."""

    name: Name
    time_zone: TimeZone
    version: Version


class MemberBody(msgspec.Struct, forbid_unknown_fields=True):
    """A member as they shall be. `version` is left out for a new one."""

    name: Name
    roles: Annotated[list[Role], Meta(min_length=1, max_length=3)]
    version: Version | None = None


class GuestBody(msgspec.Struct, forbid_unknown_fields=True):
    """A new guest."""

    name: Name


class GuestEditBody(msgspec.Struct, forbid_unknown_fields=True):
    """A guest as they shall be called."""

    name: Name
    version: Version


class EventBody(msgspec.Struct, forbid_unknown_fields=True):
    """A new event. `rated` settles for ever whether its results are rated; null leaves it to each of them."""

    name: Name
    rated: bool | None = None


class EventEditBody(msgspec.Struct, forbid_unknown_fields=True):
    """An event as it shall be called."""

    name: Name
    version: Version


class SeasonBody(msgspec.Struct, forbid_unknown_fields=True):
    """A new season, both days included. Seasons may overlap."""

    name: Name
    first_day: Day
    last_day: Day


class SeasonEditBody(msgspec.Struct, forbid_unknown_fields=True):
    """A season as it shall be."""

    name: Name
    first_day: Day
    last_day: Day
    version: Version
