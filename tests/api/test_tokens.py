"""What a client is told of a token that is not accepted: what is wrong with it, in our own words."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest

from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from tests.games.conftest import Hand

NOW = int(time.time())
CLAIMS: dict[str, Any] = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "scope": "read", "iat": NOW, "exp": NOW + 600}


def without(claim: str) -> dict[str, Any]:
    return {name: value for name, value in CLAIMS.items() if name != claim}


CASES: dict[str, tuple[dict[str, Any], str]] = {
    "no exp": (without("exp"), "lacks the claim exp"),
    "no sub": (without("sub"), "lacks the claim sub"),
    "no iss": (without("iss"), "lacks the claim iss"),
    "another issuer": ({**CLAIMS, "iss": "https://elsewhere"}, "another issuer"),
    "another audience": ({**CLAIMS, "aud": "others"}, "another audience"),
    "not yet": ({**CLAIMS, "nbf": NOW + 600}, "not valid yet"),
    "issued tomorrow": ({**CLAIMS, "iat": NOW + 86_400}, "not valid yet"),
    "a word as exp": ({**CLAIMS, "exp": "soon"}, "times in s"),
    "a word as iat": ({**CLAIMS, "iat": "now"}, "times in s"),
    "a number as sub": ({**CLAIMS, "sub": 5}, "not a player id"),
    "a player that is none": ({**CLAIMS, "sub": "a b"}, "not a player id"),
}


def detail(door: Callable[..., Hand], token: str) -> str:
    hand = door("anna")
    hand.token = token
    refused = hand.get("/v1/games")
    assert (refused.status_code, refused.json_body["code"]) == (401, "invalid_token")
    said: str = refused.json_body["detail"]
    return said


def signed(issuer: tuple[Issuer, str], claims: dict[str, Any], **head: Any) -> str:
    return jwt.encode(claims, issuer[0]._key, algorithm="RS256", headers={"kid": "local", **head})


@pytest.mark.parametrize("case", CASES)
def test_wrong_claims_are_named(door: Callable[..., Hand], issuer: tuple[Issuer, str], case: str) -> None:
    claims, words = CASES[case]
    assert words in detail(door, signed(issuer, claims))


def test_wrong_signatures_are_told_apart(door: Callable[..., Hand], issuer: tuple[Issuer, str], tmp_path: Path) -> None:
    other = Issuer(tmp_path / "other.pem")
    assert "signature" in detail(door, other.token("anna"))
    assert "(kid)" in detail(door, signed(issuer, CLAIMS, kid="gone"))
    assert "one of RS256" in detail(door, jwt.encode(CLAIMS, "s" * 32, algorithm="HS256", headers={"kid": "local"}))


def part(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "token",
    ["abc", "a.b", "a.b.c.d", "ü.ü.ü", f"{part('[]')}.e30.AA", f"{part('{')}.e30.AA", f"{part(json.dumps({}))}.x.AA"],
)
def test_what_is_no_token_is_told_so(door: Callable[..., Hand], token: str) -> None:
    assert "not a JWT" in detail(door, token)
