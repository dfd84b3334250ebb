"""Clubs through HTTP: what organisers do, and every refusal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.clubs import calendar, lookup
from chalicelib.core.problems import Problem
from chalicelib.ratings import marking
from chalicelib.ratings.model import Partition
from tests.clubs.conftest import Place, refused
from tests.games.conftest import Hand

Somebody = Callable[..., Hand]
BERLIN = {"name": "TAC", "time_zone": "Europe/Berlin"}
YEAR = {"name": "2026", "first_day": "2026-01-01", "last_day": "2026-12-31"}


def reloads(club: Place, season: str) -> int:
    """How many times the log of a season has been ordered to be read anew; forgets them."""
    partition = calendar.partition(club.id, season)
    waiting = marking.waiting(partition)
    assert all(change.reload and not change.edits for change in waiting)
    marking.let_go(partition, [[change.id for change in waiting]])
    return len(waiting)


# --- clubs


def test_the_founder_of_a_club_is_its_admin(somebody: Somebody) -> None:
    founder = somebody()
    made = founder.post("/v1/clubs", BERLIN)
    assert made.status_code == 201
    club = made.json_body
    assert club == {"id": club["id"], "version": 1, **BERLIN}
    assert (made.headers["Location"], made.headers["ETag"]) == (f"/v1/clubs/{club['id']}", '"1"')
    assert founder.get(f"/v1/clubs/{club['id']}").json_body == club
    members = founder.get(f"/v1/clubs/{club['id']}/members").json_body["members"]
    assert [(member["id"], member["roles"]) for member in members] == [(founder.player, ["club_admin"])]
    assert founder.get("/v1/clubs").json_body == {"clubs": [club], "next": None}


def test_the_same_key_makes_the_same_things(club: Place) -> None:
    for kind, body in {"guests": {"name": "Max"}, "events": {"name": "Open"}, "seasons": YEAR}.items():
        once, again = (club.admin.post(f"{club.path}/{kind}", body, key=f"key {kind}") for _ in range(2))
        assert (once.status_code, once.json_body) == (again.status_code, again.json_body), kind
        assert once.status_code == 201
        other = club.admin.post(f"{club.path}/{kind}", {**body, "name": "Other"}, key=f"key {kind}")
        assert refused(other) == (422, "idempotency_key_reused")
        assert len(club.admin.get(f"{club.path}/{kind}").json_body[kind]) == 1
    once, again = (club.admin.post("/v1/clubs", BERLIN, key="club") for _ in range(2))
    assert once.json_body == again.json_body
    assert refused(club.admin.post("/v1/clubs", {**BERLIN, "name": "X"}, key="club")) == (422, "idempotency_key_reused")


def test_a_repeated_creation_is_answered_with_what_stands_by_then(club: Place) -> None:
    guest = club.admin.post(f"{club.path}/guests", {"name": "Max"}, key="one").json_body
    club.admin.put(f"{club.path}/guests/{guest['id']}", {"name": "Moritz", "version": 1})
    again = club.admin.post(f"{club.path}/guests", {"name": "Max"}, key="one")
    assert (again.status_code, again.json_body["name"], again.json_body["version"]) == (201, "Moritz", 2)


def test_two_clubs_never_make_one_thing_of_one_key(somebody: Somebody) -> None:
    founder = somebody()
    clubs = [founder.post("/v1/clubs", BERLIN).json_body["id"] for _ in range(2)]
    guests = {founder.post(f"/v1/clubs/{club}/guests", {"name": "Max"}, key="same").json_body["id"] for club in clubs}
    assert len(guests) == 2


def test_a_club_is_edited_on_the_version_that_stands(club: Place) -> None:
    edit = {"name": "TAC Havana", "time_zone": "America/Havana", "version": 1}
    for _ in range(2):
        edited = club.admin.put(club.path, edit)
        assert (edited.status_code, edited.json_body["version"], edited.headers["ETag"]) == (200, 2, '"2"')
    stale = club.admin.put(club.path, {**edit, "name": "Other"})
    assert refused(stale) == (409, "stale_version")
    assert stale.json_body["current_version"] == 2
    assert club.admin.get(club.path).json_body["name"] == "TAC Havana"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "TAC"}, (400, "time_zone_required")),
        ({"time_zone": "UTC"}, (400, "name_required")),
        ({"name": "", "time_zone": "UTC"}, (400, "invalid_body")),
        ({"name": "  ", "time_zone": "UTC"}, (400, "invalid_body")),
        ({"name": "a\nb", "time_zone": "UTC"}, (400, "invalid_body")),
        ({"name": "a\n", "time_zone": "UTC"}, (400, "invalid_body")),
        ({"name": "a" * 65, "time_zone": "UTC"}, (400, "invalid_body")),
        ({"name": "TAC", "time_zone": "Europe/Atlantis"}, (422, "unknown_time_zone")),
        ({"name": "TAC", "time_zone": "Europe"}, (422, "unknown_time_zone")),
        ({"name": "TAC", "time_zone": "../etc"}, (422, "unknown_time_zone")),
    ],
)
def test_clubs_that_cannot_be(club: Place, body: dict[str, Any], code: tuple[int, str]) -> None:
    assert refused(club.admin.post("/v1/clubs", body)) == code
    assert refused(club.admin.put(club.path, {**body, "version": 1})) == code
    assert club.admin.get(club.path).json_body["version"] == 1


def test_the_field_that_is_wrong_is_named(club: Place) -> None:
    zone = club.admin.post("/v1/clubs", {"name": "TAC", "time_zone": "Mars/Olympus"}).json_body
    assert zone["field"] == "time_zone"
    for field in ("first_day", "last_day"):
        wrong = club.admin.post(f"{club.path}/seasons", {**YEAR, field: "2026-02-30"}).json_body
        assert (wrong["code"], wrong["field"]) == ("invalid_date", field)
        assert field in wrong["detail"]


# --- who may


ADMINS_ALONE: dict[str, Callable[[Hand, Place], Any]] = {
    "edit the club": lambda hand, club: hand.put(club.path, {**BERLIN, "version": 1}),
    "put a member": lambda hand, club: hand.put(f"{club.path}/members/x", {"name": "X", "roles": ["member"]}),
    "remove a member": lambda hand, club: hand.delete(f"{club.path}/members/{club.admin.player}"),
    "make an event": lambda hand, club: hand.post(f"{club.path}/events", {"name": "Open"}),
    "rename an event": lambda hand, club: hand.put(f"{club.path}/events/{'e' * 12}", {"name": "X", "version": 1}),
    "make a season": lambda hand, club: hand.post(f"{club.path}/seasons", YEAR),
    "edit a season": lambda hand, club: hand.put(f"{club.path}/seasons/{'s' * 12}", {**YEAR, "version": 1}),
    "delete a season": lambda hand, club: hand.delete(f"{club.path}/seasons/{'s' * 12}"),
}
RECORDERS_TOO: dict[str, Callable[[Hand, Place], Any]] = {
    "make a guest": lambda hand, club: hand.post(f"{club.path}/guests", {"name": "Max"}),
    "rename a guest": lambda hand, club: hand.put(f"{club.path}/guests/{'g' * 12}", {"name": "X", "version": 1}),
}


@pytest.mark.parametrize("act", [*ADMINS_ALONE, *RECORDERS_TOO])
def test_without_the_role_nothing_is_done(club: Place, somebody: Somebody, act: str) -> None:
    do = {**ADMINS_ALONE, **RECORDERS_TOO}[act]
    stranger, member, recorder = somebody("stranger"), somebody("member"), somebody("recorder")
    club.enrol(member, "member")
    club.enrol(recorder, "recorder")
    for hand in (stranger, member):
        assert refused(do(hand, club)) == (403, "role_required")
    if act in ADMINS_ALONE:
        assert refused(do(recorder, club)) == (403, "role_required")
    else:
        assert do(recorder, club).status_code in (201, 404)
    nowhere = Place("nosuchclub23", club.admin)
    assert refused(do(club.admin, nowhere)) == (404, "unknown_club")


def test_reading_needs_no_role_and_a_club(club: Place, somebody: Somebody) -> None:
    reader = somebody("reader", scope="read")
    for part in ("", "/members", "/guests", "/events", "/seasons"):
        assert reader.get(f"{club.path}{part}").status_code == 200
        assert refused(reader.get(f"/v1/clubs/nosuchclub23{part}")) == (404, "unknown_club")
    assert refused(reader.post("/v1/clubs", BERLIN)) == (403, "scope_required")
    assert reader.get("/v1/clubs").json_body == {"clubs": [], "next": None}


# --- members


def test_members_come_change_and_go(club: Place, somebody: Somebody) -> None:
    bert = somebody("bert")
    path = f"{club.path}/members/{bert.player}"
    body = {"name": "Bert", "roles": ["recorder", "member", "recorder"]}
    for _ in range(2):
        put = club.admin.put(path, body)
        assert (put.status_code, put.json_body["roles"], put.json_body["version"]) == (200, ["member", "recorder"], 1)
    assert refused(club.admin.put(path, {**body, "roles": ["member"]})) == (409, "stale_version")
    edited = club.admin.put(path, {**body, "roles": ["club_admin"], "version": 1})
    assert (edited.json_body["roles"], edited.json_body["version"]) == (["club_admin"], 2)
    for _ in range(2):
        assert bert.delete(f"{club.path}/members/{club.admin.player}").status_code == 204
    assert [m["id"] for m in bert.get(f"{club.path}/members").json_body["members"]] == [bert.player]
    assert refused(club.admin.put(path, body)) == (403, "role_required")


def test_the_last_admin_stays(club: Place, somebody: Somebody) -> None:
    own = f"{club.path}/members/{club.admin.player}"
    demoted = {"name": "Founder", "roles": ["recorder"], "version": 1}
    assert refused(club.admin.delete(own)) == (409, "last_club_admin")
    assert refused(club.admin.put(own, demoted)) == (409, "last_club_admin")
    club.enrol(somebody("second"), "club_admin")
    assert club.admin.put(own, demoted).status_code == 200
    assert refused(club.admin.delete(own)) == (403, "role_required")


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"name": "Bert", "roles": []}, (400, "invalid_body")),
        ({"name": "Bert", "roles": ["king"]}, (400, "invalid_body")),
        ({"name": "Bert"}, (400, "roles_required")),
        ({"name": "Bert", "roles": ["member"], "version": 0}, (400, "invalid_body")),
        ({"name": "Bert", "roles": ["member"], "version": 4}, (409, "stale_version")),
    ],
)
def test_members_that_cannot_be(club: Place, body: dict[str, Any], code: tuple[int, str]) -> None:
    assert refused(club.admin.put(f"{club.path}/members/bert.refused", body)) == code
    assert lookup.unknown_members(["bert.refused"]) == ["bert.refused"]


def test_whoever_was_a_member_anywhere_is_known_for_ever(club: Place, somebody: Somebody) -> None:
    bert = somebody("bert")
    assert lookup.unknown_members([bert.player, club.admin.player, bert.player]) == [bert.player]
    club.enrol(bert, "member")
    assert lookup.unknown_members([bert.player]) == []
    club.admin.delete(f"{club.path}/members/{bert.player}")
    assert lookup.unknown_members([bert.player]) == []


# --- pages


def test_lists_come_in_pages_that_late_comers_do_not_move(club: Place, somebody: Somebody) -> None:
    for number in range(4):
        club.make("guests", name=f"Guest {number}")
        club.make("events", name=f"Event {number}")
        club.enrol(somebody(f"member{number}"), "member")
    for kind in ("guests", "events", "members"):
        pages, cursor = [], ""
        while True:
            page = club.admin.get(f"{club.path}/{kind}?limit=2{cursor}").json_body
            pages.append([entry["id"] for entry in page[kind]])
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        ids = [entry for page in pages for entry in page]
        assert all(len(page) <= 2 for page in pages)
        assert len(ids) == len(set(ids)) == (5 if kind == "members" else 4)
        whole = club.admin.get(f"{club.path}/{kind}?limit=100").json_body
        assert [entry["id"] for entry in whole[kind]] == ids
        assert whole["next"] is None


def test_a_person_s_clubs_come_in_pages(somebody: Somebody) -> None:
    founder = somebody()
    made = sorted(founder.post("/v1/clubs", BERLIN).json_body["id"] for _ in range(3))
    first = founder.get("/v1/clubs?limit=2").json_body
    second = founder.get(f"/v1/clubs?limit=2&cursor={first['next']}").json_body
    assert [club["id"] for club in (*first["clubs"], *second["clubs"])] == made
    assert second["next"] is None


def test_events_come_newest_first(club: Place, now: Any) -> None:
    ids = []
    for _ in range(3):
        ids.append(club.make("events", name="Open")["id"])
        now.pass_by(1_000)
    listed = club.admin.get(f"{club.path}/events").json_body["events"]
    assert [event["id"] for event in listed] == ids[::-1]


@pytest.mark.parametrize("kind", ["members", "guests", "events"])
def test_a_cursor_of_another_list_is_none_here(club: Place, kind: str) -> None:
    club.make("guests", name="Max")
    club.make("guests", name="Moritz")
    cursor = club.admin.get(f"{club.path}/guests?limit=1").json_body["next"]
    other = club.admin.get(f"{club.path}/{kind}?cursor={cursor}")
    assert (other.status_code == 200) == (kind == "guests")


# --- events and guests


@pytest.mark.parametrize("rated", [True, False, None])
def test_an_event_is_known_everywhere_and_its_rating_is_fixed(club: Place, somebody: Somebody, rated: bool) -> None:
    event = club.make("events", name="Open", rated=rated)
    assert somebody("stranger").get(f"/v1/events/{event['id']}").json_body == event
    assert (event["club"], event["rated"]) == (club.id, rated)
    path = f"{club.path}/events/{event['id']}"
    renamed = club.admin.put(path, {"name": "Cup", "version": 1}).json_body
    assert renamed == {**event, "name": "Cup", "version": 2}
    assert refused(club.admin.put(path, {"name": "X", "version": 2, "rated": not rated})) == (400, "invalid_body")
    assert refused(club.admin.put(path, {"name": "X", "version": 1})) == (409, "stale_version")
    assert lookup.event(event["id"]).rated is rated


def test_an_event_of_another_club_cannot_be_edited(club: Place, somebody: Somebody) -> None:
    other = somebody("other")
    elsewhere = other.post("/v1/clubs", BERLIN).json_body["id"]
    event = other.post(f"/v1/clubs/{elsewhere}/events", {"name": "Open"}).json_body["id"]
    assert refused(club.admin.put(f"{club.path}/events/{event}", {"name": "X", "version": 1})) == (404, "unknown_event")


def test_what_does_not_exist_cannot_be_edited(club: Place) -> None:
    for kind, body in {"guest": {"name": "X"}, "event": {"name": "X"}, "season": YEAR}.items():
        answer = club.admin.put(f"{club.path}/{kind}s/{'x' * 12}", {**body, "version": 1})
        assert refused(answer) == (404, f"unknown_{kind}")
    assert refused(club.admin.get("/v1/events/nosuchevent2")) == (404, "unknown_event")


def test_a_guest_is_renamed(club: Place) -> None:
    guest = club.make("guests", name="Max")
    assert guest == {"id": guest["id"], "club": club.id, "name": "Max", "member": None, "version": 1}
    path = f"{club.path}/guests/{guest['id']}"
    for _ in range(2):
        assert club.admin.put(path, {"name": "Moritz", "version": 1}).json_body["version"] == 2
    assert refused(club.admin.put(path, {"name": "Max", "version": 1})) == (409, "stale_version")
    assert lookup.guests(club.id, [guest["id"], "nosuchguest2"])[guest["id"]].name == "Moritz"


# --- seasons


def test_a_season_in_the_club_s_time(club: Place) -> None:
    season = club.season("2026-03-29", "2026-03-29")
    assert season["ends_ms"] - season["starts_ms"] == 23 * 3_600_000
    assert club.admin.get(f"{club.path}/seasons").json_body == {"seasons": [season]}
    partition = Partition("SEASON", f"{club.id}/{season['id']}")
    assert lookup.season_partitions(lookup.seasons(club.id), season["starts_ms"]) == (partition,)
    assert lookup.season_span(partition) == (club.id, season["starts_ms"], season["ends_ms"])


def test_a_season_that_waits_to_be_reloaded_is_announced(club: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    announced: list[Partition] = []
    monkeypatch.setattr(marking, "wake", announced.extend)
    season = club.season("2026-01-01", "2026-12-31")
    assert announced == [calendar.partition(club.id, season["id"])]


def test_a_season_made_edited_and_deleted_is_reloaded_each_time(club: Place) -> None:
    season = club.season("2026-01-01", "2026-12-31")
    path = f"{club.path}/seasons/{season['id']}"
    assert reloads(club, season["id"]) == 1
    edited = club.admin.put(path, {**YEAR, "last_day": "2026-06-30", "version": 1})
    assert (edited.json_body["version"], reloads(club, season["id"])) == (2, 1)
    assert club.admin.put(path, {**YEAR, "name": "Half", "last_day": "2026-06-30", "version": 2}).status_code == 200
    assert reloads(club, season["id"]) == 0
    for _ in range(2):
        assert club.admin.delete(path).status_code == 204
    assert reloads(club, season["id"]) == 1
    assert lookup.season_span(calendar.partition(club.id, season["id"])) is None
    assert refused(club.admin.put(path, {**YEAR, "version": 3})) == (404, "unknown_season")


def test_another_time_zone_reloads_all_seasons_of_the_club(club: Place) -> None:
    ids = [club.season("2026-01-01", "2026-12-31")["id"], club.season("2026-03-01", "2026-03-31")["id"]]
    for season in ids:
        reloads(club, season)
    version = club.admin.get(club.path).json_body["version"]
    assert (
        club.admin.put(club.path, {"name": "TAC", "time_zone": "Pacific/Apia", "version": version}).status_code == 200
    )
    assert [reloads(club, season) for season in ids] == [1, 1]


def test_a_deleted_season_is_not_made_anew_by_the_request_that_made_it(club: Place) -> None:
    season = club.admin.post(f"{club.path}/seasons", YEAR, key="year").json_body["id"]
    assert club.admin.delete(f"{club.path}/seasons/{season}").status_code == 204
    assert refused(club.admin.post(f"{club.path}/seasons", YEAR, key="year")) == (404, "unknown_season")
    assert club.admin.get(f"{club.path}/seasons").json_body == {"seasons": []}


def test_a_season_that_never_was_cannot_be_deleted(club: Place) -> None:
    assert refused(club.admin.delete(f"{club.path}/seasons/nosuchseason")) == (404, "unknown_season")


@pytest.mark.parametrize(
    ("days", "code"),
    [
        (("2026-01-02", "2026-01-01"), (422, "season_ends_before_it_starts")),
        (("2026-02-30", "2026-03-01"), (422, "invalid_date")),
        (("2026-01-01", "tomorrow"), (422, "invalid_date")),
        (("", "2026-01-01"), (422, "invalid_date")),
        (("1799-12-31", "2026-01-01"), (422, "invalid_date")),
        (("2026-01-01", "9999-12-31"), (422, "invalid_date")),
        ((20260101, "2026-01-01"), (400, "invalid_body")),
        (("2026-01-01", None), (400, "invalid_body")),
        (("2026-01-01", "2" * 33), (400, "invalid_body")),
    ],
)
def test_seasons_that_cannot_be(club: Place, days: tuple[Any, Any], code: tuple[int, str]) -> None:
    body = {"name": "S", "first_day": days[0], "last_day": days[1]}
    season = club.season("2026-01-01", "2026-12-31")
    assert refused(club.admin.post(f"{club.path}/seasons", body)) == code
    assert refused(club.admin.put(f"{club.path}/seasons/{season['id']}", {**body, "version": 1})) == code
    assert club.admin.get(f"{club.path}/seasons").json_body == {"seasons": [season]}


def test_a_club_full_of_seasons_still_answers_what_it_made(club: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendar, "MOST_SEASONS", 1)
    once = club.admin.post(f"{club.path}/seasons", YEAR, key="year")
    assert refused(club.admin.post(f"{club.path}/seasons", YEAR, key="more")) == (422, "too_many_seasons")
    assert club.admin.post(f"{club.path}/seasons", YEAR, key="year").json_body == once.json_body


# --- roles, as other slices ask for them


def test_roles_as_other_slices_ask_for_them(club: Place, somebody: Somebody) -> None:
    recorder = somebody("recorder")
    club.enrol(recorder, "recorder")
    lookup.require_role(club.id, recorder.player, ("recorder", "club_admin"))
    lookup.require_role(club.id, recorder.player, ("member",))
    with pytest.raises(Problem, match="none of these roles"):
        lookup.require_role(club.id, recorder.player, ("club_admin",))
    with pytest.raises(Problem, match="no club"):
        lookup.require_role("nosuchclub23", recorder.player, ("member",))
