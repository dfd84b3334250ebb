"""What is done in clubs: load, decide, write conditionally, and decide again if something else was stored meanwhile.

Ids are given: requests derive them from caller and key, imports from what they import. `fingerprint` marks what was
asked for; the same again is answered with what was made, however it stands by then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final, TypeVar

from chalicelib.clubs import calendar, membership, store
from chalicelib.clubs.days import zone
from chalicelib.clubs.model import (
    ADMIN,
    Club,
    Event,
    Guest,
    Member,
    Role,
    Season,
    UnknownEvent,
    UnknownMember,
    UnknownSeason,
)
from chalicelib.core.ids import derived_id
from chalicelib.ratings.model import Change, Partition

ATTEMPTS: Final = 10
"""How often an act is decided anew because something else got through."""

Done = TypeVar("Done")
Write = Callable[[Club, Club, Mapping[Partition, Change]], None]


class Busy(Exception):
    """The club changed under every attempt; nothing was done."""


class KeyReused(Exception):
    """The id belongs to something that was made by another request."""


# --- clubs


def create_club(club_id: str, name: str, time_zone: str, founder: str, fingerprint: str) -> Club:
    """Make a club with one member, who is its first club_admin. Raises UnknownTimeZone, KeyReused."""
    zone(time_zone)
    club = Club(club_id, name, time_zone)
    first = Member(club_id, founder, name=founder, roles=(ADMIN,))
    if _is_new(partial(store.create_club, club, first, fingerprint), fingerprint):
        return club
    return store.load_club(club_id)


def edit_club(club_id: str, name: str, time_zone: str, version: int) -> Club:
    """Give a club another name or time zone. Raises UnknownClub, UnknownTimeZone, StaleVersion."""
    return _change(club_id, lambda club: calendar.with_club_edited(club, name, time_zone, version))


# --- seasons


def create_season(club_id: str, season: Season, fingerprint: str) -> tuple[Club, Season]:
    """Add a season to a club; what was made and deleted since stays deleted (UnknownSeason).

    Raises UnknownClub, TooManySeasons, SeasonEndsBeforeItStarts, KeyReused.
    """

    def add(club: Club) -> Club:
        mark = store.season_mark(club_id, season.id)
        _require_same(mark, fingerprint)
        return calendar.with_season(club, season) if mark is None else club

    def write(before: Club, after: Club, changes: Mapping[Partition, Change]) -> None:
        store.create_season(before, after, season.id, fingerprint, changes)

    club = _change(club_id, add, write)
    if all(known.id != season.id for known in club.seasons):
        # The same request made it elsewhere, between the reading of the club and that of the mark.
        club = store.load_club(club_id)
    return club, calendar.season_of(club, season.id)


def edit_season(club_id: str, season_id: str, name: str, days: tuple[date, date], version: int) -> tuple[Club, Season]:
    """Give a season another name or other days. Raises UnknownClub, UnknownSeason, StaleVersion, ...BeforeItStarts."""
    club = _change(club_id, lambda found: calendar.with_season_edited(found, season_id, name, days, version))
    return club, calendar.season_of(club, season_id)


def delete_season(club_id: str, season_id: str) -> None:
    """Delete a season, whatever its version; may be repeated. Raises UnknownClub, UnknownSeason if it never was."""
    if store.season_mark(club_id, season_id) is None:
        raise UnknownSeason(season_id)
    _change(club_id, lambda club: calendar.without_season(club, season_id))


def _change(club_id: str, decide: Callable[[Club], Club], write: Write = store.commit_club) -> Club:
    """Change a club; the logs of seasons that begin or end elsewhere by that are reloaded."""

    def attempt() -> Club:
        before = store.load_club(club_id)
        after = decide(before)
        if after != before:
            change = Change(derived_id("club", club_id, str(after.version)), reload=True)
            changes = dict.fromkeys(calendar.to_reload(before, after), change)
            write(before, after, changes)
            _wake(changes)
        return after

    return _until_stored(attempt)


def _wake(changes: Mapping[Partition, Change]) -> None:
    from chalicelib.ratings import marking

    marking.wake(changes)


# --- members


def enrol(club_id: str, member: str, name: str, roles: Collection[Role], version: int | None) -> Member:
    """Make somebody a member, or give a member another name or other roles.

    `version` is that of the member as read, None for a new one. Raises UnknownClub, StaleVersion, LastAdmin.
    """
    wanted = Member(club_id, member, name, membership.roles_of(roles))

    def attempt() -> Member:
        club, before = store.load_club(club_id), store.load_member(club_id, member)
        after = membership.enrolled(before, wanted, version)
        if after != before:
            store.commit_member(club, membership.admins_after(club, before, after), before, after)
        return after

    return _until_stored(attempt)


def enrol_all(club_id: str, members: Sequence[str]) -> int:
    """Make all of these members of a club, with their ids as names, unless they are; returns how many were new.

    For imports. Raises UnknownClub.
    """
    store.load_club(club_id)
    starts = range(0, len(members), store.MEMBERS_AT_ONCE)
    some = (members[start : start + store.MEMBERS_AT_ONCE] for start in starts)
    return sum(_until_stored(partial(_enrol_some, club_id, few)) for few in some)


def _enrol_some(club_id: str, members: Sequence[str]) -> int:
    known = {member.id for member in store.load_members(club_id, members)}
    roles = membership.roles_of(["member"])
    new = [Member(club_id, member, member, roles) for member in members if member not in known]
    if new:
        store.create_members(new)
    return len(new)


def dismiss(club_id: str, member: str) -> None:
    """Take a member out of a club, whatever the version; may be repeated. Raises UnknownClub, LastAdmin."""

    def attempt() -> None:
        club, before = store.load_club(club_id), store.load_member(club_id, member)
        if before is not None:
            store.commit_member(club, membership.admins_after(club, before, None), before, None)

    _until_stored(attempt)


# --- guests


def create_guest(guest: Guest, fingerprint: str) -> Guest:
    """Make a guest of a club that exists. Raises KeyReused."""
    if _is_new(partial(store.create_guest, guest, fingerprint), fingerprint):
        return guest
    return store.load_guest(guest.club, guest.id)


def rename_guest(club_id: str, guest_id: str, name: str, version: int) -> Guest:
    """Give a guest another name. Raises UnknownGuest, StaleVersion."""
    return _change_guest(club_id, guest_id, lambda guest: membership.renamed(guest, name, version))


def link_guest(club_id: str, guest_id: str, member: str) -> Guest:
    """Note which member of the club a guest is; may be repeated.

    After it, transactions that `check_unchanged` on an older version of the club fail: the version moves on when the
    link is there, so whoever reads the new version reads the link as well. Results with the guest are not touched.
    Raises UnknownGuest, UnknownMember, LinkedElsewhere.
    """

    def decide(guest: Guest) -> Guest:
        after = membership.linked(guest, member)
        if after != guest and store.load_member(club_id, member) is None:
            raise UnknownMember(member)
        return after

    guest = _change_guest(club_id, guest_id, decide)
    _until_stored(partial(store.count_up, club_id))
    return guest


def _change_guest(club_id: str, guest_id: str, decide: Callable[[Guest], Guest]) -> Guest:
    def attempt() -> Guest:
        before = store.load_guest(club_id, guest_id)
        after = decide(before)
        if after != before:
            store.commit_guest(before, after)
        return after

    return _until_stored(attempt)


# --- events


def create_event(event: Event, fingerprint: str) -> Event:
    """Make an event of a club that exists. Raises KeyReused."""
    if _is_new(partial(store.create_event, event, fingerprint), fingerprint):
        return event
    return store.load_event(event.id)


def rename_event(club_id: str, event_id: str, name: str, version: int) -> Event:
    """Give an event of the club another name. Raises UnknownEvent, StaleVersion."""

    def attempt() -> Event:
        before = store.load_event(event_id)
        if before.club != club_id:
            raise UnknownEvent(event_id)
        after = membership.renamed(before, name, version)
        if after != before:
            store.commit_event(before, after)
        return after

    return _until_stored(attempt)


# --- attempts


def _until_stored(attempt: Callable[[], Done]) -> Done:
    for _ in range(ATTEMPTS):
        try:
            return attempt()
        except store.Moved:
            continue
    raise Busy


def _is_new(create: Callable[[], None], fingerprint: str) -> bool:
    """Whether something was made just now; False if the same request made it before. Raises KeyReused."""
    try:
        _until_stored(create)
    except store.AlreadyMade as earlier:
        _require_same(earlier.fingerprint, fingerprint)
        return False
    return True


def _require_same(mark: str | None, fingerprint: str) -> None:
    if mark is not None and mark != fingerprint:
        raise KeyReused
