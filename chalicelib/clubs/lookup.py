"""What other slices ask of clubs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from chalicelib.clubs import calendar, store
from chalicelib.clubs.membership import has_role
from chalicelib.clubs.model import Event, Guest, Role, Seasons, UnknownClub
from chalicelib.core.problems import Problem
from chalicelib.ratings.model import Partition

if TYPE_CHECKING:
    from pynamodb.transactions import TransactWrite


def require_role(club: str, member: str, roles: Collection[Role]) -> None:
    """Raises a Problem unless the member has one of the roles in the club: 403 role_required, 404 unknown_club."""
    known = store.load_member(club, member)
    if known is not None and has_role(known, roles):
        return
    if known is None:
        require_club(club)
    raise Problem(403, "role_required", f"{member} has none of these roles in club {club}: {', '.join(roles)}")


def require_club(club: str) -> None:
    """Raises a Problem unless the club exists: 404 unknown_club."""
    try:
        store.load_club(club)
    except UnknownClub as error:
        raise Problem(404, "unknown_club", f"there is no club {club}") from error


def unknown_members(ids: Iterable[str]) -> list[str]:
    """Those who are registered nowhere on this server: never were a member of any club."""
    return store.unregistered(ids)


def guests(club: str, ids: Iterable[str]) -> dict[str, Guest]:
    """The guests of a club by id, with the members they are linked to; ids that it does not know are left out.

    For `check_unchanged` to vouch for the links, read the seasons before the guests.
    """
    return {guest.id: guest for guest in store.load_guests(club, ids)}


def seasons(club: str) -> Seasons:
    """The seasons of a club and their version, by a strongly consistent read. Raises UnknownClub."""
    return store.load_club(club).calendar


def season_partitions(seasons: Seasons, at_ms: int) -> tuple[Partition, ...]:
    """The logs of the seasons that contain an instant, from 00:00 of the first day to the end of the last."""
    return calendar.season_partitions(seasons, at_ms)


def season_span(partition: Partition) -> tuple[str, int, int] | None:
    """Club, beginning and end (half-open, ms) of the season whose log this is; None if there is no such season.

    For reloading a log: whoever saw the change that asks for it sees the season as that change left it.
    """
    club, _, season = partition.ref.partition("/")
    try:
        calendar_of_club = store.load_club_settled(club).calendar
    except UnknownClub:
        return None
    span = calendar.season_span(calendar_of_club, season)
    return (club, *span) if span else None


def event(event_id: str) -> Event:
    """An event by its id, whatever club owns it. Raises UnknownEvent."""
    return store.load_event(event_id)


def check_unchanged(transaction: TransactWrite, club: str, seasons_version: int) -> None:
    """Make a transaction fail if the club's seasons, time zone or guest links are not as read; a loser reads again.

    `seasons_version` is that of `seasons`, read before the guests. Two transactions that check the same club at the
    same instant may also disturb each other (TransactionConflict): repeat then, nothing has changed.
    """
    store.require_version(transaction, club, seasons_version)
