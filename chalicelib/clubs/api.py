"""Clubs over HTTP.

Creations need an Idempotency-Key. Edits name the version that they were made on, and are refused on any other unless
nothing would change; the same edit again is thus answered like the first. Removing needs no version: whatever was to be
removed is gone afterwards.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from chalicelib.clubs import acts, store
from chalicelib.clubs.answers import made, problems, shown
from chalicelib.clubs.bodies import (
    ClubBody,
    ClubEditBody,
    EventBody,
    EventEditBody,
    GuestBody,
    GuestEditBody,
    MemberBody,
    SeasonBody,
    SeasonEditBody,
)
from chalicelib.clubs.days import day
from chalicelib.clubs.lookup import require_role
from chalicelib.clubs.model import ADMIN, RECORDING, Event, Guest, Season
from chalicelib.clubs.views import (
    ClubEvents,
    ClubEventView,
    Clubs,
    ClubView,
    Guests,
    GuestView,
    Members,
    MemberView,
    SeasonList,
    SeasonView,
    club_view,
    event_view,
    guest_view,
    member_view,
    season_view,
)
from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.ids import ENTITY_ID, derived_id, fingerprint
from chalicelib.core.paging import PageQuery, cursor_of, entry_of

endpoints: Final = Endpoints(__name__)

_CLUB: Final = "/v1/clubs/{club}"
_KEY: Final = ("idempotency_key_required", "idempotency_key_reused")
_ACTING: Final = ("busy", "role_required", "unknown_club")
_EDITING: Final = (*_ACTING, "stale_version")

_CLUB_CURSOR: Final = re.compile(ENTITY_ID)
_MEMBER_CURSOR: Final = re.compile(r"member#[!-~]{1,64}")
_GUEST_CURSOR: Final = re.compile(rf"guest#{ENTITY_ID}")
_EVENT_CURSOR: Final = re.compile(rf"event#[0-9]{{15}}#{ENTITY_ID}")


def _listing(path: str, page: type[msgspec.Struct]) -> Operation:
    codes = ("invalid_cursor", "unknown_club") if "{club}" in path else ("invalid_cursor",)
    return Operation("GET", path, "read", {200: page}, query=PageQuery, codes=codes)


def _mark(request: Request[Any, NoQuery]) -> str:
    return fingerprint(msgspec.json.encode(request.body).decode())


def _new_id(kind: str, request: Request[Any, NoQuery], *place: str) -> str:
    """Follows from caller and key, and from the club where something is made in one."""
    return derived_id(kind, *place, request.player, idempotency_key(request.headers))


# --- clubs


@endpoints.add(
    Operation(
        "POST",
        "/v1/clubs",
        "record",
        {201: ClubView},
        body=ClubBody,
        needs_key=True,
        codes=("busy", *_KEY, "unknown_time_zone"),
    )
)
def create_club(request: Request[ClubBody, NoQuery]) -> Answer:
    """Found a club; the caller is its first club_admin."""
    body, club_id = request.body, _new_id("club", request)
    with problems():
        club = acts.create_club(club_id, body.name, body.time_zone, request.player, _mark(request))
    return made(club_view(club), f"/v1/clubs/{club.id}")


@endpoints.add(_listing("/v1/clubs", Clubs))
def list_my_clubs(request: Request[NoBody, PageQuery]) -> Answer:
    """The clubs that the caller is a member of; one just entered may come a moment later."""
    after = entry_of(request.query.cursor, _CLUB_CURSOR)
    clubs, following = store.clubs_of(request.player, request.query.limit, after)
    return Answer(Clubs([club_view(club) for club in clubs], cursor_of(following)))


@endpoints.add(Operation("GET", _CLUB, "read", {200: ClubView}, codes=("unknown_club",)))
def read_club(request: Request[NoBody, NoQuery], club: str) -> Answer:
    """A club."""
    with problems():
        return shown(club_view(store.load_club(club)))


@endpoints.add(
    Operation("PUT", _CLUB, "record", {200: ClubView}, body=ClubEditBody, codes=(*_EDITING, "unknown_time_zone"))
)
def edit_club(request: Request[ClubEditBody, NoQuery], club: str) -> Answer:
    """Give a club another name or time zone; its seasons then begin and end at other instants."""
    require_role(club, request.player, (ADMIN,))
    body = request.body
    with problems():
        return shown(club_view(acts.edit_club(club, body.name, body.time_zone, body.version)))


# --- members


@endpoints.add(_listing(f"{_CLUB}/members", Members))
def list_members(request: Request[NoBody, PageQuery], club: str) -> Answer:
    """The members of a club, by id."""
    after = entry_of(request.query.cursor, _MEMBER_CURSOR)
    with problems():
        store.load_club(club)
    members, following = store.members_of(club, request.query.limit, after)
    return Answer(Members([member_view(member) for member in members], cursor_of(following)))


@endpoints.add(
    Operation(
        "PUT",
        f"{_CLUB}/members/{{member}}",
        "record",
        {200: MemberView},
        body=MemberBody,
        codes=(*_EDITING, "last_club_admin", "unknown_member"),
    )
)
def put_member(request: Request[MemberBody, NoQuery], club: str, member: str) -> Answer:
    """Make somebody a member of a club, or give a member another name or other roles."""
    require_role(club, request.player, (ADMIN,))
    body = request.body
    with problems():
        return shown(member_view(acts.enrol(club, member, body.name, body.roles, body.version)))


@endpoints.add(
    Operation(
        "DELETE",
        f"{_CLUB}/members/{{member}}",
        "record",
        {204: ""},
        codes=(*_ACTING, "last_club_admin", "unknown_member"),
    )
)
def remove_member(request: Request[NoBody, NoQuery], club: str, member: str) -> Answer:
    """Take a member out of a club; their results stay."""
    require_role(club, request.player, (ADMIN,))
    with problems():
        acts.dismiss(club, member)
    return Answer("", status=204)


# --- guests


@endpoints.add(
    Operation(
        "POST",
        f"{_CLUB}/guests",
        "record",
        {201: GuestView},
        body=GuestBody,
        needs_key=True,
        codes=(*_ACTING, *_KEY),
    )
)
def create_guest(request: Request[GuestBody, NoQuery], club: str) -> Answer:
    """Enter somebody who plays in a club without being a member."""
    require_role(club, request.player, RECORDING)
    with problems():
        guest = acts.create_guest(Guest(club, _new_id("guest", request, club), request.body.name), _mark(request))
    return made(guest_view(guest))


@endpoints.add(_listing(f"{_CLUB}/guests", Guests))
def list_guests(request: Request[NoBody, PageQuery], club: str) -> Answer:
    """The guests of a club, by id."""
    after = entry_of(request.query.cursor, _GUEST_CURSOR)
    with problems():
        store.load_club(club)
    guests, following = store.guests_of(club, request.query.limit, after)
    return Answer(Guests([guest_view(guest) for guest in guests], cursor_of(following)))


@endpoints.add(
    Operation(
        "PUT",
        f"{_CLUB}/guests/{{guest}}",
        "record",
        {200: GuestView},
        body=GuestEditBody,
        codes=(*_EDITING, "unknown_guest"),
    )
)
def rename_guest(request: Request[GuestEditBody, NoQuery], club: str, guest: str) -> Answer:
    """Give a guest another name."""
    require_role(club, request.player, RECORDING)
    with problems():
        return shown(guest_view(acts.rename_guest(club, guest, request.body.name, request.body.version)))


# --- events


@endpoints.add(
    Operation(
        "POST",
        f"{_CLUB}/events",
        "record",
        {201: ClubEventView},
        body=EventBody,
        needs_key=True,
        codes=(*_ACTING, *_KEY),
    )
)
def create_event(request: Request[EventBody, NoQuery], club: str) -> Answer:
    """Make an event of a club; other clubs may record results in it too."""
    require_role(club, request.player, (ADMIN,))
    body = request.body
    asked = Event(_new_id("event", request, club), club, body.name, body.rated, request.now_ms)
    with problems():
        event = acts.create_event(asked, _mark(request))
    return made(event_view(event), f"/v1/events/{event.id}")


@endpoints.add(_listing(f"{_CLUB}/events", ClubEvents))
def list_events(request: Request[NoBody, PageQuery], club: str) -> Answer:
    """The events of a club, newest first."""
    before = entry_of(request.query.cursor, _EVENT_CURSOR)
    with problems():
        store.load_club(club)
    events, following = store.events_of(club, request.query.limit, before)
    return Answer(ClubEvents([event_view(event) for event in events], cursor_of(following)))


@endpoints.add(Operation("GET", "/v1/events/{event}", "read", {200: ClubEventView}, codes=("unknown_event",)))
def read_event(request: Request[NoBody, NoQuery], event: str) -> Answer:
    """An event, whatever club owns it."""
    with problems():
        return shown(event_view(store.load_event(event)))


@endpoints.add(
    Operation(
        "PUT",
        f"{_CLUB}/events/{{event}}",
        "record",
        {200: ClubEventView},
        body=EventEditBody,
        codes=(*_EDITING, "unknown_event"),
    )
)
def rename_event(request: Request[EventEditBody, NoQuery], club: str, event: str) -> Answer:
    """Give an event another name."""
    require_role(club, request.player, (ADMIN,))
    with problems():
        return shown(event_view(acts.rename_event(club, event, request.body.name, request.body.version)))


# --- seasons


_DAYS: Final = ("invalid_date", "season_ends_before_it_starts")


@endpoints.add(
    Operation(
        "POST",
        f"{_CLUB}/seasons",
        "record",
        {201: SeasonView},
        body=SeasonBody,
        needs_key=True,
        codes=(*_ACTING, *_KEY, *_DAYS, "too_many_seasons", "unknown_season"),
    )
)
def create_season(request: Request[SeasonBody, NoQuery], club: str) -> Answer:
    """Add a season to a club; results from its days count in it, those of long ago too."""
    require_role(club, request.player, (ADMIN,))
    body, season_id = request.body, _new_id("season", request, club)
    with problems():
        first_day, last_day = day(body.first_day, "first_day"), day(body.last_day, "last_day")
        asked = Season(season_id, body.name, first_day, last_day)
        view = season_view(*acts.create_season(club, asked, _mark(request)))
    return made(view)


@endpoints.add(Operation("GET", f"{_CLUB}/seasons", "read", {200: SeasonList}, codes=("unknown_club",)))
def list_seasons(request: Request[NoBody, NoQuery], club: str) -> Answer:
    """The seasons of a club, by their first day: all of them, they are few."""
    with problems():
        found = store.load_club(club)
    return Answer(SeasonList([season_view(found, season) for season in found.seasons]))


@endpoints.add(
    Operation(
        "PUT",
        f"{_CLUB}/seasons/{{season}}",
        "record",
        {200: SeasonView},
        body=SeasonEditBody,
        codes=(*_EDITING, *_DAYS, "unknown_season"),
    )
)
def edit_season(request: Request[SeasonEditBody, NoQuery], club: str, season: str) -> Answer:
    """Give a season another name or other days."""
    require_role(club, request.player, (ADMIN,))
    body = request.body
    with problems():
        days = day(body.first_day, "first_day"), day(body.last_day, "last_day")
        return shown(season_view(*acts.edit_season(club, season, body.name, days, body.version)))


@endpoints.add(
    Operation("DELETE", f"{_CLUB}/seasons/{{season}}", "record", {204: ""}, codes=(*_ACTING, "unknown_season"))
)
def delete_season(request: Request[NoBody, NoQuery], club: str, season: str) -> Answer:
    """Delete a season and its ratings; the results stay."""
    require_role(club, request.player, (ADMIN,))
    with problems():
        acts.delete_season(club, season)
    return Answer("", status=204)
