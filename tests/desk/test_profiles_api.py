"""Time controls that operators add and retire."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.core.durations import DAY
from chalicelib.desk import audit
from chalicelib.games import pairings, store
from chalicelib.profiles import known
from chalicelib.profiles.store import ProfileItem
from tests.desk.hand import Referee
from tests.desk.table import code
from tests.games.conftest import Hand, Time

Door = Callable[..., Hand]
Desk = Callable[..., Referee]


@pytest.fixture(autouse=True)
def forgotten(on_engine: dict[str, str]) -> Iterator[None]:
    """Nothing is remembered from, or for, other tests; none of their profiles is retired for good."""
    known.forget()
    yield
    for item in list(ProfileItem.query("profiles")):
        item.delete()
    known.forget()


def new_code() -> str:
    return f"60-60-2.{uuid.uuid4().hex[:8]}"


def wanted(name: str, **changed: Any) -> dict[str, Any]:
    numbers = {"initial_buffer_ms": 60 * DAY, "increment_ms": 2 * DAY, "cap_ms": 60 * DAY, "grace_ms": 1_500}
    return {"code": name, "reason": "for the summer event", **numbers, **changed}


def challenge(door: Door, profile: str) -> Any:
    return door("anna").post("/v1/challenges", {"opponent": "bert", "profile": profile}, key=uuid.uuid4().hex)


def listed(door: Door) -> set[str]:
    return {profile["code"] for profile in door("anna").get("/v1/profiles").json_body["profiles"]}


def test_an_added_profile_is_listed_shown_and_played(door: Door, now: Time, operator: Referee) -> None:
    name = new_code()
    assert code(challenge(door, name)) == "unknown_profile"
    added = operator.post("/v1/admin/profiles", wanted(name))
    assert added.status_code == 201, added.body
    assert added.json_body["profile"]["cap_ms"] == 60 * DAY
    assert name in listed(door)
    assert door("anna").get(f"/v1/profiles/{name}").json_body["text"]["en"].startswith("60 d at the start")
    game = challenge(door, name)
    assert game.status_code == 201, game.body
    assert store.load(game.json_body["id"]).profiles[0].cap_ms == 60 * DAY
    (line,) = audit.of_subject(f"profile#{name}", 10).acts
    assert (line.kind, line.reason, line.actor) == ("add_profile", "for the summer event", "otto")
    assert operator.get(f"/v1/admin/audit?profile={name}").json_body["acts"][0]["profile"]["code"] == name


def test_a_retired_profile_stays_in_its_games_and_takes_no_new_ones(door: Door, now: Time, operator: Referee) -> None:
    name = new_code()
    operator.post("/v1/admin/profiles", wanted(name))
    white, black = door("anna"), door("bert")
    body = {"opponent": "bert", "profile": name, "colour": "white"}
    game = white.post("/v1/challenges", body, key=uuid.uuid4().hex).json_body["id"]
    pairing = {"event": "open", "profile": name, "boards": [{"white": "anna", "black": "bert"}]}
    key = uuid.uuid4().hex
    paired = door("arbiter", scope="record").post("/v1/pairings", pairing, key=key)
    assert operator.post("/v1/admin/profiles/retire", {"code": name, "reason": "summer is over"}).status_code == 200

    assert code(challenge(door, name)) == "profile_retired"
    assert code(door("arbiter", scope="record").post("/v1/pairings", pairing, key="new")) == "profile_retired"
    assert name not in listed(door)
    assert door("anna").get(f"/v1/profiles/{name}").status_code == 200
    assert black.post(f"/v1/challenges/{game}/accept").status_code == 200
    assert white.move(game, 0, "e2e4").status_code == 200
    again = door("arbiter", scope="record").post("/v1/pairings", pairing, key=key)
    assert again.json_body == paired.json_body, "what was paired before is answered as then"
    pairings.make(pairings.load(paired.json_body["id"]))
    states = {
        profile["profile"]["code"]: (profile["is_built_in"], profile["retired_ms"])
        for profile in operator.get("/v1/admin/profiles").json_body["profiles"]
    }
    assert states[name] == (False, now.ms)
    assert states["30-30-1"] == (True, None)


def test_what_is_built_in_can_be_retired_too(door: Door, now: Time, operator: Referee) -> None:
    for name in ("3+2", "T9_1"):
        assert challenge(door, name).status_code == 201
        assert operator.post("/v1/admin/profiles/retire", {"code": name, "reason": "x"}).status_code == 200
        assert code(challenge(door, name)) == "profile_retired"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"cap_ms": 50 * DAY}, "cap_ms 4320000000 is below initial_buffer_ms 5184000000"),
        ({"increment_ms": 61 * DAY}, "increment_ms 5270400000 is above cap_ms 5184000000"),
        ({"initial_buffer_ms": 0}, "initial_buffer_ms must be positive, not 0"),
        ({"first_move_limit_ms": 0}, "first_move_limit_ms must be positive"),
        ({"late_from_move": 5}, "belong together"),
        ({"grace_ms": -1}, "grace_ms must lie between 0 and 60000, not -1"),
    ],
)
def test_impossible_profiles_are_refused_with_the_numbers(
    door: Door, now: Time, operator: Referee, changed: dict[str, Any], says: str
) -> None:
    name = new_code()
    answer = operator.post("/v1/admin/profiles", wanted(name, **changed))
    assert (answer.status_code, answer.json_body["code"]) == (422, "impossible_profile")
    assert says in answer.json_body["detail"]
    assert audit.of_subject(f"profile#{name}", 10).acts == []


def test_codes_that_are_taken_and_acts_that_are_repeated(door: Door, now: Time, desk: Desk, operator: Referee) -> None:
    name = new_code()
    first = operator.post("/v1/admin/profiles", wanted(name), key="k1")
    now.pass_by(DAY)
    assert operator.post("/v1/admin/profiles", wanted(name), key="k1").body == first.body
    assert code(operator.post("/v1/admin/profiles", wanted(name, grace_ms=0), key="k1")) == "idempotency_key_reused"
    for taken in (name, "30-30-1", "T5_1", "T5_4"):
        assert code(operator.post("/v1/admin/profiles", wanted(taken))) == "profile_exists"
    assert code(operator.post("/v1/admin/profiles", wanted(new_code(), reason=" "))) == "reason_required"
    retired = operator.post("/v1/admin/profiles/retire", {"code": name, "reason": "x"}, key="k2")
    assert operator.post("/v1/admin/profiles/retire", {"code": name, "reason": "x"}, key="k2").body == retired.body
    assert code(operator.post("/v1/admin/profiles/retire", {"code": name, "reason": "x"})) == "nothing_to_do"
    assert code(operator.post("/v1/admin/profiles/retire", {"code": "no-such", "reason": "x"})) == "unknown_profile"
    assert code(desk("director", events=("open",)).post("/v1/admin/profiles", wanted(new_code()))) == "role_required"
    assert len(audit.of_subject(f"profile#{name}", 10).acts) == 2
