"""Signed requests at the HTTP door, on the engine: who gets in, and what everybody else is told."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from chalice.test import HTTPResponse

from chalicelib.core.problems import Problem
from chalicelib.core.signing import Admin
from chalicelib.desk import keys
from chalicelib.desk.signed import NonceItem, admitted, check_event
from infra.admin.client import outgoing
from tests.desk.hand import Referee
from tests.faults.wire import ONCE, Line, line
from tests.games.conftest import PUBLIC_URL

pytestmark = pytest.mark.engine

__all__ = ["line"]

Desk = Callable[..., Referee]

ME = "/v1/admin/me"
KEYS = "/v1/admin/keys"


def code(answer: HTTPResponse) -> tuple[int, str]:
    document = answer.json_body
    assert document["status"] == answer.status_code
    return answer.status_code, document["code"]


def ask(referee: Referee, target: str, headers: Mapping[str, str]) -> HTTPResponse:
    return referee.client.http.get(target, headers=dict(headers))


def nonces(referee: Referee) -> list[NonceItem]:
    return list(NonceItem.query(f"nonce#{referee.key.id}", consistent_read=True))


@pytest.mark.parametrize("algorithm", ["ed25519", "hmac-sha256"])
def test_a_key_says_who_it_is(desk: Desk, algorithm: str) -> None:
    director = desk("director", events=("open", "blitz"), name="dora", algorithm=algorithm)

    answer = director.get(ME)

    assert (answer.status_code, answer.json_body) == (
        200,
        {"key_id": director.key.id, "name": "dora", "role": "director", "events": ["blitz", "open"]},
    )


def test_without_a_signature_nobody_gets_in(operator: Referee) -> None:
    for headers in ({}, {"Authorization": "Bearer abc"}):
        answer = ask(operator, ME, headers)
        assert code(answer) == (401, "signature_required")
        assert answer.headers["WWW-Authenticate"] == "Signature"


def test_a_signature_is_used_once(operator: Referee) -> None:
    headers = operator.signature("GET", ME)

    assert ask(operator, ME, headers).status_code == 200
    assert code(ask(operator, ME, headers)) == (401, "signature_replayed")
    assert operator.get(ME).status_code == 200


def test_a_nonce_is_used_once_whatever_it_signs(operator: Referee) -> None:
    nonce = uuid.uuid4().hex
    assert ask(operator, ME, operator.signature("GET", ME, nonce=nonce)).status_code == 200
    assert code(ask(operator, KEYS, operator.signature("GET", KEYS, nonce=nonce))) == (401, "signature_replayed")


def test_two_may_use_the_same_nonce(desk: Desk) -> None:
    nonce = uuid.uuid4().hex
    for referee in (desk(), desk()):
        assert ask(referee, ME, referee.signature("GET", ME, nonce=nonce)).status_code == 200


def test_of_replays_at_once_one_gets_in(operator: Referee) -> None:
    """Threads share the app's module but no connection; the conditional write at the engine decides."""
    headers = operator.signature("GET", ME)
    message = outgoing(PUBLIC_URL, "GET", ME, headers, b"")

    def attempt(_: int) -> str:
        try:
            return admitted(message, "operator").key_id
        except Problem as problem:
            return problem.code

    with ThreadPoolExecutor(8) as threads:
        outcomes = sorted(threads.map(attempt, range(16)))

    assert outcomes == sorted([operator.key.id] + ["signature_replayed"] * 15)


@pytest.mark.parametrize("fault", ONCE)
@pytest.mark.parametrize("first", [1, 2])
def test_a_request_that_botocore_sent_twice_is_no_replay(operator: Referee, line: Line, fault: str, first: int) -> None:
    line.breaks(fault, first=first)

    assert operator.get(ME).status_code == 200
    assert line.seen == sorted(["GetItem", "UpdateItem", ("GetItem", "UpdateItem")[first - 1]])


@pytest.mark.parametrize("first", [1, 2])
def test_without_an_answer_of_the_database_nobody_gets_in(operator: Referee, line: Line, first: int) -> None:
    line.breaks("refused", first=first, for_good=True)

    assert code(operator.get(ME)) == (503, "store_unavailable")


def test_a_nonce_is_kept_until_its_signature_is_long_stale_and_then_forgotten(operator: Referee) -> None:
    assert operator.get(ME).status_code == 200

    (kept,) = nonces(operator)

    assert time.time() + 60 < int(kept.expires_at) < time.time() + 3_600


def test_who_is_refused_writes_nothing(operator: Referee) -> None:
    """Nonces of forged signatures would fill the table, and use up those of others."""
    stranger = Referee(operator.client, operator.key, type(operator.signer).new(operator.key.id))
    assert code(stranger.get(ME)) == (401, "signature_invalid")
    assert code(ask(operator, ME, operator.signature("GET", ME, expires=int(time.time()) - 10, created=1))) == (
        401,
        "malformed_signature",
    )
    assert nonces(operator) == []


def test_times_are_real_times(operator: Referee) -> None:
    now_s = int(time.time())
    for created, expected in ((now_s - 61, "signature_stale"), (now_s + 30, "signature_from_the_future")):
        headers = operator.signature("GET", ME, created=created, expires=created + 60)
        assert code(ask(operator, ME, headers)) == (401, expected)


def test_they_are_whatever_the_speed_of_game_time(operator: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    from chalicelib.core.settings import settings

    monkeypatch.setenv("TIME_SPEED", "100000")
    settings.cache_clear()
    assert operator.get(ME).status_code == 200


@pytest.mark.parametrize("keyid", ["nosuchkey234", "", "../../keys", "x" * 3_000, "ABCDEFGHJKMN", "23456789abcd\n"])
def test_a_key_that_does_not_exist(operator: Referee, keyid: str) -> None:
    refused = code(ask(operator, ME, operator.signature("GET", ME, keyid=keyid)))
    assert refused == (401, "malformed_signature" if "\n" in keyid else "unknown_key")


def test_an_expired_key(desk: Desk) -> None:
    assert code(desk(days=-0.001).get(ME)) == (401, "key_expired")


def test_a_revoked_key_is_refused_from_the_next_request_on(operator: Referee) -> None:
    assert operator.get(ME).status_code == 200
    ended = keys.revoke(operator.key.id, 1_000)
    assert code(operator.get(ME)) == (401, "key_revoked")
    assert keys.revoke(operator.key.id, 2_000) == ended, "revoked once"


def test_what_became_of_a_key_only_its_holder_is_told(operator: Referee) -> None:
    keys.revoke(operator.key.id, 1_000)
    stranger = Referee(operator.client, operator.key, type(operator.signer).new(operator.key.id))
    assert code(stranger.get(ME)) == (401, "signature_invalid")


def test_a_director_is_no_operator_and_an_operator_is_both(desk: Desk) -> None:
    assert code(desk("director", events=("open",)).get(KEYS)) == (403, "role_required")
    assert desk().get(KEYS).status_code == desk().get(ME).status_code == 200


def test_a_director_acts_in_their_own_events_only(desk: Desk) -> None:
    director, operator = desk("director", events=("open", "Köln, 3")), desk()
    for event in ("open", "K%C3%B6ln,+3"):
        assert director.get(f"{ME}?event={event}").status_code == 200
    for event in ("blitz", "Open", "ope"):
        assert code(director.get(f"{ME}?event={event}")) == (403, "foreign_event")
        assert operator.get(f"{ME}?event={event}").status_code == 200


def test_a_game_of_no_event_is_for_operators() -> None:
    check_event(Admin("k", "otto", "operator", frozenset(), "n"), None)
    with pytest.raises(Problem, match="no event"):
        check_event(Admin("k", "dora", "director", frozenset({"open"}), "n"), None)


def test_the_list_of_keys_shows_no_secret(desk: Desk) -> None:
    director, operator = desk("director", events=("open",), name="dora", algorithm="hmac-sha256"), desk(name="otto")
    keys.revoke(director.key.id, 5_000)

    answer = operator.get(KEYS)

    shown = {key["id"]: key for key in answer.json_body["keys"]}
    assert shown[director.key.id] == {
        **{"id": director.key.id, "name": "dora", "role": "director", "events": ["open"], "algorithm": "hmac-sha256"},
        **{"state": "revoked", "created_ms": director.key.created_ms, "until_ms": director.key.until_ms},
        **{"revoked_ms": 5_000, "successor": None},
    }
    assert shown[operator.key.id]["state"] == "valid"
    text = answer.body.decode()
    for form in (director.signer.material.hex(), director.signer._jwk()["k"], repr(director.key.material)):
        assert form not in text


def test_rotation_puts_one_key_in_the_place_of_another(desk: Desk) -> None:
    old, now_ms = desk(), int(time.time() * 1_000)
    signer = type(old.signer).new("r" + old.key.id[1:])
    new = Referee(old.client, replaced(old, signer), signer)

    keys.rotate(old.key, new.key, now_ms + 60_000)

    assert old.get(ME).status_code == new.get(ME).status_code == 200, "both count for a minute"
    assert keys.load(old.key.id).successor == new.key.id
    with pytest.raises(keys.KeyEnded):
        keys.rotate(old.key, replaced(old, type(old.signer).new("s" + old.key.id[1:])), now_ms)
    assert keys.find("s" + old.key.id[1:]) is None


def test_a_revoked_key_is_not_replaced(operator: Referee) -> None:
    keys.revoke(operator.key.id, 1)
    with pytest.raises(keys.KeyEnded):
        keys.rotate(operator.key, replaced(operator, type(operator.signer).new("t" + operator.key.id[1:])), 2)


def replaced(old: Referee, signer: Any) -> keys.Key:
    from msgspec.structs import replace

    return replace(old.key, id=signer.key_id, material=signer.verifying)


def test_every_refusal_is_a_line_in_the_log(operator: Referee, caplog: pytest.LogCaptureFixture) -> None:
    headers = operator.signature("GET", ME)
    for sent in (headers, headers, {}):
        ask(operator, ME, sent)

    lines = [vars(record) for record in caplog.records if record.message == "signature refused"]

    assert [line["code"] for line in lines] == ["signature_replayed", "signature_required"]
    assert lines[0]["key"] == operator.key.id
    assert headers["Signature"] not in repr(lines)


def test_a_key_that_is_printed_hides_what_it_signs_with(desk: Desk) -> None:
    key = desk(algorithm="hmac-sha256").key
    assert repr(key.material) not in repr(key)
    assert key.id in repr(key)
