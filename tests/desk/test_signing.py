"""What a signature has to be: the pure part, without a door or a store."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.core.problems import Problem
from chalicelib.core.signing import Algorithm, Message, claim, content_digest, covered, received, verify
from infra.admin.client import outgoing
from infra.admin.signer import Signer

URL = "https://zeitnot.test"
NOW_S = 1_796_056_000
NOW_MS = NOW_S * 1_000
TARGET = "/v1/admin/games/abcdefghjkmn/adjust?actor=an%20a&day=2026-11-30"
BODY = b'{"delta_ms": 3600000}'
SIGNER = Signer.new("k23456789abc")
SECRET = Signer.new("k23456789abd", "hmac-sha256")


def signed(
    signer: Signer = SIGNER, method: str = "POST", target: str = TARGET, body: bytes = BODY, **changed: Any
) -> Message:
    message = outgoing(URL, method, target, {"Idempotency-Key": "act-1", "Accept": "*/*"}, body)
    return with_headers(message, signer.headers(message, NOW_S, **changed))


def with_headers(message: Message, headers: Mapping[str, str]) -> Message:
    return replace(message, headers={**message.headers, **{name.lower(): (text,) for name, text in headers.items()}})


def without(message: Message, name: str) -> Message:
    return replace(message, headers={header: lines for header, lines in message.headers.items() if header != name})


def resigned(components: Callable[[dict[str, str]], dict[str, str]], **changed: Any) -> Message:
    """A message whose signature is right for components that are not."""
    message = signed()
    return with_headers(message, SIGNER.signature(components(covered(message)), NOW_S, **changed))


def refusal(message: Message, signer: Signer = SIGNER, now_ms: int = NOW_MS) -> str | None:
    """The code with which a message is refused; None if it is not."""
    try:
        verify(message, claim(message, now_ms), signer.algorithm, signer.verifying)
    except Problem as problem:
        assert problem.status == 401
        assert problem.headers["WWW-Authenticate"] == "Signature"
        return problem.code
    return None


@pytest.mark.parametrize("signer", [SIGNER, SECRET], ids=["ed25519", "hmac"])
@pytest.mark.parametrize("body", [BODY, b""])
def test_what_is_signed_as_it_must_be_is_taken(signer: Signer, body: bytes) -> None:
    assert refusal(signed(signer, body=body), signer) is None


def test_the_order_of_components_and_the_label_mean_nothing() -> None:
    message = resigned(lambda components: dict(reversed(components.items())))
    assert refusal(message) is None
    relabelled = {
        name: (message.headers[name][0].replace("sig=", "other=", 1),) for name in ("signature", "signature-input")
    }
    assert refusal(replace(message, headers={**message.headers, **relabelled})) is None


def test_parameters_of_the_query_may_come_in_another_order_and_encoding_but_not_with_another_meaning() -> None:
    """API Gateway hands on what they mean, not how they were written."""
    message = signed()
    for target in (TARGET, TARGET.replace("%20", "+"), TARGET.replace("an%20a", "%61n%20a")):
        assert refusal(replace(message, query=outgoing(URL, "POST", target, {}, b"").query)) is None
    assert refusal(replace(message, query=message.query[::-1])) is None
    for query, code in {
        (("actor", "an%20a"), ("day", "2026-11-30")): "signature_invalid",
        (("actor", "an a"), ("day", "2026-12-01")): "signature_invalid",
        (("actor", "an a"),): "wrong_components",
        (("actor", "an a"), ("day", "2026-11-30"), ("day", "2026-11-30")): "wrong_components",
        (("actor", "an a"), ("day", "2026-11-30"), ("extra", "")): "wrong_components",
        (("day", "an a"), ("actor", "2026-11-30")): "signature_invalid",
    }.items():
        assert refusal(replace(message, query=query)) == code, query


@pytest.mark.parametrize(
    "query", ["a=%C3%BC&b=~*-._", "a&b=", "a=%00&b=%0A", "a=%22%5C&%22b=1", "a=%ED%A0%80", "=&b==", "a=" + "x" * 5_000]
)
def test_any_query_can_be_signed(query: str) -> None:
    assert refusal(signed(target=f"/v1/admin/audit?{query}")) is None


TAMPERED: dict[str, tuple[Callable[[Message], Message], str]] = {
    "another method": (lambda message: replace(message, method="GET"), "signature_invalid"),
    "another path": (lambda message: replace(message, path=message.path + "x"), "signature_invalid"),
    "a path in other letters": (lambda message: replace(message, path="/v1/admin%2Fgames"), "signature_invalid"),
    "a path that is no text of ours": (lambda message: replace(message, path="/v1/ü\n\0"), "signature_invalid"),
    "another server": (lambda message: replace(message, authority="zeitnot.example"), "signature_invalid"),
    "another body": (lambda message: replace(message, body=BODY + b" "), "content_digest_mismatch"),
    "another body and its digest": (
        lambda message: with_headers(replace(message, body=b"{}"), {"Content-Digest": content_digest(b"{}")}),
        "signature_invalid",
    ),
    "another digest": (
        lambda message: with_headers(message, {"Content-Digest": content_digest(b"{}")}),
        "signature_invalid",
    ),
    "no digest": (lambda message: without(message, "content-digest"), "content_digest_required"),
    "no body any more": (lambda message: replace(message, body=b""), "wrong_components"),
    "another act": (lambda message: with_headers(message, {"Idempotency-Key": "act-2"}), "signature_invalid"),
    "no name for the act": (lambda message: without(message, "idempotency-key"), "wrong_components"),
    "a version that was not signed": (lambda message: with_headers(message, {"If-Match": '"3"'}), "wrong_components"),
    "another header, which means nothing": (lambda message: with_headers(message, {"X-Other": "1"}), ""),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_what_was_changed_on_the_way_is_refused(case: str) -> None:
    tamper, code = TAMPERED[case]
    assert refusal(tamper(signed())) == (code or None)


@pytest.mark.parametrize("component", covered(signed()))
def test_every_component_has_to_be_covered(component: str) -> None:
    left_out = resigned(lambda components: {name: components[name] for name in components if name != component})
    assert refusal(left_out) == "wrong_components"


@pytest.mark.parametrize(
    "extra",
    ['"accept"', '"@target-uri"', '"@query"', '"@method";req', '"@path";bs', '"content-digest";key="sha-256"', '"X"'],
)
def test_nothing_else_may_be_covered(extra: str) -> None:
    assert refusal(resigned(lambda components: {**components, extra: "*/*"})) == "wrong_components"


def test_a_component_is_covered_once() -> None:
    message = signed()
    twice = message.headers["signature-input"][0].replace('("@method"', '("@method" "@method"')
    assert refusal(with_headers(message, {"Signature-Input": twice})) == "wrong_components"


PARAMETERS: dict[str, tuple[dict[str, Any], str]] = {
    "no created": ({"created": None}, "malformed_signature"),
    "no expires": ({"expires": None}, "malformed_signature"),
    "no nonce": ({"nonce": None}, "malformed_signature"),
    "no keyid": ({"keyid": None}, "malformed_signature"),
    "no alg": ({"alg": None}, "malformed_signature"),
    "no tag": ({"tag": None}, "malformed_signature"),
    "a further one": ({"purpose": "fun"}, "malformed_signature"),
    "created as text": ({"created": str(NOW_S)}, "malformed_signature"),
    "another tag": ({"tag": "web-bot-auth"}, "malformed_signature"),
    "a short nonce": ({"nonce": "x" * 15}, "malformed_signature"),
    "a long nonce": ({"nonce": "x" * 65}, "malformed_signature"),
    "a nonce of other letters": ({"nonce": "a#b" * 6}, "malformed_signature"),
    "ends before it begins": ({"expires": NOW_S - 1}, "malformed_signature"),
    "ends at once": ({"expires": NOW_S}, "malformed_signature"),
    "counts for 61 s": ({"expires": NOW_S + 61}, "malformed_signature"),
    "counts for 60 s": ({"expires": NOW_S + 60}, ""),
    "another algorithm": ({"alg": "hmac-sha256"}, "wrong_algorithm"),
    "no algorithm": ({"alg": "none"}, "wrong_algorithm"),
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters_are_exactly_those(case: str) -> None:
    changed, code = PARAMETERS[case]
    assert refusal(signed(**changed)) == (code or None)


def test_a_signature_counts_from_5_s_before_it_was_made_to_its_end_and_not_a_millisecond_longer() -> None:
    message = signed()
    assert refusal(message, now_ms=NOW_MS - 5_000) is None
    assert refusal(message, now_ms=NOW_MS - 5_001) == "signature_from_the_future"
    assert refusal(message, now_ms=NOW_MS + 59_999) is None
    assert refusal(message, now_ms=NOW_MS + 60_000) == "signature_stale"


def test_a_public_key_is_no_shared_secret() -> None:
    """Whoever knows the public key could sign with it, if the signature were to say which algorithm counts."""
    forger = Signer(SIGNER.key_id, "hmac-sha256", SIGNER.verifying)
    assert refusal(signed(forger)) == "wrong_algorithm"
    assert refusal(signed(forger, alg="ed25519")) == "signature_invalid"


def test_a_secret_is_no_public_key() -> None:
    forger = Signer(SECRET.key_id, "ed25519", SECRET.material)
    assert refusal(signed(forger), SECRET) == "wrong_algorithm"
    assert refusal(signed(forger, alg="hmac-sha256"), SECRET) == "signature_invalid"


@pytest.mark.parametrize("algorithm", ["ed25519", "hmac-sha256"])
def test_another_key_is_none(algorithm: Algorithm) -> None:
    stranger = Signer.new(SIGNER.key_id, algorithm)
    assert refusal(signed(stranger), Signer.new(SIGNER.key_id, algorithm)) == "signature_invalid"


HEADERS: dict[str, tuple[dict[str, tuple[str, ...]], str]] = {
    "no signature": ({"signature": ()}, "signature_required"),
    "no input": ({"signature-input": ()}, "signature_required"),
    "both empty": ({"signature": ("",), "signature-input": ("",)}, "malformed_signature"),
    "an item": ({"signature-input": ("sig=3",)}, "malformed_signature"),
    "a string": ({"signature-input": ('sig="abc"',)}, "malformed_signature"),
    "a list of nothing": ({"signature-input": ("sig=()",)}, "malformed_signature"),
    "not closed": ({"signature-input": ('sig=("@method"',)}, "malformed_signature"),
    "huge": ({"signature-input": ("sig=(" + '"@method" ' * 10_000 + ")",)}, "malformed_signature"),
    "deep": ({"signature-input": ("sig=" + "(" * 4_000,)}, "malformed_signature"),
    "not ASCII": ({"signature-input": ('sig=("ü")',)}, "malformed_signature"),
    "a zero": ({"signature-input": ('sig=("\0")',)}, "malformed_signature"),
    "a signature that is text": ({"signature": ('sig="abc"',)}, "signature_invalid"),
    "a short signature": ({"signature": ("sig=:AAAA:",)}, "signature_invalid"),
    "an empty signature": ({"signature": ("sig=::",)}, "signature_invalid"),
    "a huge signature": ({"signature": (f"sig=:{'A' * 5_000}:",)}, "malformed_signature"),
    "no base64": ({"signature": ("sig=:ü:",)}, "malformed_signature"),
    "another label": ({"signature": ("gis=:AAAA:",)}, "signature_invalid"),
    "a digest that is none": ({"content-digest": ("sha-256",)}, "signature_invalid"),
    "a huge key": ({"idempotency-key": ("x" * 5_000,)}, "malformed_signature"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_that_are_no_signature(case: str) -> None:
    changed, code = HEADERS[case]
    headers = {name: lines for name, lines in {**signed().headers, **changed}.items() if lines}
    assert refusal(replace(signed(), headers=headers)) == code


@pytest.mark.parametrize("name", ["signature", "signature-input", "content-digest", "idempotency-key"])
def test_a_header_that_counts_comes_once(name: str) -> None:
    message = signed()
    line = message.headers[name][0]
    twice = replace(message, headers={**message.headers, name: (line, line)})
    assert refusal(twice) == "malformed_signature"
    joined = replace(message, headers={**message.headers, name: (f"{line}, {line}",)})
    expected = "malformed_signature" if name == "signature-input" else "signature_invalid"
    assert refusal(joined) == expected


def test_two_signatures_are_one_too_many() -> None:
    message = signed()
    both = {
        name: (f"{message.headers[name][0]}, {message.headers[name][0].replace('sig=', 'two=', 1)}",)
        for name in ("signature", "signature-input")
    }
    assert refusal(replace(message, headers={**message.headers, **both})) == "malformed_signature"


@pytest.mark.parametrize(
    "digest",
    [
        "sha-256=:AAAA:",
        "sha-512=:AAAA:",
        "sha-256=1",
        'sha-256="x"',
        "sha-256",
        "sha-256=(:AAAA:)",
        f"{content_digest(BODY)}, sha-256=:AAAA:",
        "",
    ],
)
def test_a_signed_digest_has_to_be_that_of_the_body(digest: str) -> None:
    message = with_headers(signed(), {"Content-Digest": digest})
    message = with_headers(message, SIGNER.signature(covered(message), NOW_S))
    assert refusal(message) == "content_digest_mismatch"


def test_a_digest_may_stand_beside_others() -> None:
    message = with_headers(signed(), {"Content-Digest": f"sha-512=:AAAA:, {content_digest(BODY)}"})
    assert refusal(with_headers(message, SIGNER.signature(covered(message), NOW_S))) is None


ANY_HEADER = st.text(max_size=60) | st.text(st.sampled_from('sig=("@method");created1 :A?*,\\\t\n\x7fü'), max_size=60)


@settings(max_examples=150, deadline=None, database=None)
@given(st.sampled_from(["signature-input", "signature", "content-digest", "idempotency-key"]), ANY_HEADER)
def test_no_header_is_more_than_refused(name: str, text: str) -> None:
    message = signed()
    assert refusal(with_headers(message, {name: text})) or message.headers[name][0] == text.strip(" \t")


@settings(max_examples=80, deadline=None, database=None)
@given(st.data())
def test_no_bit_of_a_signature_can_be_changed(data: st.DataObject) -> None:
    message = signed()
    raw = bytearray(base64.b64decode(message.headers["signature"][0].removeprefix("sig=:").removesuffix(":")))
    bit = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[bit // 8] ^= 1 << bit % 8
    flipped = with_headers(message, {"Signature": f"sig=:{base64.b64encode(raw).decode()}:"})
    assert refusal(flipped) == "signature_invalid"


# --- what the gateway hands on


def event(**context: Any) -> dict[str, Any]:
    known = {"httpMethod": "POST", "path": "/api/v1/admin/me", "domainName": "abc.execute-api.eu-central-1.example"}
    return {
        "path": "/v1/admin/me",
        "requestContext": {**known, **context},
        "multiValueQueryStringParameters": {"b": ["2"], "a": ["1", "3"]},
        "headers": {"Signature": "last"},
        "multiValueHeaders": {"Signature": ["first", "last"]},
    }


def test_without_a_public_url_the_gateway_says_how_it_was_called() -> None:
    message = received(event(), b"{}", "")
    assert (message.authority, message.path) == ("abc.execute-api.eu-central-1.example", "/api/v1/admin/me")
    assert message.query == (("b", "2"), ("a", "1"), ("a", "3"))
    assert message.headers == {"signature": ("first", "last")}


@pytest.mark.parametrize(
    ("url", "authority", "path"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "/v1/admin/me"),
        ("https://Zeitnot.test:443/", "zeitnot.test", "/v1/admin/me"),
        ("https://zeitnot.test/base/", "zeitnot.test", "/base/v1/admin/me"),
    ],
)
def test_a_public_url_is_where_the_client_sent_it(url: str, authority: str, path: str) -> None:
    """What the gateway says of a host behind a proxy, and what a header says, is not what was signed."""
    message = received(event(domainName="forged.test"), b"", url)
    assert (message.authority, message.path) == (authority, path)
    sent = outgoing(url, "POST", "/v1/admin/me", {}, b"")
    assert (sent.authority, sent.path) == (authority, path)
