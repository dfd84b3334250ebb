"""Whatever comes in, the answer is a problem document of the 4xx kind, and the game stays as it was."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable

import jwt
import pytest

from chalicelib.core.problems import PROBLEM_TYPE
from chalicelib.games import store
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
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
ROUTES = ["moves", "draw-offer", "draw-offer/accept", "draw-offer/decline", "claim"]


@pytest.mark.parametrize(
    ("route", "name"),
    [(route, name) for route in ROUTES for name in BODIES if route == "moves" or "move" not in name],
)
def test_bad_bodies(door: Callable[..., Hand], route: str, name: str) -> None:
    game, white, _ = start(door)
    answer = white.client.http.post(
        f"/v1/games/{game}/{route}",
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


def _forged(claims: dict[str, object], key: str = "x" * 32, algorithm: str = "HS256") -> str:
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "local"})


def _tokens(issuer: Issuer) -> dict[str, str]:
    good = issuer.token("mallory")
    head, body, signature = good.split(".")
    other = base64.urlsafe_b64encode(json.dumps({"sub": "anna"}).encode()).decode().rstrip("=")
    surrogate = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"\\ud800"}').decode()
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "mallory", "scope": "read play", "exp": int(time.time()) + 600}
    return {
        "none": "",
        "no scheme": good,
        "basic": "Basic bWFsbG9yeTo=",
        "words": "Bearer one two three",
        "dots": "Bearer ..",
        "another body": f"Bearer {head}.{other}.{signature}",
        "no signature": f"Bearer {head}.{body}.",
        "algorithm none": f"Bearer {_forged(claims, key='', algorithm='none')}",
        "a key of their own": f"Bearer {_forged(claims)}",
        "expired": f"Bearer {issuer.token('mallory', lifetime_s=-60)}",
        "an impossible player": f"Bearer {issuer.token('*lobby')}",
        "a lone surrogate": f"Bearer {surrogate}.e30.AA",
    }


@pytest.mark.parametrize(
    "name",
    [
        "none",
        "no scheme",
        "basic",
        "words",
        "dots",
        "another body",
        "no signature",
        "algorithm none",
        "a key of their own",
        "expired",
        "an impossible player",
        "a lone surrogate",
    ],
)
def test_bad_tokens(door: Callable[..., Hand], issuer: tuple[Issuer, str], name: str) -> None:
    game, white, _ = start(door)
    answer = white.client.http.post(
        f"/v1/games/{game}/moves",
        headers={"Authorization": _tokens(issuer[0])[name]},
        body=b'{"ply": 0, "move": "e2e4"}',
    )
    assert answer.status_code == 401, answer.body
    assert answer.headers["Content-Type"] == PROBLEM_TYPE
    assert store.load(game).version == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/v1/games/nosuchgame00", "unknown_game"),
        ("/v1/games/..", "unknown_game"),
        ("/v1/games/" + "x" * 3_000, "unknown_game"),
        ("/v1/games/%ED%A0%80", "unknown_game"),
        ("/v1/players/*lobby/games", "unknown_player"),
        ("/v1/players/%00/games", "unknown_player"),
        ("/v1/players/anna%0A/export", "unknown_player"),
        ("/v1/players/anna/games?cursor=!!!", "invalid_cursor"),
        ("/v1/players/anna/games?cursor=cnVubmluZyN6enp6", "invalid_cursor"),
        ("/v1/players/anna/games?cursor=YQ", "invalid_cursor"),
        ("/v1/players/anna/games?limit=0", "invalid_query"),
        ("/v1/players/anna/games?limit=many", "invalid_query"),
        ("/v1/seeks?cursor=ZW5kZWQj", "invalid_cursor"),
    ],
)
def test_bad_paths_and_queries(door: Callable[..., Hand], path: str, code: str) -> None:
    refused = door("anna").get(path)
    assert 400 <= refused.status_code < 500, refused.body
    assert json.loads(refused.body)["code"] == code


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
