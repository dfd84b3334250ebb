"""Requests signed by those who run the server: HTTP Message Signatures (RFC 9421) in one exact form. Pure.

A signature covers all of a request that has a meaning here and nothing else: `covered` is the whole list, for those who
sign and for those who verify. Its parameters are created, expires (at most a minute later), nonce, keyid, alg and tag.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import SplitResult, quote, urlsplit

from msgspec import Struct

from chalicelib.core.durations import MINUTE, SECOND
from chalicelib.core.problems import Problem

if TYPE_CHECKING:
    from http_message_signatures import HTTPMessageVerifier, HTTPSignatureAlgorithm

Algorithm = Literal["ed25519", "hmac-sha256"]
Role = Literal["operator", "director"]

TAG: Final = "zeitnot-admin"
LONGEST_WINDOW: Final = MINUTE
AHEAD: Final = 5 * SECOND
"""How far the clock of a sender may be ahead of ours."""

ACTING_HEADERS: Final = ("idempotency-key", "if-match")
"""Headers that change what a request does: signed where they are sent."""

_PARAMETERS: Final = {"created": int, "expires": int, "nonce": str, "keyid": str, "alg": str, "tag": str}
_LONGEST_HEADER: Final = 4_096
_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_ONLY_ONCE: Final = ("signature-input", "signature", "content-digest", *ACTING_HEADERS)
_DEFAULT_PORTS: Final = {"https": ":443", "http": ":80"}


class Admin(Struct, frozen=True):
    """Who signed a request. An operator may do everything, a director what belongs to one of `events`.

    `name` is that of the person, `signature` the nonce of this very signature: no two requests have the same.
    """

    key_id: str
    name: str
    role: Role
    events: frozenset[str]
    signature: str


class Message(Struct, frozen=True):
    """A request as its sender sent it. `query` holds names and values decoded; `headers` have lower-case names and all
    lines that came under them."""

    method: str
    authority: str
    path: str
    query: tuple[tuple[str, str], ...]
    headers: Mapping[str, tuple[str, ...]]
    body: bytes


class Claim(Struct, frozen=True):
    """What a signature of the right form says of itself; nothing of it is proved yet. Times in ms of real time."""

    key_id: str
    algorithm: str
    nonce: str
    expires_ms: int


def received(event: Mapping[str, Any], body: bytes, public_url: str) -> Message:
    """The message that came as an event of API Gateway.

    `public_url` is where clients find the API ("https://example.org/base"). Without it, the gateway's own word counts:
    it knows by which of its names and under which path it was called.
    """
    context = event["requestContext"]
    address = urlsplit(public_url)
    query = event.get("multiValueQueryStringParameters") or {}
    lines = event.get("multiValueHeaders") or {name: [line] for name, line in (event.get("headers") or {}).items()}
    return Message(
        method=context["httpMethod"],
        authority=authority_of(address) if public_url else context.get("domainName", ""),
        path=address.path.rstrip("/") + event.get("path", context["path"]) if public_url else context["path"],
        query=tuple((name, value) for name, values in query.items() for value in values),
        headers={name.lower(): tuple(of_name) for name, of_name in lines.items()},
        body=body,
    )


def authority_of(address: SplitResult) -> str:
    """The component @authority of an address: in small letters, without the port that its scheme has anyway.

    >>> authority_of(urlsplit("https://Example.org:443/base")), authority_of(urlsplit("http://127.0.0.1:8000"))
    ('example.org', '127.0.0.1:8000')
    """
    return address.netloc.lower().removesuffix(_DEFAULT_PORTS.get(address.scheme, ":none"))


def covered(message: Message) -> dict[str, str]:
    """What a signature has to cover, and with which values: components as RFC 9421 writes them, in any order.

    Parameters of the query stand for themselves, since API Gateway does not hand on the query as it was written.

    >>> headers = {"idempotency-key": ("k1",), "accept": ("*/*",)}
    >>> covered(Message("GET", "example.org", "/v1/admin/audit", (("actor", "an a"),), headers, b""))
    ... # doctest: +NORMALIZE_WHITESPACE
    {'"@method"': 'GET', '"@authority"': 'example.org', '"@path"': '/v1/admin/audit',
     '"@query-param";name="actor"': 'an%20a', '"idempotency-key"': 'k1'}
    """
    query = {f'"@query-param";name="{_encoded(name)}"': _encoded(value) for name, value in message.query}
    names = ["content-digest"] * bool(message.body) + [name for name in ACTING_HEADERS if name in message.headers]
    return {
        '"@method"': message.method,
        '"@authority"': message.authority,
        '"@path"': message.path,
        **query,
        **{f'"{name}"': ", ".join(message.headers.get(name, ())).strip(" \t") for name in names},
    }


def _encoded(text: str) -> str:
    """As RFC 9421, 2.2.8 wants names and values of parameters."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="*").replace("~", "%7E")


def content_digest(body: bytes) -> str:
    """The header Content-Digest (RFC 9530) of a body.

    >>> content_digest(b"")
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'
    """
    import base64

    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


def refused(code: str, detail: str) -> Problem:
    """A 401 that says what is wrong with a signature."""
    return Problem(401, code, detail, headers={"WWW-Authenticate": "Signature"})


def claim(message: Message, now_ms: int) -> Claim:
    """What the signature of a message claims, if it has the one form, covers what it must and is of this minute.

    Raises a 401 Problem. Nothing is proved: `verify` does that, with the key that is claimed. `now_ms` is real time.
    """
    _require_single_values(message)
    components, parameters = _signature_input(message)
    _check_parameters(parameters)
    created_ms, expires_ms = parameters["created"] * SECOND, parameters["expires"] * SECOND
    if not 0 < expires_ms - created_ms <= LONGEST_WINDOW:
        raise refused("malformed_signature", f"expires comes after created, by {LONGEST_WINDOW // SECOND} s at most")
    if created_ms > now_ms + AHEAD:
        raise refused("signature_from_the_future", f"created lies ahead; the server's clock says {now_ms // SECOND}")
    if now_ms >= expires_ms:
        raise refused("signature_stale", f"the signature has expired; the server's clock says {now_ms // SECOND}")
    _check_digest_is_sent(message)
    wanted = covered(message)
    if sorted(components) != sorted(wanted):
        raise refused("wrong_components", f"this request is signed over {' '.join(wanted)} and nothing else")
    return Claim(parameters["keyid"], parameters["alg"], parameters["nonce"], expires_ms)


def _require_single_values(message: Message) -> None:
    if not all(name in message.headers for name in ("signature-input", "signature")):
        raise refused("signature_required", "sign the request (RFC 9421) and send Signature-Input and Signature")
    for name in _ONLY_ONCE:
        lines = message.headers.get(name, ())
        if len(lines) > 1 or any(len(line) > _LONGEST_HEADER or not line.isascii() for line in lines):
            raise refused("malformed_signature", f"send {name} once, in ASCII, in up to {_LONGEST_HEADER} characters")
    names = [name for name, _ in message.query]
    if len(set(names)) < len(names):
        raise refused("wrong_components", "a parameter of the query that comes twice cannot be signed (RFC 9421)")


def _signature_input(message: Message) -> tuple[list[str], dict[str, Any]]:
    """Covered components, each as written, and parameters of the one signature of a message."""
    import http_sf

    try:
        ((members, parameters),) = _dictionary(message, "signature-input").values()
        return [http_sf.ser((name, dict(inside))) for name, inside in members], dict(parameters)
    except (ValueError, TypeError) as error:
        detail = 'Signature-Input has one signature, as in sig=("@method" "@authority" "@path");created=...'
        raise refused("malformed_signature", detail) from error


def _dictionary(message: Message, header: str) -> dict[str, Any]:
    """A header that is a dictionary of structured fields (RFC 9651). Raises ValueError."""
    import http_sf

    def only_once(key: str, _: str) -> None:
        raise ValueError(f"{key} comes twice")

    line = message.headers[header][0].encode()
    parsed: Any = http_sf.parse(line, tltype="dictionary", on_duplicate_key=only_once)
    return dict(parsed)


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    if {name: type(value) for name, value in parameters.items()} != _PARAMETERS:
        raise refused("malformed_signature", f"a signature has the parameters {', '.join(_PARAMETERS)} and no others")
    if parameters["tag"] != TAG:
        raise refused("malformed_signature", f'the tag is "{TAG}"')
    if not _NONCE.fullmatch(parameters["nonce"]):
        raise refused("malformed_signature", f"a nonce matches {_NONCE.pattern}")


def _check_digest_is_sent(message: Message) -> None:
    if message.body and "content-digest" not in message.headers:
        raise refused("content_digest_required", "send the Content-Digest (RFC 9530) of the body, sha-256, and sign it")


def verify(message: Message, claimed: Claim, algorithm: Algorithm, key: bytes) -> None:
    """The claimed key has signed this message, and the body is the one it was signed for. Raises a 401 Problem.

    `key` is the raw public key (Ed25519) or the shared secret (HMAC). Which algorithm it is for, the store of keys
    says, never the signature.
    """
    from http_message_signatures import HTTPMessageSignaturesException, MappingKeyResolver

    if claimed.algorithm != algorithm:
        raise refused("wrong_algorithm", f"this key signs with {algorithm}")
    signature_algorithm, known = _of_library(algorithm, key)
    verifier = _verifier()(
        signature_algorithm=signature_algorithm,
        key_resolver=MappingKeyResolver(public_keys={claimed.key_id: known}, private_keys={}),
        component_resolver_class=_Components,
    )
    try:
        verifier.verify(_Fields(message), max_age=None, expect_tag=TAG)
    except HTTPMessageSignaturesException as error:
        raise refused(
            "signature_invalid", f"the key has not signed this request to {message.authority}{message.path}"
        ) from error
    if message.body and not _has_digest(message):
        raise refused("content_digest_mismatch", "the body is not the one whose sha-256 Content-Digest names")


def _of_library(algorithm: Algorithm, key: bytes) -> tuple[type[HTTPSignatureAlgorithm], Any]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from http_message_signatures import algorithms

    if algorithm == "hmac-sha256":
        return algorithms.HMAC_SHA256, key
    return algorithms.ED25519, Ed25519PublicKey.from_public_bytes(key)


@cache
def _verifier() -> type[HTTPMessageVerifier]:
    from http_message_signatures import HTTPMessageVerifier

    class Verifier(HTTPMessageVerifier):
        def validate_created_and_expires(self, sig_input: Any, max_age: Any = None) -> None:
            """Done by `claim`, by a clock that it is handed."""

    return Verifier


class _Fields:
    """A message as the library wants it: the fields of the signature."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.headers = {name: ", ".join(lines) for name, lines in message.headers.items()}


class _Components:
    """Answers the library's question for the value of a component from our own list."""

    def __init__(self, fields: _Fields) -> None:
        self.values = covered(fields.message)

    def resolve(self, component: Any) -> str:
        return self.values[str(component)]


def _has_digest(message: Message) -> bool:
    try:
        sent, _ = _dictionary(message, "content-digest")["sha-256"]
    except (ValueError, TypeError, KeyError):
        return False
    return isinstance(sent, bytes) and hmac.compare_digest(sent, hashlib.sha256(message.body).digest())
