"""Who is calling: bearer tokens (JWT), checked in the app as well as at the gateway, which locally enforces nothing."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec import Struct

from chalicelib.core.problems import Problem
from chalicelib.core.settings import settings
from chalicelib.core.time import real_ms

if TYPE_CHECKING:
    from jwt import PyJWKClient

Scope = Literal["read", "play", "record", "bot"]

PLAYER_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9._|:@-]{0,63}$(?!\n)"
_PLAYER_ID: Final = re.compile(PLAYER_ID)
_ALGORITHMS: Final = ["RS256", "ES256", "EdDSA"]
_LEEWAY_SECONDS: Final = 5


class Caller(Struct, frozen=True):
    """A player and what the token lets them do."""

    player: str
    scopes: frozenset[str]

    def may(self, scope: Scope) -> bool:
        """`bot` plays like `play`, and whoever may play may read."""
        granted = {"play": {"play", "bot"}, "read": {"read", "play", "bot", "record"}}.get(scope, {scope})
        return bool(granted & self.scopes)


def caller(authorization: str | None) -> Caller:
    """The caller named by an Authorization header. Raises a 401 Problem that says what is wrong with the token."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized("token_required", "send Authorization: Bearer <token>")
    expires_at, known = _verified(token.strip())
    if real_ms() >= (expires_at + _LEEWAY_SECONDS) * 1_000:
        raise _unauthorized("token_expired", "the token has expired; get a new one from the issuer")
    return known


def _unauthorized(code: str, detail: str) -> Problem:
    return Problem(401, code, detail, headers={"WWW-Authenticate": "Bearer"})


@lru_cache(maxsize=512)
def _verified(token: str) -> tuple[int, Caller]:
    """Expiry and caller of a token whose signature, issuer and audience are right; failures are not remembered."""
    import jwt

    wanted = settings()
    try:
        key = _keys(wanted.jwt_jwks_url).get_signing_key_from_jwt(token)
        claims: dict[str, Any] = jwt.decode(
            token,
            key.key,
            algorithms=_ALGORITHMS,
            issuer=wanted.jwt_issuer,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "sub", "iss"], "verify_aud": False},
        )
    except jwt.ExpiredSignatureError as error:
        raise _unauthorized("token_expired", "the token has expired; get a new one from the issuer") from error
    except jwt.PyJWKClientConnectionError as error:
        raise Problem(503, "issuer_unreachable", "the keys of the token issuer cannot be fetched") from error
    except (jwt.PyJWTError, ValueError) as error:
        raise _unauthorized("invalid_token", _in_words(error)) from error
    _check_audience(claims, wanted.jwt_audience)
    if not _PLAYER_ID.fullmatch(claims["sub"]):
        raise _unauthorized("invalid_token", f"sub is not a player id ({PLAYER_ID})")
    return int(claims["exp"]), Caller(claims["sub"], _scopes(claims))


def _in_words(error: Exception) -> str:
    """What is wrong with a token, in words that say what would be right."""
    from jwt import exceptions as wrong

    if isinstance(error, wrong.MissingRequiredClaimError):
        return f"the token lacks the claim {error.claim}"
    no_jwt = "the token is not a JWT: three parts of base64url joined by dots, JSON in the first two, times in s"
    words: dict[type[Exception], str] = {
        wrong.InvalidSignatureError: "the signature of the token is not that of its issuer",
        wrong.InvalidIssuerError: "the token comes from another issuer than the one that this server trusts",
        wrong.ImmatureSignatureError: "the token is not valid yet: its iat or nbf lies ahead",
        wrong.InvalidAlgorithmError: f"the token has to be signed with one of {', '.join(_ALGORITHMS)}",
        wrong.InvalidSubjectError: f"sub is not a player id ({PLAYER_ID})",
        wrong.PyJWKClientError: "the token is signed with a key (kid) that its issuer does not publish",
        wrong.DecodeError: no_jwt,
        wrong.InvalidIssuedAtError: no_jwt,
    }
    known = (text for kind, text in words.items() if isinstance(error, kind))
    return next(known, "the token is not a JWT that this server can check")


def _check_audience(claims: dict[str, Any], audience: str) -> None:
    """`aud` as text or list; Cognito's access tokens name the client in `client_id` instead."""
    named = claims.get("aud", claims.get("client_id", []))
    if audience not in (named if isinstance(named, list) else [named]):
        raise _unauthorized("invalid_token", "the token is meant for another audience")


def _scopes(claims: dict[str, Any]) -> frozenset[str]:
    """Cognito writes custom scopes as `<resource server>/<scope>`; the last part counts."""
    return frozenset(word.rpartition("/")[2] for word in str(claims.get("scope", "")).split())


@cache
def _keys(url: str) -> PyJWKClient:
    from jwt import PyJWKClient

    return PyJWKClient(url, cache_keys=True, timeout=5)
