"""Attacks on every operation of the catalogue, so on those to come as well.

Whatever is sent, the answer is a problem document of the 4xx kind with a code that the operation declares, and the
game is what it was, to the byte.
"""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Final

import jwt
import pytest
from chalice.test import HTTPResponse
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chalicelib.catalogue import ENDPOINTS
from chalicelib.core.endpoint import NoBody, Operation
from chalicelib.core.ids import derived_id
from chalicelib.core.problems import PROBLEM_TYPE
from chalicelib.games import pairings, store
from chalicelib.games.item import GameItem
from chalicelib.ratings.model import Partition, Played
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from tests.desk.hand import Referee, referee
from tests.games.conftest import Hand
from tests.games.test_api import start
from tests.ratings.club import rated_anew

Door = Callable[..., Hand]

OPERATIONS: Final = [operation for endpoints in ENDPOINTS for operation in endpoints.operations]
POSTS: Final = [operation for operation in OPERATIONS if operation.method == "POST"]
WRITING: Final = [operation for operation in OPERATIONS if operation.method != "GET"]
GUARDED: Final = [operation for operation in OPERATIONS if operation.scope]
ALL_SCOPES: Final = "read play record"

QUERY: Final = {"a": "anna", "b": "bert,carl"}
"""Of parameters that cannot be left out."""

READING: Final = {"invalid_body", "body_too_large"}
"""Codes of every operation that has a body."""


def named(operations: list[Operation]) -> Any:
    return pytest.mark.parametrize("operation", operations, ids=[operation.name for operation in operations])


def of_club(founder: Hand) -> dict[str, str]:
    """A club and one of everything that can be in it; the same one for all tests, to which the founder is an admin."""
    if not _OF_CLUB:

        def made(path: str, **body: Any) -> str:
            answer = founder.post(path, body)
            assert answer.status_code == 201, answer.body
            return str(answer.json_body["id"])

        path = f"/v1/clubs/{made('/v1/clubs', name='Club', time_zone='Europe/Berlin')}"
        guest = made(f"{path}/guests", name="Guest")
        seats = {"a": [{"member": founder.player}], "b": [{"guest": guest}]}
        _OF_CLUB.update(
            club=path.rpartition("/")[2],
            member=founder.player,
            guest=guest,
            result=made(f"{path}/results", played_at="2026-01-01T00:00:00Z", **seats),
            event=made(f"{path}/events", name="Event"),
            season=made(f"{path}/seasons", name="Season", first_day="2026-01-01", last_day="2026-12-31"),
            partition=f"club:{path.rpartition('/')[2]}",
            partner="partner",
        )
        rated = Played(0, "rated", (founder.player, "partner"), ("bert", "carl"), "A")
        rated_anew(Partition("CLUB", _OF_CLUB["club"]), [rated])
    return _OF_CLUB


_OF_CLUB: Final[dict[str, str]] = {}


@dataclass(frozen=True)
class Target:
    """A game and one of its players, what is stored of it, the founder of a club, and an operator of the server."""

    game: str
    hand: Hand
    founder: Hand
    operator: Referee

    def send(self, operation: Operation, body: bytes = b"", **headers: str) -> HTTPResponse:
        return self.send_to(self.path(operation), operation, body, **headers)

    def send_to(self, path: str, operation: Operation, body: bytes = b"", **headers: str) -> HTTPResponse:
        hand = self.founder if "{club}" in operation.path else self.hand
        known = {"Authorization": f"Bearer {hand.token}", "Idempotency-Key": "key"}
        sent = {**known, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if operation.role:
            sent |= self.operator.signature(operation.method, path, body, sent)
        return self.hand.client.http.request(operation.method, path, headers=sent, body=body)

    def path(self, operation: Operation, **query: str) -> str:
        """Where the operation is, with what its query needs and what is wanted of it."""
        known = {"game_id": self.game, "player": self.hand.player, "code": "30-30-1", "window": "nosuchwindow"}
        parts = set(re.findall(r"{(\w+)}", operation.path))
        path = operation.path.format(**known, **(of_club(self.founder) if parts - known.keys() else {}))
        needed = {name: value for name, value in QUERY.items() if name in operation.query.__struct_fields__}
        sent = "&".join(f"{name}={value}" for name, value in (needed | query).items())
        return f"{path}?{sent}" if sent else path

    @contextmanager
    def untouched(self) -> Iterator[None]:
        before = self._stored()
        yield
        assert self._stored() == before

    def _stored(self) -> dict[str, Any]:
        return dict(GameItem.get(self.game, consistent_read=True).attribute_values)


@pytest.fixture
def target(door: Door) -> Target:
    """A running game with a draw offer by the opponent, so that every act could do something."""
    game, white, black = start(door)
    assert black.post(f"/v1/games/{game}/draw-offer", {"ply": 0}).status_code == 200
    operator = referee(white.client)
    return Target(game, door(white.player, scope=ALL_SCOPES), door("founder", scope=ALL_SCOPES), operator)


def problem(answer: HTTPResponse, case: object = "") -> dict[str, Any]:
    """The problem document of a refusal that is the client's own fault."""
    assert 400 <= answer.status_code < 500, (case, answer.status_code, answer.body[:300])
    assert answer.headers["Content-Type"] == PROBLEM_TYPE, case
    document: dict[str, Any] = json.loads(answer.body)
    assert document["status"] == answer.status_code, case
    assert document["title"] == HTTPStatus(answer.status_code).phrase, case
    assert document["code"] and document["detail"], case
    return document


# --- bodies

NOT_JSON: Final = {
    "open": b"{",
    "a word": b"move",
    "two documents": b"{} {}",
    "not UTF-8": b'{"\xff": 1}',
    "a byte order mark": b"\xef\xbb\xbf{}",
    "UTF-16": '{"ply": 0}'.encode("utf-16"),
    "NaN": b'{"ply": NaN, "move": "e2e4"}',
    "nested": b"[" * 10_000,
    "nested objects": b'{"a":' * 3_000,
    "a lone surrogate": b'{"move": "\\ud800", "ply": 0}',
    "nothing but zeros": b"\0" * 100,
}
NOT_OBJECTS: Final = {"an array": b"[]", "null": b"null", "a number": b"1e999", "text": b'"{}"', "true": b"true"}
UNKNOWN_FIELD: Final = {"an unknown field": b'{"no_such_field": 3}', "a known name in capitals": b'{"Ply": 0}'}


@named(WRITING)
def test_bodies_that_are_no_object_of_the_right_kind(target: Target, operation: Operation) -> None:
    with target.untouched():
        for case, body in {**NOT_JSON, **NOT_OBJECTS, **UNKNOWN_FIELD}.items():
            code = problem(target.send(operation, body), case)["code"]
            assert code == "invalid_body" or code.endswith("_required"), case


@named(WRITING)
def test_bodies_that_are_too_long(target: Target, operation: Operation) -> None:
    with target.untouched():
        for length in (operation.body_limit + 1, 2_000_000):
            refused = problem(target.send(operation, b" " * length), length)
            assert (refused["status"], refused["code"]) == (413, "body_too_large")
        assert problem(target.send(operation, b" " * operation.body_limit + b"x"))["status"] == 413
        assert problem(target.send(operation, b" " * operation.body_limit))["code"] == "invalid_body"


@named([operation for operation in OPERATIONS if operation.method == "GET"])
def test_readers_are_not_read_to(target: Target, operation: Operation) -> None:
    """The body of a GET means nothing; a long one is refused all the same."""
    # No window is opened here: it would stop the clocks of every other test.
    assert target.send(operation, b"{").status_code == (404 if "{window}" in operation.path else 200)
    assert problem(target.send(operation, b"x" * 2_000_000))["code"] == "body_too_large"


JSON_VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -1, 2**63, 1e308, 0.5])
    | st.text(max_size=80)
    | st.sampled_from(["e2e4", "30-30-1", "T3_1", "*lobby", "anna\n", "\0"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)


@named([operation for operation in WRITING if operation.body is not NoBody])
def test_fields_of_any_type(target: Target, operation: Operation) -> None:
    """Every field of the body takes every JSON value; what is accepted is a new game, never a change of this one."""
    fields = st.fixed_dictionaries({}, optional=dict.fromkeys(operation.body.__struct_fields__, JSON_VALUES))

    @settings(max_examples=25, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(fields)
    def attack(body: dict[str, Any]) -> None:
        answer = target.send(operation, json.dumps(body).encode())
        if answer.status_code not in operation.answers:
            code = problem(answer, body)["code"]
            assert code in {*operation.codes, *READING} or code.endswith("_required"), code

    attack()
    log = store.load(target.game).log.text.split()
    assert [word.partition("@")[0] for word in log[:2]] == ["Ab", "Ob"]


# --- the path

NO_LETTERS: Final = (
    "..",
    "%2e%2e",
    "ABCDEFGHJKMN",
    "abc",
    "a" * 13,
    "%C3%BC" * 12,
    "%00" * 12,
    "x" * 3_000,
    "%ED%A0%80",
)
NO_PERSON: Final = (
    "*lobby",
    "%2Alobby",
    "..",
    "anna%0A",
    "%0aanna",
    "a%20b",
    "%C3%BC",
    "%00",
    "a" * 65,
    "%ED%A0%80",
    "-a",
)
NO_NAME: Final = ("..", "%2e%2e", "-a", "a%20b", "%C3%BC", "%00", "a" * 65, "a%0A", "a%2Fb", "%ED%A0%80")
NO_IDS: Final = {
    "result": NO_NAME,
    **dict.fromkeys(("club", "event", "game_id", "guest", "season", "window"), NO_LETTERS),
    **dict.fromkeys(("member", "partner", "player"), NO_PERSON),
    "partition": (*NO_LETTERS, "pool:chess:bullet", "club:", "global:x", "season:abcdefghjkmn"),
}


@named([operation for operation in OPERATIONS if any(f"{{{name}}}" in operation.path for name in NO_IDS)])
def test_ids_that_can_be_none(target: Target, operation: Operation) -> None:
    good = target.path(operation)
    for number, part in enumerate(operation.path.split("/")):
        for made_up in NO_IDS.get(part.strip("{}"), ()) if part.startswith("{") else ():
            path = "/".join(made_up if place == number else text for place, text in enumerate(good.split("/")))
            refused = problem(target.send_to(path, operation, b"{}"), made_up)
            assert refused["status"] == 404, made_up
            name = part.strip("{}").removesuffix("_id").replace("partner", "member")
            assert refused["code"] == f"unknown_{name}", made_up
            assert refused["code"] in operation.codes


@named([operation for operation in OPERATIONS if "{game_id}" in operation.path])
def test_a_game_that_does_not_exist_is_not_made(target: Target, operation: Operation) -> None:
    body = {"ply": 0, "move": "e2e4", "reason": "fifty_moves", "result": "draw", "to_ms": 1}
    wanted = {name: value for name, value in body.items() if name in operation.body.__struct_fields__}
    path = operation.path.format(game_id="nosuchgame23")
    refused = problem(target.send_to(path, operation, json.dumps(wanted).encode()))
    assert (refused["status"], refused["code"]) == (404, "unknown_game")
    with pytest.raises(store.UnknownGame):
        store.load("nosuchgame23")


# --- the query

BAD_QUERIES: Final = {
    "since": ["-1", "1.5", "NaN", "1e400", "9" * 400, "", "0x10", "null", "%00", "true"],
    "limit": ["0", "-1", "100000", "NaN", "9" * 400, "", "many"],
    "format": ["", "xml", "PGN", "%00"],
    "event": ["", "x" * 65],
    "game": ["", "abc", "ABCDEFGHJKMN", "a" * 13, "%00" * 12, "abcdefghjkmn%0A"],
    "profile": ["", "-a", "a%20b", "x" * 33, "%00", "a%0A"],
    "actor": ["", "x" * 65, "%00", "a%0A"],
    "day": ["", "today", "2026-1-1", "2026-11-30%0A", "99999-01-01"],
    "lang": ["", "xx", "EN", "en%0A"],
    "cursor": ["!!!", "A", "%00", "a" * 500, "", "%C3%BC"],
    "projection": ["", "single", "PAIR", "%00"],
    "a": ["", ",", "anna,", ",bert", "anna,bert,carl", "*lobby", "a%20b", "%00", "a" * 65],
    "b": ["", "%C3%BC", "anna%0A", "anna;bert"],
}


def encoded(text: str | bytes) -> str:
    raw = text if isinstance(text, bytes) else text.encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


BAD_QUERIES["cursor"] += [
    encoded(entry)
    for entry in (
        *("ended#", "ended$", "ended#1#abcdefghjkmn", "ended#999999999999999#", "ended#999999999999999#ABCDEFGHJKMN"),
        *("running#", "running$", "running#zzz", "running#abcdefghjkmn\n", "\nrunning#abcdefghjkmn"),
        *("*lobby", "a", "zzz", "\0", "x" * 140, b"\xff\xfe", b"\xed\xa0\x80"),
    )
]


@named([operation for operation in OPERATIONS if operation.query.__struct_fields__])
def test_queries_that_mean_nothing(target: Target, operation: Operation) -> None:
    for name in operation.query.__struct_fields__:
        for value in BAD_QUERIES[name]:
            refused = problem(target.send_to(target.path(operation, **{name: value}), operation), (name, value))
            assert refused["code"] in ("invalid_query", "invalid_cursor"), (name, value)


@named([operation for operation in OPERATIONS if "cursor" in operation.query.__struct_fields__])
def test_a_cursor_of_one_list_opens_no_other(target: Target, operation: Operation) -> None:
    other = "ended#000000000000001#abcdefghjkmn" if "seeks" in operation.path else f"running#{target.game}"
    path = target.path(operation, cursor=encoded(other))
    assert problem(target.send_to(path, operation))["code"] == "invalid_cursor"


# --- headers


@pytest.mark.parametrize(
    "mark", ["", "*", '"', '"1', "1", '"99"', 'W/"99"', ",", '"1" "2"', "x" * 9_000, "\x7f", '"²"']
)
def test_marks_that_do_not_stand_get_the_whole_game(target: Target, mark: str) -> None:
    seen = target.hand.get(f"/v1/games/{target.game}", If_None_Match=mark)
    assert (seen.status_code, seen.json_body["version"]) == (200, 2)


@pytest.mark.parametrize("mark", ['"2"', 'W/"2"', '"1", "2"', ' "2" '])
def test_marks_that_stand_get_304(target: Target, mark: str) -> None:
    seen = target.hand.get(f"/v1/games/{target.game}", If_None_Match=mark)
    assert (seen.status_code, seen.body) == (304, b"")


@named([operation for operation in OPERATIONS if operation.needs_key])
def test_keys_that_are_none(target: Target, operation: Operation) -> None:
    for key in ("", "k" * 129, "schlüssel", "a\tb", "\x7f", "\u2028"):
        refused = problem(target.send(operation, b"{}", Idempotency_Key=key), key)
        # What cannot be sent as it was signed is refused for its signature already.
        unsigned = {"malformed_signature", "signature_invalid"} if operation.role else set()
        assert refused["code"] in ({"idempotency_key_invalid"} | unsigned if key else {"idempotency_key_required"}), key


CONTENT_TYPES: Final = ("text/plain", "application/xml", "multipart/form-data", "application/json; charset=latin-1", "")


@pytest.mark.parametrize("content_type", [*CONTENT_TYPES, "application/octet-stream", "nonsense", "image/png"])
def test_the_content_type_changes_nothing(target: Target, content_type: str) -> None:
    """Bodies are JSON whatever they are called; types that the gateway passes on as base64 among them."""
    with target.untouched():
        moves = next(operation for operation in POSTS if operation.name == "play_move")
        lower = {"content-type": content_type, "authorization": f"Bearer {target.hand.token}"}
        sent = target.hand.client.http.post(target.path(moves), headers=lower, body=b'{"ply": 0, "move": "e2e5"}')
        assert problem(sent)["code"] == "illegal_move"


# --- who is calling


def signed(issuer: Issuer, header: dict[str, Any] | None = None, *without: str, **claims: Any) -> str:
    """A token with any claims and the issuer's own signature."""
    now = int(time.time())
    usual = {"iss": ISSUER, "aud": AUDIENCE, "sub": "anna", "scope": ALL_SCOPES, "iat": now, "exp": now + 600}
    kept = {name: value for name, value in (usual | claims).items() if name not in without}
    payload = json.dumps(kept).encode()
    return jwt.PyJWS().encode(payload, issuer._key, algorithm="RS256", headers=header or {"kid": "local"})


def unsigned(header: str) -> str:
    return f"{encoded(header)}.e30.AAAA"


def bad_tokens(issuer: Issuer) -> dict[str, str]:
    """Authorization headers that name nobody."""
    stranger = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    good = signed(issuer)
    head, body, signature = good.split(".")
    claims = jwt.decode(good, options={"verify_signature": False})
    tokens = {
        "no token": "",
        "another key": jwt.encode(claims, stranger, algorithm="RS256", headers={"kid": "local"}),
        "another kid": signed(issuer, {"kid": "other"}),
        "no kid": signed(issuer, {"typ": "JWT"}),
        "no algorithm": jwt.encode(claims, None, algorithm="none", headers={"kid": "local"}),
        "public key as secret": jwt.encode(claims, "s" * 64, algorithm="HS256", headers={"kid": "local"}),
        "cut": f"{head}.{body}.{signature[:-8]}",
        "two of three": f"{head}.{body}",
        "expired": signed(issuer, exp=int(time.time()) - 60),
        "of the future": signed(issuer, nbf=int(time.time()) + 600),
        "for others": signed(issuer, aud="others"),
        "for nobody": signed(issuer, None, "aud"),
        "for a number": signed(issuer, aud=5),
        "by others": signed(issuer, iss="https://elsewhere.invalid"),
        "by a list": signed(issuer, iss=[ISSUER]),
        "by nobody": signed(issuer, None, "iss"),
        "of nobody": signed(issuer, None, "sub"),
        "of a number": signed(issuer, sub=7),
        "of the lobby": signed(issuer, sub="*lobby"),
        "of a line": signed(issuer, sub="anna\n"),
        "of a long name": signed(issuer, sub="a" * 65),
        "without end": signed(issuer, None, "exp"),
        "with an endless end": signed(issuer, exp=float("inf")),
        "a nested header": f"{encoded('[' * 5_000)}.e30.AAAA",
        "a nested payload": f"{head}.{encoded('[' * 5_000)}.{signature}",
        "a lone surrogate": unsigned('{"alg": "RS256", "kid": "\\ud800"}'),
        "a number as kid": unsigned('{"alg": "RS256", "kid": 5}'),
        "a number as algorithm": unsigned('{"alg": 5, "kid": "local"}'),
        "an array as header": unsigned("[]"),
        "not ASCII": "ü.ü.ü",
        "long": "a" * 9_000,
    }
    return {"nothing": "", "basic": "Basic YW5uYTo=", **{name: f"Bearer {token}" for name, token in tokens.items()}}


def test_tokens_that_name_nobody(target: Target, issuer: tuple[Issuer, str]) -> None:
    resign = next(operation for operation in POSTS if operation.name == "resign")
    with target.untouched():
        for case, header in bad_tokens(issuer[0]).items():
            refused = target.send(resign, b"{}", Authorization=header)
            assert problem(refused, case)["status"] == 401, case
            assert refused.headers["WWW-Authenticate"] == "Bearer"
            assert problem(refused)["code"] in ("token_required", "token_expired", "invalid_token"), case


def test_a_token_of_the_right_kind_is_accepted(target: Target, issuer: tuple[Issuer, str]) -> None:
    """So the tokens above are refused for what is wrong with them."""
    listing = next(operation for operation in GUARDED if operation.name == "list_my_games")
    for token in (
        signed(issuer[0]),
        signed(issuer[0], aud=["others", AUDIENCE]),
        signed(issuer[0], scope="zeitnot/read"),
    ):
        assert target.send(listing, Authorization=f"Bearer {token}").status_code == 200


@named(GUARDED)
def test_nobody_gets_past_without_token_or_scope(
    target: Target, issuer: tuple[Issuer, str], operation: Operation
) -> None:
    others = {"read": "", "play": "read record", "record": "read play bot"}[operation.scope or ""]
    with target.untouched():
        assert problem(target.send(operation, b"{", Authorization=""))["code"] == "token_required"
        for scope in (others, f"{operation.scope}s", f"x{operation.scope}", [operation.scope], None):
            token = signed(issuer[0], sub=target.hand.player, scope=scope)
            refused = problem(target.send(operation, b"{", Authorization=f"Bearer {token}"), scope)
            assert (refused["status"], refused["code"]) == (403, "scope_required"), scope


@named([operation for operation in POSTS if operation.path.startswith("/v1/games/")])
def test_a_stranger_changes_nothing(target: Target, door: Door, operation: Operation) -> None:
    stranger = replace(target, hand=door("stranger", scope=ALL_SCOPES))
    body = {"ply": 0, "move": "e2e4", "reason": "fifty_moves"}
    wanted = {name: value for name, value in body.items() if name in operation.body.__struct_fields__}
    with target.untouched():
        refused = problem(stranger.send(operation, json.dumps(wanted).encode()))
        assert (refused["status"], refused["code"]) == (403, "not_a_player")


# --- pairings

BOARDS: Final = [{"white": "anna", "black": "bert"}]
IMPOSSIBLE: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "no boards": ({"boards": []}, "invalid_body"),
    "too many boards": ({"boards": BOARDS * 501}, "invalid_body"),
    "one against themselves": ({"boards": [{"white": "anna", "black": "anna"}]}, "impossible_pairing"),
    "the lobby": ({"boards": [{"white": "*lobby", "black": "anna"}]}, "invalid_body"),
    "a line as a player": ({"boards": [{"white": "anna\n", "black": "bert"}]}, "invalid_body"),
    "no board at all": ({"boards": [{}]}, "white_required"),
    "an illegal set-up": ({"boards": [BOARDS[0], {"white": "carl", "black": "dora", "setup": "8/8"}]}, "illegal_setup"),
    "an unknown profile": ({"profile": "T3_2"}, "unknown_profile"),
    "an unknown kind": ({"kind": "shogi"}, "unknown_kind"),
    "an event without a name": ({"event": ""}, "invalid_body"),
    "an event of two lines": ({"event": 'Open"]\n[Result "1-0'}, "invalid_body"),
    "an event with a line end": ({"event": "Open\n"}, "invalid_body"),
    "an event of zeros": ({"event": "\0"}, "invalid_body"),
    "a release in the past": ({"release_at_ms": 0}, "impossible_pairing"),
    "a release after the end of time": ({"release_at_ms": 10**15}, "invalid_body"),
    "a guillotine in the past": ({"guillotine_at_ms": 0}, "impossible_pairing"),
    "a guillotine at the release": (
        {"release_at_ms": 32_000_000_000_000, "guillotine_at_ms": 32_000_000_000_000},
        "impossible_pairing",
    ),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_pairings_that_cannot_be_make_no_game_at_all(door: Door, case: str) -> None:
    changes, code = IMPOSSIBLE[case]
    arbiter = door("arbiter", scope="record")
    refused = arbiter.post("/v1/pairings", {"event": "Open", "profile": "T3_1", "boards": BOARDS, **changes}, key=case)
    assert problem(refused)["code"] == code
    assert pairings.find(derived_id("pairing", arbiter.player, case)) is None
