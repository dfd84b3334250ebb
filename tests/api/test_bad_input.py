"""What a client is told of moves, challenges and keys that are wrong; see `test_every_route` for all the rest."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable

import pytest

from chalicelib.core.problems import PROBLEM_TYPE
from chalicelib.games import fan_out, rows, store
from tests.games.conftest import Hand
from tests.games.test_api import start

BODIES = {
    "nothing": b"",
    "not JSON": b"{",
    "an array": b"[]",
    "a number": b"7",
    "null": b"null",
    "not UTF-8": b'{"ply": 0, "move": "\xff\xfe"}',
    "a lone surrogate": b'{"ply": 0, "move": "\\ud800"}',
    "deeply nested": b"[" * 100_000,
    "deeply nested objects": b'{"ply":' * 50_000,
    "huge": b'{"ply": 0, "move": "' + b"e" * 2_000_000 + b'"}',
    "a huge number": b'{"ply": ' + b"9" * 400 + b', "move": "e2e4"}',
    "NaN": b'{"ply": NaN, "move": "e2e4"}',
    "a fraction": b'{"ply": 0.5, "move": "e2e4"}',
    "a text for a number": b'{"ply": "0", "move": "e2e4"}',
    "true for a number": b'{"ply": true, "move": "e2e4"}',
    "a negative ply": b'{"ply": -1, "move": "e2e4"}',
    "no ply": b'{"move": "e2e4"}',
    "no move": b'{"ply": 0}',
    "an empty move": b'{"ply": 0, "move": ""}',
    "an unknown field": b'{"ply": 0, "move": "e2e4", "clock": 5}',
    "an illegal move": b'{"ply": 0, "move": "e2e5"}',
    "a null move": b'{"ply": 0, "move": "0000"}',
    "no move at all": b'{"ply": 0, "move": "\\u0000\\u202e"}',
    "a ply to come": b'{"ply": 5, "move": "e2e4"}',
}


@pytest.mark.parametrize("name", BODIES)
def test_bad_moves(door: Callable[..., Hand], name: str) -> None:
    game, white, _ = start(door)
    answer = white.client.http.post(
        f"/v1/games/{game}/moves",
        headers={"Authorization": f"Bearer {white.token}", "Content-Type": "application/json"},
        body=BODIES[name],
    )
    assert 400 <= answer.status_code < 500, answer.body
    assert answer.headers["Content-Type"] == PROBLEM_TYPE
    problem = json.loads(answer.body)
    assert problem["code"] and problem["detail"]
    assert store.load(game).version == 1


def test_a_move_without_ply_says_so(door: Callable[..., Hand]) -> None:
    game, white, _ = start(door)
    refused = white.post(f"/v1/games/{game}/moves", {"move": "e2e4"})
    assert (refused.status_code, refused.json_body["code"]) == (400, "ply_required")


def test_a_refused_move_shows_the_game(door: Callable[..., Hand]) -> None:
    game, white, black = start(door)
    for hand, ply, move, code in [
        (black, 0, "e7e5", "not_your_turn"),
        (white, 0, "e2e5", "illegal_move"),
        (white, 1, "e2e4", "wrong_ply"),
    ]:
        refused = hand.move(game, ply, move)
        assert refused.json_body["code"] == code
        assert refused.json_body["game"]["version"] == 1


def test_strangers_see_nothing_of_a_private_challenge(door: Callable[..., Hand]) -> None:
    anna, bert, carl = door("anna.private"), door("bert.private"), door("carl.private")
    made = anna.post("/v1/challenges", {"opponent": bert.player, "profile": "30-30-1"})
    game = made.json_body["id"]
    for refused in (
        carl.get(f"/v1/games/{game}"),
        carl.move(game, 0, "e2e4"),
        carl.post(f"/v1/challenges/{game}/accept"),
        carl.post(f"/v1/games/{game}/resign"),
    ):
        assert (refused.status_code, json.loads(refused.body)["code"]) == (404, "unknown_game")
        assert anna.player not in refused.body.decode()
    assert bert.get(f"/v1/games/{game}").status_code == 200


@pytest.mark.parametrize(("scope", "status"), [("read", 403), ("record", 403), ("", 403), ("bot", 200), ("play", 200)])
def test_scopes_of_a_move(door: Callable[..., Hand], scope: str, status: int) -> None:
    game, white, _ = start(door)
    assert door(white.player, scope=scope).move(game, 0, "e2e4").status_code == status


def test_a_key_is_needed_once_and_means_one_thing(door: Callable[..., Hand]) -> None:
    anna = door("anna.keys")
    body = {"opponent": "bert.keys", "profile": "30-30-1"}
    first, again = (anna.post("/v1/challenges", body, key="one") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json_body["id"] == again.json_body["id"]
    reused = anna.post("/v1/challenges", body | {"rated": False}, key="one")
    assert (reused.status_code, reused.json_body["code"]) == (422, "idempotency_key_reused")
    missing = anna.post("/v1/challenges", body, Idempotency_Key="")
    assert (missing.status_code, missing.json_body["code"]) == (400, "idempotency_key_required")


@pytest.mark.parametrize("path", ["/v1/challenges", "/v1/seeks", "/v1/pairings"])
def test_what_was_made_is_not_made_anew_when_it_has_moved_on(door: Callable[..., Hand], path: str) -> None:
    mark = uuid.uuid4().hex[:8]
    anna, bert = door(f"anna-{mark}", scope="read play record"), door(f"bert-{mark}")
    body: dict[str, object] = {
        "/v1/challenges": {"opponent": bert.player, "profile": "T3_1", "colour": "white"},
        "/v1/seeks": {"profile": "T3_1", "colour": "white"},
        "/v1/pairings": {
            "event": "Open",
            "profile": "T3_1",
            "boards": [{"white": anna.player, "black": bert.player}],
        },
    }[path]
    made = anna.post(path, body, key="once").json_body
    game = made["games"][0] if path == "/v1/pairings" else made["id"]
    if path != "/v1/pairings":
        assert bert.post(f"{path}/{game}/accept").status_code == 200
    assert anna.move(game, 0, "e2e4").status_code == 200
    assert bert.post(f"/v1/games/{game}/resign").status_code == 200
    played = store.load(game)
    fan_out.ended(played)

    again = anna.post(path, body, key="once")
    assert (again.status_code, again.json_body["id"]) == (201, made["id"])
    assert store.load(game) == played
    assert rows.running_of(anna.player) == rows.running_of(bert.player) == []
    assert game not in rows.running_of(rows.LOBBY)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "opponent_required"),
        ({"opponent": "b"}, 400, "profile_required"),
        ({"opponent": "b", "profile": "1-2-3"}, 422, "unknown_profile"),
        ({"opponent": "b", "profile": "T3_2"}, 422, "unknown_profile"),
        ({"opponent": "b", "profile": "30-30-1", "kind": "checkers"}, 422, "unknown_kind"),
        ({"opponent": "b", "profile": "30-30-1", "setup": "8/8/8/8/8/8/8/8 w - - 0 1"}, 422, "illegal_setup"),
        ({"opponent": "b\n", "profile": "30-30-1"}, 400, "invalid_body"),
        ({"opponent": "maker", "profile": "30-30-1"}, 422, "own_invitation"),
        ({"opponent": "b", "profile": "30-30-1", "colour": "red"}, 400, "invalid_body"),
    ],
)
def test_bad_challenges(door: Callable[..., Hand], body: dict[str, object], status: int, code: str) -> None:
    refused = door("maker").post("/v1/challenges", body)
    assert (refused.status_code, refused.json_body["code"]) == (status, code)
