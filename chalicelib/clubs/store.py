"""Clubs in DynamoDB: one table, whose entries of a club lie together.

club id / "club"                    the club with its seasons; its version stands for the seasons and the links
club id / "member#<member>"         a member; the index `member` leads from a person to their clubs
club id / "guest#<guest>"
club id / "event#<created>#<event>" a row that leads to an event of the club
club id / "season#<season>"         the mark that a season was made; it stays when the season goes
"event#<event>" / "event"           an event, found without knowing its club
"person#<member>" / "person"        somebody who is, or was, a member of any club of this server
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec import Struct
from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import DoesNotExist, TransactGetError, TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

from chalicelib.clubs.model import (
    Club,
    Event,
    Guest,
    Member,
    Season,
    UnknownClub,
    UnknownEvent,
    UnknownGuest,
)
from chalicelib.core.database import Conflict, Contention, Table, update
from chalicelib.core.settings import settings
from chalicelib.ratings.model import Change, Partition

_CLUB: Final = "club"
_EVENT: Final = "event"
_PERSON: Final = "person"
_CANCELLED: Final = "TransactionCanceledException"
MEMBERS_AT_ONCE: Final = 50
"""A transaction takes 100 items; a member is two."""

_READS: Final = 10
"""How often a read that must not meet a transaction under way is tried; a transaction takes milliseconds."""


class AlreadyMade(Exception):
    """Something with this id was made before; `fingerprint` is the mark of the request that made it."""

    def __init__(self, fingerprint: str) -> None:
        super().__init__("made before")
        self.fingerprint = fingerprint


class Moved(Exception):
    """Something else was stored in between; nothing was written, and what was decided is to be decided anew."""


class MemberIndex(GlobalSecondaryIndex["EntryItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "member"
        projection = KeysOnlyProjection()

    member = UnicodeAttribute(hash_key=True)
    club = UnicodeAttribute(range_key=True)


class EntryItem(Model):
    """Any entry of the table; which attributes it has depends on its kind."""

    class Meta(Table):
        table_name = settings().clubs_table

    club = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    name = UnicodeAttribute(null=True)
    version = NumberAttribute(null=True)
    fingerprint = UnicodeAttribute(null=True)
    time_zone = UnicodeAttribute(null=True)
    seasons = UnicodeAttribute(null=True)
    admins = NumberAttribute(null=True)
    member = UnicodeAttribute(null=True)
    roles = UnicodeAttribute(null=True)
    linked_to = UnicodeAttribute(null=True)
    owner = UnicodeAttribute(null=True)
    rated = BooleanAttribute(null=True)
    created_ms = NumberAttribute(null=True)
    member_index = MemberIndex()


class Page(Struct, frozen=True):
    """Entries of one page, and where the next begins (None: nowhere)."""

    items: list[EntryItem]
    next_entry: str | None


# --- clubs and their seasons


def load_club(club_id: str) -> Club:
    """The club, by a strongly consistent read. Raises UnknownClub."""
    item = _found(club_id, _CLUB)
    if item is None:
        raise UnknownClub(club_id)
    return _club_of(item)


def load_club_settled(club_id: str) -> Club:
    """As `load_club`, but never while a transaction that changes the club is half visible elsewhere.

    A plain read may still see the club as it was when other items of the same transaction are seen as they became.
    """
    for _ in range(_READS - 1):
        try:
            return _read_settled(club_id)
        except TransactGetError as error:
            if error.cause_response_code != _CANCELLED:
                raise
    return _read_settled(club_id)


def _read_settled(club_id: str) -> Club:
    with TransactGet(connection=_connection()) as transaction:
        future = transaction.get(EntryItem, club_id, _CLUB)
    try:
        return _club_of(future.get())
    except DoesNotExist as error:
        raise UnknownClub(club_id) from error


def load_clubs(club_ids: Iterable[str]) -> list[Club]:
    """The clubs of these ids, in the order given; ids without a club are left out."""
    return [_club_of(item) for item in _found_many((club_id, _CLUB) for club_id in club_ids)]


def create_club(club: Club, founder: Member, fingerprint: str) -> None:
    """Store a new club with its first member. Raises AlreadyMade."""
    item = _item_of_club(club)
    item.fingerprint = fingerprint
    try:
        with _transaction() as transaction:
            transaction.save(item, condition=EntryItem.club.does_not_exist())
            transaction.save(_item_of_member(founder))
            transaction.save(_person(founder.id))
    except Moved:
        _refuse_if_made(club.id, _CLUB)
        raise


def commit_club(before: Club, after: Club, changes: Mapping[Partition, Change]) -> None:
    """Store a changed club where `before` stands, and what it means for ratings with it. Raises Moved."""
    with _transaction() as transaction:
        _put_club(transaction, before, after, changes)


def create_season(
    before: Club, after: Club, season_id: str, fingerprint: str, changes: Mapping[Partition, Change]
) -> None:
    """As `commit_club`, for a club that got a season, which can be made only once. Raises Moved."""
    mark = EntryItem(after.id, _season(season_id), fingerprint=fingerprint)
    with _transaction() as transaction:
        transaction.save(mark, condition=EntryItem.club.does_not_exist())
        _put_club(transaction, before, after, changes)


def season_mark(club_id: str, season_id: str) -> str | None:
    """The mark of the request that made this season, whether it still stands or not; None if it never was made."""
    item = _found(club_id, _season(season_id))
    return item.fingerprint or "" if item else None


def count_up(club_id: str) -> None:
    """Move the version of a club on. Raises Moved."""
    _update(EntryItem(club_id, _CLUB), [EntryItem.version.add(1)], EntryItem.club.exists())


def require_version(transaction: TransactWrite, club_id: str, version: int) -> None:
    """Make a transaction fail unless the club still has this version."""
    transaction.condition_check(EntryItem, club_id, _CLUB, condition=EntryItem.version == version)


def _put_club(transaction: TransactWrite, before: Club, after: Club, changes: Mapping[Partition, Change]) -> None:
    from chalicelib.ratings import marking

    actions: list[Action] = [
        EntryItem.name.set(after.name),
        EntryItem.time_zone.set(after.time_zone),
        EntryItem.seasons.set(_seasons_text(after)),
        EntryItem.version.set(after.version),
    ]
    transaction.update(EntryItem(after.id, _CLUB), actions, condition=EntryItem.version == before.version)
    marking.mark(transaction, changes)


# --- members


def load_member(club_id: str, member: str) -> Member | None:
    """The member, by a strongly consistent read; None if the club has none such."""
    item = _found(club_id, _member(member))
    return _member_of(item) if item else None


def commit_member(club: Club, admins: int, before: Member | None, after: Member | None) -> None:
    """Store a member who came, changed or went, where `before` stands, with the number of admins. Raises Moved."""
    member = after or before
    if member is None:
        return
    stands = EntryItem.club.does_not_exist() if before is None else EntryItem.version == before.version
    with _transaction() as transaction:
        if after is None:
            transaction.delete(EntryItem(club.id, _member(member.id)), condition=stands)
        else:
            transaction.save(_item_of_member(after), condition=stands)
        if before is None:
            transaction.save(_person(member.id))
        if admins != club.admins:
            counted: list[Action] = [EntryItem.admins.set(admins)]
            transaction.update(EntryItem(club.id, _CLUB), counted, condition=EntryItem.admins == club.admins)


def load_members(club_id: str, members: Iterable[str]) -> list[Member]:
    """The members of these ids; ids without a member are left out."""
    return [_member_of(item) for item in _found_many((club_id, _member(member)) for member in members)]


def create_members(new: Iterable[Member]) -> None:
    """Store up to MEMBERS_AT_ONCE new members without special roles, all or none. Raises Moved if one exists."""
    with _transaction() as transaction:
        for member in new:
            transaction.save(_item_of_member(member), condition=EntryItem.club.does_not_exist())
            transaction.save(_person(member.id))


def unregistered(members: Iterable[str]) -> list[str]:
    """Those who never were a member of any club, in the order given."""
    wanted = list(dict.fromkeys(members))
    known = {item.club for item in _found_many((_person_key(member), _PERSON) for member in wanted)}
    return [member for member in wanted if _person_key(member) not in known]


def members_of(club_id: str, limit: int, after_entry: str | None) -> tuple[list[Member], str | None]:
    """A page of the members of a club by id, and where the next begins."""
    page = _page(club_id, "member", limit, after_entry)
    return [_member_of(item) for item in page.items], page.next_entry


def clubs_of(member: str, limit: int, after_club: str | None) -> tuple[list[Club], str | None]:
    """A page of the clubs of a person by id, and where the next begins. A club just entered may come a moment later."""
    condition = EntryItem.club > after_club if after_club else None
    found = [item.club for item in EntryItem.member_index.query(member, condition, limit=limit + 1)]
    return load_clubs(found[:limit]), found[limit - 1] if len(found) > limit else None


# --- guests


def load_guest(club_id: str, guest_id: str) -> Guest:
    """The guest, by a strongly consistent read. Raises UnknownGuest."""
    item = _found(club_id, _guest(guest_id))
    if item is None:
        raise UnknownGuest(guest_id)
    return _guest_of(item)


def load_guests(club_id: str, guest_ids: Iterable[str]) -> list[Guest]:
    """The guests of these ids; ids without a guest are left out."""
    return [_guest_of(item) for item in _found_many((club_id, _guest(guest_id)) for guest_id in guest_ids)]


def create_guest(guest: Guest, fingerprint: str) -> None:
    """Store a new guest. Raises AlreadyMade."""
    item = EntryItem(guest.club, _guest(guest.id), name=guest.name, version=guest.version, fingerprint=fingerprint)
    try:
        with _transaction() as transaction:
            transaction.save(item, condition=EntryItem.club.does_not_exist())
    except Moved:
        _refuse_if_made(guest.club, _guest(guest.id))
        raise


def commit_guest(before: Guest, after: Guest) -> None:
    """Store a changed guest where `before` stands. Raises Moved."""
    actions: list[Action] = [EntryItem.name.set(after.name), EntryItem.version.set(after.version)]
    if after.linked_to is not None:
        actions.append(EntryItem.linked_to.set(after.linked_to))
    _update(EntryItem(after.club, _guest(after.id)), actions, EntryItem.version == before.version)


def guests_of(club_id: str, limit: int, after_entry: str | None) -> tuple[list[Guest], str | None]:
    """A page of the guests of a club by id, and where the next begins."""
    page = _page(club_id, "guest", limit, after_entry)
    return [_guest_of(item) for item in page.items], page.next_entry


# --- events


def load_event(event_id: str) -> Event:
    """The event, by a strongly consistent read. Raises UnknownEvent."""
    item = _found(_event_key(event_id), _EVENT)
    if item is None:
        raise UnknownEvent(event_id)
    return _event_of(item)


def create_event(event: Event, fingerprint: str) -> None:
    """Store a new event with its row in the list of its club. Raises AlreadyMade."""
    item = EntryItem(
        _event_key(event.id),
        _EVENT,
        owner=event.club,
        name=event.name,
        rated=event.rated,
        created_ms=event.created_at_ms,
        version=event.version,
        fingerprint=fingerprint,
    )
    try:
        with _transaction() as transaction:
            transaction.save(item, condition=EntryItem.club.does_not_exist())
            transaction.save(EntryItem(event.club, f"event#{event.created_at_ms:015d}#{event.id}"))
    except Moved:
        _refuse_if_made(_event_key(event.id), _EVENT)
        raise


def commit_event(before: Event, after: Event) -> None:
    """Store an event of another name where `before` stands. Raises Moved."""
    actions: list[Action] = [EntryItem.name.set(after.name), EntryItem.version.set(after.version)]
    _update(EntryItem(_event_key(after.id), _EVENT), actions, EntryItem.version == before.version)


def events_of(club_id: str, limit: int, before_entry: str | None) -> tuple[list[Event], str | None]:
    """A page of the events of a club, newest first, and where the next begins."""
    page = _page(club_id, "event", limit, before_entry, newest_first=True)
    keys = [(_event_key(item.entry.rpartition("#")[2]), _EVENT) for item in page.items]
    return [_event_of(item) for item in _found_many(keys)], page.next_entry


# --- reading and writing


def _found(club: str, entry: str) -> EntryItem | None:
    try:
        return EntryItem.get(club, entry, consistent_read=True)
    except DoesNotExist:
        return None


def _found_many(keys: Iterable[tuple[str, str]]) -> list[EntryItem]:
    """The entries of these keys in the order given; keys without one are left out."""
    wanted = list(dict.fromkeys(keys))
    found = {(item.club, item.entry): item for item in EntryItem.batch_get(wanted, consistent_read=True)}
    return [found[key] for key in wanted if key in found]


def _page(club: str, kind: str, limit: int, from_entry: str | None, *, newest_first: bool = False) -> Page:
    """Entries of a kind beyond `from_entry`. Entries that come in later never move a page."""
    low, high = f"{kind}#", f"{kind}$"
    bounds = (low, from_entry or high) if newest_first else (from_entry or low, high)
    condition = EntryItem.entry.between(*bounds)
    rows = EntryItem.query(club, condition, scan_index_forward=not newest_first, limit=limit + 2, consistent_read=True)
    items = [row for row in rows if row.entry != from_entry]
    return Page(items[:limit], items[limit - 1].entry if len(items) > limit else None)


def _refuse_if_made(club: str, entry: str) -> None:
    item = _found(club, entry)
    if item is not None:
        raise AlreadyMade(item.fingerprint or "")


@contextmanager
def _transaction() -> Iterator[TransactWrite]:
    """A transaction that is cancelled, for whatever reason, as Moved."""
    try:
        with TransactWrite(connection=_connection()) as transaction:
            yield transaction
    except TransactWriteError as error:
        if error.cause_response_code != _CANCELLED:
            raise
        raise Moved from error


def _update(item: EntryItem, actions: list[Action], condition: Condition) -> None:
    """A conditional update. Raises Moved."""
    try:
        update(item, actions, condition)
    except (Conflict, Contention) as error:
        raise Moved from error


def _connection() -> Any:
    return EntryItem._get_connection().connection


# --- entries and values


def _member(member: str) -> str:
    return f"member#{member}"


def _guest(guest_id: str) -> str:
    return f"guest#{guest_id}"


def _season(season_id: str) -> str:
    return f"season#{season_id}"


def _event_key(event_id: str) -> str:
    return f"event#{event_id}"


def _person_key(member: str) -> str:
    return f"person#{member}"


def _person(member: str) -> EntryItem:
    return EntryItem(_person_key(member), _PERSON)


def _item_of_club(club: Club) -> EntryItem:
    return EntryItem(
        club.id,
        _CLUB,
        name=club.name,
        time_zone=club.time_zone,
        seasons=_seasons_text(club),
        admins=club.admins,
        version=club.version,
    )


def _seasons_text(club: Club) -> str:
    return msgspec.json.encode(club.seasons).decode()


def _club_of(item: EntryItem) -> Club:
    values = item.attribute_values
    seasons = msgspec.json.decode(values["seasons"], type=tuple[Season, ...])
    return Club(item.club, values["name"], values["time_zone"], int(values["version"]), seasons, int(values["admins"]))


def _item_of_member(member: Member) -> EntryItem:
    return EntryItem(
        member.club,
        _member(member.id),
        member=member.id,
        name=member.name,
        roles=" ".join(member.roles),
        version=member.version,
    )


def _member_of(item: EntryItem) -> Member:
    values = item.attribute_values
    return Member(item.club, values["member"], values["name"], tuple(values["roles"].split()), int(values["version"]))


def _guest_of(item: EntryItem) -> Guest:
    values = item.attribute_values
    guest_id = item.entry.partition("#")[2]
    return Guest(item.club, guest_id, values["name"], values.get("linked_to"), int(values["version"]))


def _event_of(item: EntryItem) -> Event:
    values = item.attribute_values
    event_id = item.club.partition("#")[2]
    return Event(
        event_id,
        values["owner"],
        values["name"],
        values.get("rated"),
        int(values["created_ms"]),
        int(values["version"]),
    )
