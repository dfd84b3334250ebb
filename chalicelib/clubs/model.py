"""Clubs and what belongs to them, as frozen values, and the errors of the slice."""

from __future__ import annotations

from datetime import date
from typing import Final, Literal

from msgspec import Struct

Role = Literal["member", "recorder", "club_admin"]
"""`recorder` and `club_admin` record results; `club_admin` alone changes members, seasons, events and links."""

RECORDING: Final[tuple[Role, ...]] = ("recorder", "club_admin")
ADMIN: Final[Role] = "club_admin"


class Season(Struct, frozen=True, array_like=True):
    """A span of days of a club, both ends included. Seasons may overlap."""

    id: str
    name: str
    first_day: date
    last_day: date
    version: int = 1


class Seasons(Struct, frozen=True):
    """The seasons of a club, and the version of the club that has them in these dates and in this time zone.

    The version moves on as well whenever a guest is linked to a member.
    """

    club: str
    version: int
    time_zone: str
    seasons: tuple[Season, ...]


class Club(Struct, frozen=True):
    """A club. `admins` counts its members with the role club_admin; `version` counts all changes but those of roles."""

    id: str
    name: str
    time_zone: str
    version: int = 1
    seasons: tuple[Season, ...] = ()
    admins: int = 1

    @property
    def calendar(self) -> Seasons:
        return Seasons(self.id, self.version, self.time_zone, self.seasons)


class Member(Struct, frozen=True):
    """A person of this server as a member of a club. Whoever is in a club has the role `member`, said or not."""

    club: str
    id: str
    name: str
    roles: tuple[Role, ...]
    version: int = 1

    @property
    def is_admin(self) -> bool:
        return ADMIN in self.roles


class Guest(Struct, frozen=True):
    """Somebody who plays in a club without being a member; `linked_to` is the member they turned out to be."""

    club: str
    id: str
    name: str
    linked_to: str | None = None
    version: int = 1


class Event(Struct, frozen=True):
    """An event of a club; it may take results of other clubs. `rated` is fixed for ever; None: results choose."""

    id: str
    club: str
    name: str
    rated: bool | None
    created_at_ms: int
    version: int = 1


class UnknownClub(LookupError):
    """There is no club with this id."""


class UnknownMember(LookupError):
    """The club has no such member."""


class UnknownGuest(LookupError):
    """The club has no such guest."""


class UnknownEvent(LookupError):
    """There is no event with this id."""


class UnknownSeason(LookupError):
    """The club has no such season."""


class UnknownTimeZone(ValueError):
    """This names no time zone of the IANA database."""


class InvalidDate(ValueError):
    """This is not a day on which a season can begin or end; `field` is where it was sent."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field


class SeasonEndsBeforeItStarts(ValueError):
    """The last day of a season lies before its first."""


class TooManySeasons(Exception):
    """The club has as many seasons as a club can have."""


class LastAdmin(Exception):
    """The only member with the role club_admin can neither go nor lose it."""


class LinkedElsewhere(Exception):
    """The guest is linked to another member; `guest` says to whom."""

    def __init__(self, guest: Guest) -> None:
        super().__init__(f"guest {guest.id} is linked to {guest.linked_to}")
        self.guest = guest


class StaleVersion(Exception):
    """An edit was made on another version than the one that stands; `current` is that, None if there is nothing."""

    def __init__(self, current: int | None) -> None:
        super().__init__(f"version {current} stands" if current else "there is none yet")
        self.current = current
