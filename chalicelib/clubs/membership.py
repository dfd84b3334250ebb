"""Who may be what in a club, and whom a guest turns out to be. Pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

from msgspec.structs import replace

from chalicelib.clubs.model import ADMIN, Club, Event, Guest, LastAdmin, LinkedElsewhere, Member, Role, StaleVersion

Named = TypeVar("Named", Guest, Event)


def has_role(member: Member, roles: Collection[Role]) -> bool:
    """Whether a member has one of the roles; every member has `member`."""
    return bool({*member.roles, "member"} & set(roles))


def roles_of(roles: Collection[Role]) -> tuple[Role, ...]:
    """Roles without repetition, in alphabetical order."""
    return tuple(sorted(set(roles)))


def enrolled(before: Member | None, wanted: Member, version: int | None) -> Member:
    """The member as wanted: a new one if `version` is None, else an edit of that version; `before` if nothing changes.

    Raises StaleVersion.
    """
    if before is not None and (before.name, before.roles) == (wanted.name, wanted.roles):
        return before
    standing = before.version if before else None
    if version != standing:
        raise StaleVersion(standing)
    return replace(wanted, version=(version or 0) + 1)


def admins_after(club: Club, before: Member | None, after: Member | None) -> int:
    """How many members with the role club_admin a club has after a change of one member. Raises LastAdmin."""
    change = int(after is not None and after.is_admin) - int(before is not None and before.is_admin)
    if club.admins + change < 1:
        raise LastAdmin(f"a club cannot be without {ADMIN}")
    return club.admins + change


def renamed(named: Named, name: str, version: int) -> Named:
    """A guest or an event with another name; itself if it is the same. Raises StaleVersion."""
    if named.name == name:
        return named
    if named.version != version:
        raise StaleVersion(named.version)
    return replace(named, name=name, version=version + 1)


def linked(guest: Guest, member: str) -> Guest:
    """The guest as the member they turned out to be; the guest itself if known already. Raises LinkedElsewhere.

    >>> linked(Guest("c", "g", "Max"), "max").linked_to
    'max'
    """
    if guest.linked_to == member:
        return guest
    if guest.linked_to is not None:
        raise LinkedElsewhere(guest)
    return replace(guest, linked_to=member, version=guest.version + 1)
