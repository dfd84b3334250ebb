"""Local tokens: what a verifier that knows only the key set makes of them."""

from __future__ import annotations

import stat
from pathlib import Path

import jwt
import pytest

from infra.local.issuer import AUDIENCE, ISSUER, Issuer


def verified(token: str, issuer: Issuer) -> dict[str, object]:
    (key,) = issuer.key_set()["keys"]
    claims: dict[str, object] = jwt.decode(
        token,
        jwt.PyJWK(key),
        algorithms=["RS256"],
        audience=AUDIENCE,
        issuer=ISSUER,
        options={"require": ["exp", "iat"]},
    )
    return claims


def test_a_token_carries_player_and_scope(tmp_path: Path) -> None:
    issuer = Issuer(tmp_path / "key.pem")

    claims = verified(issuer.token("anna", "read record"), issuer)

    assert (claims["sub"], claims["scope"]) == ("anna", "read record")


def test_a_token_outlives_a_restart(tmp_path: Path) -> None:
    token = Issuer(tmp_path / "key.pem").token("anna")

    assert verified(token, Issuer(tmp_path / "key.pem"))["sub"] == "anna"


def test_another_issuer_s_token_is_refused(tmp_path: Path) -> None:
    token = Issuer(tmp_path / "one.pem").token("anna")

    with pytest.raises(jwt.InvalidSignatureError):
        verified(token, Issuer(tmp_path / "two.pem"))


def test_a_token_ends(tmp_path: Path) -> None:
    issuer = Issuer(tmp_path / "key.pem")

    with pytest.raises(jwt.ExpiredSignatureError):
        verified(issuer.token("anna", lifetime_s=-1), issuer)


def test_the_key_is_for_its_owner_s_eyes(tmp_path: Path) -> None:
    Issuer(tmp_path / "key.pem")

    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600


def test_the_key_set_holds_no_private_part(tmp_path: Path) -> None:
    (key,) = Issuer(tmp_path / "key.pem").key_set()["keys"]

    assert key.keys().isdisjoint({"d", "p", "q", "dp", "dq", "qi"})
