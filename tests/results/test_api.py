"""Results through the door: recording, correcting, deleting, listing, and guests who turn out to be members."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.ratings.model import Partition
from chalicelib.results import linking, store, truth
from tests.games.conftest import Hand
from tests.results.conftest import NOON, Club, Recorder, stored

Enter = Callable[..., Recorder]


def seats(club: Club, *names: str) -> list[dict[str, str]]:
    return [{"member": club.name(name)} for name in names]


def test_a_result_from_its_record_to_its_deletion(club: Club, enter: Enter) -> None:
    rita, event = enter(club), club.event("cup")
    made = rita.record(event=event, score="2-1")
    assert made.status_code == 201, made.body
    view = made.json_body
    assert (view["version"], view["club"], view["event"], view["winner"], view["rated"]) == (
        1,
        club.id,
        event,
        "A",
        True,
    )
    assert (view["played_at"], view["played_at_ms"]) == ("2026-01-10T20:00:00.000Z", NOON)
    assert view["a"][0] == {"member": club.name("anna"), "guest": None}
    assert made.headers["ETag"] == '"1"'
    assert made.headers["Location"] == f"/v1/clubs/{club.id}/results/{view['id']}"
    path = f"results/{view['id']}"
    assert rita.send("GET", path).json_body == view

    corrected = rita.correct(view["id"], winner="B", exclude_from_rating=True)
    assert corrected.status_code == 200, corrected.body
    assert corrected.json_body == view | {"version": 2, "winner": "B", "exclude_from_rating": True, "rated": False}
    assert rita.correct(view["id"], 2, exclude_from_rating=False).json_body["rated"] is True

    gone, again = (rita.send("DELETE", path) for _ in range(2))
    assert gone.status_code == again.status_code == 200
    assert gone.json_body == again.json_body
    assert (gone.json_body["deleted"], gone.json_body["version"]) == (True, 4)
    for refused in (rita.send("GET", path), rita.correct(view["id"], 4, winner="A")):
        assert (refused.status_code, refused.json_body["code"]) == (410, "result_deleted")


def test_the_same_record_again_is_the_same_result_whatever_came_after_it(club: Club, enter: Enter) -> None:
    rita = enter(club)
    made = rita.record().json_body
    rita.correct(made["id"], winner="B")
    again = rita.record(played_at="2026-01-10T21:00:00.000+01:00", status="finished")
    assert (again.status_code, again.json_body["id"], again.json_body["version"]) == (201, made["id"], 2)
    other = rita.record(winner="")
    assert (other.status_code, other.json_body["code"]) == (422, "idempotency_key_reused")
    assert rita.record(key="another").json_body["id"] != made["id"]
    rita.send("DELETE", f"results/{made['id']}")
    assert rita.record().json_body["deleted"] is True


def test_the_same_correction_again_gets_an_answer_and_does_nothing(club: Club, enter: Enter) -> None:
    rita = enter(club)
    made = rita.record().json_body["id"]
    first = rita.correct(made, 1, winner="B")
    assert rita.correct(made, 1, winner="B").json_body == first.json_body
    rita.correct(made, 2, score="3-0")
    again = rita.correct(made, 1, winner="B")
    assert (again.status_code, again.json_body["version"], again.json_body["winner"]) == (200, 3, "B")
    assert rita.send("PATCH", f"results/{made}", {"winner": "B"}, If_Match='"1"').json_body["version"] == 3


def test_a_correction_of_an_older_version_shows_what_stands(club: Club, enter: Enter) -> None:
    rita = enter(club)
    made = rita.record().json_body["id"]
    rita.correct(made, 1, winner="B")
    stale = rita.correct(made, 1, winner="")
    assert (stale.status_code, stale.json_body["code"], stale.json_body["current_version"]) == (409, "stale_version", 2)
    assert stale.json_body["result"]["winner"] == "B"


def test_the_version_comes_from_the_body_or_the_header(club: Club, enter: Enter) -> None:
    rita = enter(club)
    path = f"results/{rita.record().json_body['id']}"
    for headers, version in (({}, None), ({"If_Match": "*"}, None), ({"If_Match": '"2"'}, 1)):
        said = {"winner": "B"} | ({} if version is None else {"version": version})
        refused = rita.send("PATCH", path, said, **headers)
        assert (refused.status_code, refused.json_body["code"]) == (400, "version_required")
    assert rita.send("PATCH", path, {"winner": "B"}, If_Match='"1"').json_body["version"] == 2
    assert rita.send("PATCH", path, {"winner": "A", "version": 2}, If_Match='"2"').json_body["version"] == 3


REFUSED: dict[str, tuple[dict[str, Any], int, str, str]] = {
    "a member twice": ({"b": ["anna", "carl"]}, 400, "member_twice", "b[0]"),
    "a member twice on a side": ({"a": ["anna", "anna"]}, 400, "member_twice", "a[1]"),
    "an unknown member": ({"b": ["carl", "nobody"]}, 422, "unknown_member", "b[1].member"),
    "an unknown guest": ({"b": [{"guest": "nobody"}]}, 422, "unknown_guest", "b[0].guest"),
    "an unknown event": ({"event": "none"}, 422, "unknown_event", "event"),
    "no instant": ({"played_at": "yesterday"}, 400, "invalid_body", "played_at"),
    "no seats": ({"a": []}, 400, "invalid_body", "a"),
    "three seats": ({"a": ["anna", "bert", "emil"]}, 400, "invalid_body", "a"),
    "an empty seat": ({"a": [{}]}, 400, "invalid_body", "a[0]"),
    "another winner": ({"winner": "C"}, 400, "invalid_body", "winner"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_by_name_and_not_stored(club: Club, enter: Enter, case: str) -> None:
    sent, status, code, field = REFUSED[case]
    rita = enter(club)
    fields = {
        name: [{"member": club.name(seat)} if isinstance(seat, str) else seat for seat in value]
        if isinstance(value, list)
        else value
        for name, value in sent.items()
    }
    made = rita.record("good").json_body
    for refused in (rita.record(**fields), rita.correct(made["id"], **fields)):
        assert (refused.status_code, refused.json_body["code"]) == (status, code), refused.body
        assert field in refused.json_body["detail"]
        assert refused.json_body.get("field", field) == field
    assert [result.id for result in store.of_club(club.id)] == [made["id"]]
    assert rita.send("GET", f"results/{made['id']}").json_body == made


def test_only_recorders_and_admins_record(club: Club, another: Club, enter: Enter) -> None:
    made = enter(club, "anna").record().json_body["id"]
    for name in ("bert", "nobody"):
        caller = enter(club, name)
        for refused in (caller.record(), caller.correct(made, winner="B"), caller.send("DELETE", f"results/{made}")):
            assert (refused.status_code, refused.json_body["code"]) == (403, "role_required")
        assert caller.send("GET", f"results/{made}").status_code == 200
    stranger = Recorder(enter(another).hand, club)
    assert stranger.record().json_body["code"] == "role_required"
    moved = enter(club).correct(made, club=another.id)
    assert (moved.status_code, moved.json_body["code"]) == (403, "role_required")
    unknown = enter(club).correct(made, club="nosuchclub23")
    assert (unknown.status_code, unknown.json_body["code"]) == (404, "unknown_club")
    assert stored(club.id, made) == stored(club.id, made)
    guest = club.guest()
    link = enter(club).send("PUT", f"guests/{guest}/member", {"member": club.name("emil")})
    assert (link.status_code, link.json_body["code"]) == (403, "role_required")


def test_lists_of_what_there_is_not(club: Club, enter: Enter) -> None:
    for path, code in (
        ("/v1/clubs/nosuchclub23/results", "unknown_club"),
        ("/v1/events/nosuchevent2/results", "unknown_event"),
    ):
        answer = enter(club).send("GET", path)
        assert (answer.status_code, answer.json_body["code"]) == (404, code)


def test_a_scope_is_needed_besides_the_role(club: Club, enter: Enter) -> None:
    for refused in (enter(club, scope="read").record(), enter(club, scope="").send("GET", "results")):
        assert (refused.status_code, refused.json_body["code"]) == (403, "scope_required")


@pytest.mark.parametrize("rated", [True, False])
def test_an_event_may_fix_whether_its_results_are_rated(club: Club, enter: Enter, rated: bool) -> None:
    rita, event = enter(club), club.event("cup", rated=rated)
    made = rita.record(event=event).json_body
    assert made["rated"] is rated
    contrary = rita.correct(made["id"], exclude_from_rating=rated)
    assert (contrary.status_code, contrary.json_body["code"]) == (422, "rated_by_event")
    outside = rita.record("outside", exclude_from_rating=rated).json_body
    inside = rita.correct(outside["id"], event=event)
    assert inside.json_body["rated"] is rated


# --- lists


def test_lists_come_in_pages_that_late_entries_do_not_move(club: Club, another: Club, enter: Enter) -> None:
    rita, event = enter(club), club.event("cup")
    for number in range(7):
        club.result(number, played_at_ms=NOON + number // 2, event=event)
    there = another.result(9, played_at_ms=NOON + 50, event=event)
    expected = [f"r{number}{club.id}" for number in reversed(range(7))]
    for path, ids in (("results", expected), (f"/v1/events/{event}/results", [there.id, *expected])):
        seen, cursor = [], ""
        while True:
            page = rita.send("GET", f"{path}?limit=3{cursor}").json_body
            seen += [view["id"] for view in page["results"]]
            if len(seen) == 3:
                club.result(f"late-{len(path)}", played_at_ms=NOON + 100)  # type: ignore[arg-type]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        assert seen == ids


def test_a_cursor_is_one_that_the_list_gave_out(club: Club, enter: Enter) -> None:
    refused = enter(club).send("GET", "results?cursor=cnVubmluZyNhYmM")
    assert (refused.status_code, refused.json_body["code"]) == (400, "invalid_cursor")


# --- guests


def test_a_guest_who_is_a_member_counts_from_the_first_result_on(club: Club, enter: Enter) -> None:
    guest, emil = club.guest(), club.name("emil")
    rita, anna = enter(club), enter(club, "anna")
    old = rita.record("old", b=[*seats(club, "carl"), {"guest": guest}]).json_body
    unfinished = rita.record("unfinished", b=[{"guest": guest}], status="unfinished").json_body
    path = f"guests/{guest}/member"
    linked, again = (anna.send("PUT", path, {"member": emil}) for _ in range(2))
    assert (linked.status_code, again.status_code) == (200, 200), linked.body
    assert linked.json_body == {"guest": guest, "member": emil, "rewritten": 2, "left": 0}
    assert again.json_body["rewritten"] == 0
    view = rita.send("GET", f"results/{old['id']}").json_body
    assert (view["b"][1], view["version"]) == ({"member": emil, "guest": guest}, 2)
    assert stored(club.id, unfinished["id"]).version == 2  # type: ignore[union-attr]
    new = rita.record("new", b=[{"guest": guest}]).json_body
    assert new["b"] == [{"member": emil, "guest": guest}]
    twice = rita.record("twice", b=[*seats(club, "emil"), {"guest": guest}])
    assert (twice.status_code, twice.json_body["code"]) == (400, "member_twice")
    assert all(emil in game.b for game in truth.played_in(Partition("CLUB", club.id)))
    other = anna.send("PUT", path, {"member": club.name("dora")})
    assert (other.status_code, other.json_body["code"]) == (409, "guest_linked_elsewhere")


def test_a_guest_cannot_be_a_member_who_sat_beside_them(club: Club, enter: Enter) -> None:
    guest, anna = club.guest(), enter(club, "anna")
    anna.record(b=[*seats(club, "emil"), {"guest": guest}])
    refused = anna.send("PUT", f"guests/{guest}/member", {"member": club.name("emil")})
    assert (refused.status_code, refused.json_body["code"]) == (400, "member_twice")
    assert anna.send("PUT", f"guests/{guest}/member", {"member": "nobody"}).json_body["code"] == "unknown_member"
    unknown = anna.send("PUT", "guests/nosuchguest2/member", {"member": club.name("emil")})
    assert (unknown.status_code, unknown.json_body["code"]) == (404, "unknown_guest")


def test_many_results_of_a_guest_are_rewritten_in_several_requests(
    club: Club, enter: Enter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linking, "RESULTS_AT_ONCE", 2)
    guest, anna = club.guest(), enter(club, "anna")
    for number in range(5):
        anna.record(f"{number}", b=[{"guest": guest}])
    answers = [anna.send("PUT", f"guests/{guest}/member", {"member": club.name("emil")}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [202, 202, 200, 200]
    assert [(a.json_body["rewritten"], a.json_body["left"]) for a in answers] == [(2, 3), (2, 1), (1, 0), (0, 0)]


def test_a_player_of_games_is_no_member_of_a_club(club: Club, enter: Enter, door: Callable[..., Hand]) -> None:
    player = Recorder(door("somebody", scope="read play record"), club)
    assert player.record().json_body["code"] == "role_required"
