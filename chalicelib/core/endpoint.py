"""Endpoints: one decorator that checks the caller, reads the request, calls the function, and writes the answer.

A slice declares its endpoints on an `Endpoints`; that registers the Chalice route and remembers what the OpenAPI
document needs, so that routes and document cannot drift apart. Endpoint functions see typed values only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final, Generic, TypeVar
from urllib.parse import unquote

import msgspec
from botocore.exceptions import BotoCoreError, ClientError
from chalice.app import Blueprint, CORSConfig, Response
from msgspec import Struct, field
from msgspec.structs import replace
from pynamodb.exceptions import PynamoDBException

from chalicelib.core.allowed import allowed
from chalicelib.core.database import Contention
from chalicelib.core.identity import PLAYER_ID, Caller, Scope, caller
from chalicelib.core.ids import ENTITY_ID, GAME_ID, RESULT_ID
from chalicelib.core.logging import log
from chalicelib.core.problems import PROBLEM_TYPE, Problem
from chalicelib.core.settings import settings
from chalicelib.core.signing import Admin, Message, Role, received

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
PGN: Final = "application/x-chess-pgn"
SMALL_BODY: Final = 16 * 1024
LONGEST_KEY: Final = 128
_SHOWN: Final = 40

_BROWSERS: Final = CORSConfig(
    allow_origin="*",
    allow_headers=[
        *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match"),
        *("Content-Digest", "Signature", "Signature-Input"),
    ],
    expose_headers=["ETag", "Link", "Location", "Retry-After"],
    max_age=3600,
)
"""Pages of any origin may call: callers are known by their tokens, never by cookies."""

Body = TypeVar("Body")
Query = TypeVar("Query")


class NoBody(msgspec.Struct, forbid_unknown_fields=True):
    """An empty body; `{}` and nothing at all are both accepted."""


class NoQuery(msgspec.Struct):
    """No query parameters."""


class Request(Struct, Generic[Body, Query], frozen=True):
    """What an endpoint function gets. `now_ms` is the instant of receipt in game time; `admin` has signed it, where the
    operation has a role."""

    player: str
    body: Body
    query: Query
    headers: Mapping[str, str]
    now_ms: int
    admin: Admin | None = None


class Answer(Struct, frozen=True):
    """A successful answer; `body` is a msgspec struct or JSON value, or text when `content_type` is not JSON."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = JSON


AnswerType = type[msgspec.Struct] | str


class Operation(Struct, frozen=True):
    """One endpoint as data.

    `scope` None: open to everybody, unless it has a `role`. Then requests have to be signed by somebody with that role,
    or by an operator. `answers` maps statuses to body types, or to content types for text; a tuple where there is a
    choice. `codes` are the problem codes it may answer with beyond those of identity, request reading and a database
    that does not answer. `takes_version` says that If-Match may name the version that the sender has seen.
    """

    method: str
    path: str
    scope: Scope | None
    answers: Mapping[int, AnswerType | tuple[AnswerType, ...]]
    body: type[msgspec.Struct] = NoBody
    query: type[msgspec.Struct] = NoQuery
    codes: tuple[str, ...] = ()
    needs_key: bool = False
    takes_version: bool = False
    role: Role | None = None
    body_limit: int = SMALL_BODY
    summary: str = ""
    name: str = ""


Admission = Callable[[Message, Role], Admin]
"""Who has signed a message, if they have the role. Raises a Problem if not."""


class Endpoints:
    """The endpoints of a slice: a Chalice blueprint, and the operations declared on it.

    `admission` decides about the requests of operations with a role; without one there can be no such operations.
    """

    def __init__(self, import_name: str, admission: Admission | None = None) -> None:
        self.blueprint = Blueprint(import_name)
        self._admission = admission
        self.operations: list[Operation] = []

    def add(self, operation: Operation) -> Callable[[Callable[..., Answer]], Callable[..., Response]]:
        """Declare an endpoint; the first line of the function's docstring becomes its summary."""

        def declare(function: Callable[..., Answer]) -> Callable[..., Response]:
            summary = (function.__doc__ or "").strip().partition("\n")[0]
            declared = replace(operation, summary=summary, name=function.__name__)
            self.operations.append(declared)
            handler = self._handler(declared, function)
            route = self.blueprint.route(
                operation.path, methods=[operation.method], content_types=["*/*"], cors=_BROWSERS
            )
            return route(handler)  # type: ignore[no-any-return]

        return declare

    def _handler(self, operation: Operation, function: Callable[..., Answer]) -> Callable[..., Response]:
        def handle(**path: str) -> Response:
            try:
                plain = {name: _path_part(name, value) for name, value in path.items()}
                response, code = _written(function(self._request(operation), **plain)), ""
            except Exception as error:
                problem = error if isinstance(error, Problem) else _unexpected(error)
                response, code = _refused(problem), problem.code
            log().info(operation.name, extra={"status": response.status_code, "code": code, "path": path})
            return response

        handle.__name__ = function.__name__
        return handle

    def _request(self, operation: Operation) -> Request[Any, Any]:
        received_ms = settings().time.now_ms()
        incoming = self.blueprint.current_request
        raw = _bytes(incoming.raw_body)
        admin = self._admitted(operation, incoming, raw)
        known = _authorised(operation, incoming.headers.get("authorization"))
        if operation.needs_key:
            idempotency_key(incoming.headers)
        return Request(
            player=known.player if known else "",
            body=_body(operation, raw),
            query=_query(operation, incoming.query_params or {}),
            headers=incoming.headers,
            now_ms=received_ms,
            admin=admin,
        )

    def _admitted(self, operation: Operation, incoming: Any, raw: bytes) -> Admin | None:
        """Who signed the request. What could not be signed for its form is told so first."""
        if operation.role is None:
            return None
        if self._admission is None:
            raise TypeError(f"{operation.name} has a role, and its endpoints have no admission")
        _check_length(operation, raw)
        if operation.needs_key:
            idempotency_key(incoming.headers)
        return self._admission(received(incoming.to_original_event(), raw, settings().public_url), operation.role)


def idempotency_key(headers: Mapping[str, str]) -> str:
    """The key of an act that its content cannot identify. Raises a 400 Problem without a usable one."""
    key = headers.get("idempotency-key", "")
    if not key:
        raise Problem(400, "idempotency_key_required", "send an Idempotency-Key header, a new one for each new act")
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Problem(
            400, "idempotency_key_invalid", f"an Idempotency-Key has up to {LONGEST_KEY} printable ASCII characters"
        )
    return key


def _authorised(operation: Operation, authorization: str | None) -> Caller | None:
    if operation.scope is None:
        return None
    known = caller(authorization)
    if not known.may(operation.scope):
        raise Problem(403, "scope_required", f"the token lacks the scope {operation.scope!r}")
    return known


_MISSING_FIELD: Final = re.compile(r"missing required field `(\w+)`")
_PLACE: Final = re.compile(r" - at `(\$[^`]*)`$")


def _bytes(raw: str | bytes) -> bytes:
    return raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")


def _check_length(operation: Operation, raw: bytes) -> None:
    if len(raw) > operation.body_limit:
        raise Problem(413, "body_too_large", f"the body may have up to {operation.body_limit} bytes")


def _body(operation: Operation, raw: bytes) -> Any:
    _check_length(operation, raw)
    if operation.method == "GET":
        return operation.body()
    try:
        return msgspec.json.decode(raw or b"{}", type=operation.body)
    except (msgspec.ValidationError, msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise _unreadable(error, "body", operation.body) from error


def _query(operation: Operation, parameters: Mapping[str, str]) -> Any:
    try:
        return msgspec.convert(dict(parameters), operation.query, strict=False)
    except msgspec.ValidationError as error:
        raise _unreadable(error, "query", operation.query) from error


def _unreadable(error: Exception, part: str, kind: type[msgspec.Struct]) -> Problem:
    missing, place = _MISSING_FIELD.search(str(error)), _PLACE.search(str(error))
    code = f"{missing[1]}_required" if missing else f"invalid_{part}"
    choice = allowed(kind, place[1]) if place else []
    return Problem(400, code, f"{part}: {error}" + (f"; allowed: {', '.join(choice)}" if choice else ""))


_PATH_PARTS: Final = {
    "club": (re.compile(ENTITY_ID), "unknown_club"),
    "event": (re.compile(ENTITY_ID), "unknown_event"),
    "game_id": (re.compile(GAME_ID), "unknown_game"),
    "guest": (re.compile(ENTITY_ID), "unknown_guest"),
    "member": (re.compile(PLAYER_ID), "unknown_member"),
    "partner": (re.compile(PLAYER_ID), "unknown_member"),
    "player": (re.compile(PLAYER_ID), "unknown_player"),
    "season": (re.compile(ENTITY_ID), "unknown_season"),
    "window": (re.compile(rf"{ENTITY_ID}|silence-[0-9]{{1,15}}"), "unknown_window"),
    "result": (re.compile(RESULT_ID), "unknown_result"),
}


def _path_part(name: str, text: str) -> str:
    """A part of the path as meant; gateways pass it on as it was sent. Raises a 404 Problem for what can be no id."""
    plain = unquote(text)
    if name in _PATH_PARTS:
        pattern, code = _PATH_PARTS[name]
        if not pattern.fullmatch(plain):
            raise Problem(404, code, f"{plain[:_SHOWN]!r} cannot be a {name}")
    return plain


def _unexpected(error: Exception) -> Problem:
    """What a client is told of a failure that is not its own: the database is busy, or something is wrong here."""
    log().exception("failed")
    if isinstance(error, PynamoDBException | BotoCoreError | ClientError | Contention):
        return Problem(503, "store_unavailable", "the database did not answer; try again", headers={"Retry-After": "1"})
    return Problem(500, "internal_error", "something went wrong here; asking again is safe")


def _written(answer: Answer) -> Response:
    if answer.status in (HTTPStatus.NOT_MODIFIED, HTTPStatus.NO_CONTENT):
        return Response("", status_code=answer.status, headers=dict(answer.headers))
    is_text = isinstance(answer.body, str)
    body = answer.body if is_text else msgspec.json.encode(answer.body).decode()
    return Response(body, status_code=answer.status, headers={"Content-Type": answer.content_type, **answer.headers})


def _refused(problem: Problem) -> Response:
    body = msgspec.json.encode(problem.document()).decode()
    return Response(body, status_code=problem.status, headers={"Content-Type": PROBLEM_TYPE, **problem.headers})
