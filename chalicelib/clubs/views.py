"""What clients see of clubs."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from chalicelib.clubs.days import span_ms
from chalicelib.clubs.model import Club, Event, Guest, Member, Role, Season

Instant = Annotated[int, Meta(description="milliseconds since the epoch, UTC")]
Cursor = Annotated[str, Meta(description="cursor of the next page")] | None


class ClubView(msgspec.Struct):
    """A club. Its version moves on with its name, time zone, seasons, and with links of guests to members."""

    id: str
    name: str
    time_zone: str
    version: int


class SeasonView(msgspec.Struct):
    """A season, both days included: from `starts_ms` up to, but not including, `ends_ms`."""

    id: str
    club: str
    name: str
    first_day: str
    last_day: str
    starts_ms: Instant
    ends_ms: Instant
    version: int


class MemberView(msgspec.Struct):
    """A member of a club."""

    id: str
    club: str
    name: str
    roles: list[Role]
    version: int


class GuestView(msgspec.Struct):
    """A guest of a club, and the member they turned out to be."""

    id: str
    club: str
    name: str
    member: str | None
    version: int


class ClubEventView(msgspec.Struct):
    """An event, and the club that owns it."""

    id: str
    club: str
    name: str
    rated: bool | None
    created_ms: Instant
    version: int


class Clubs(msgspec.Struct):
    """A page of clubs."""

    clubs: list[ClubView]
    next: Cursor


class Members(msgspec.Struct):
    """A page of members."""

    members: list[MemberView]
    next: Cursor


class Guests(msgspec.Struct):
    """A page of guests."""

    guests: list[GuestView]
    next: Cursor


class ClubEvents(msgspec.Struct):
    """A page of events, newest first."""

    events: list[ClubEventView]
    next: Cursor


class SeasonList(msgspec.Struct):
    """All seasons of a club, by their first day."""

    seasons: list[SeasonView]


View = ClubView | SeasonView | MemberView | GuestView | ClubEventView


def club_view(club: Club) -> ClubView:
    return ClubView(club.id, club.name, club.time_zone, club.version)


def season_view(club: Club, season: Season) -> SeasonView:
    starts_ms, ends_ms = span_ms(season.first_day, season.last_day, club.time_zone)
    return SeasonView(
        id=season.id,
        club=club.id,
        name=season.name,
        first_day=season.first_day.isoformat(),
        last_day=season.last_day.isoformat(),
        starts_ms=starts_ms,
        ends_ms=ends_ms,
        version=season.version,
    )


def member_view(member: Member) -> MemberView:
    return MemberView(member.id, member.club, member.name, list(member.roles), member.version)


def guest_view(guest: Guest) -> GuestView:
    return GuestView(guest.id, guest.club, guest.name, guest.linked_to, guest.version)


def event_view(event: Event) -> ClubEventView:
    return ClubEventView(event.id, event.club, event.name, event.rated, event.created_at_ms, event.version)
