"""The OpenAPI 3.1 document, from the operations as they are declared. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, get_args

import msgspec
from msgspec import Struct

from chalicelib.core.endpoint import JSON, LONGEST_KEY, NoBody, NoQuery, Operation
from chalicelib.core.identity import Caller, Scope
from chalicelib.core.problems import PROBLEM_TYPE
from chalicelib.core.signing import LONGEST_WINDOW, TAG
from chalicelib.games.answers import SHOWING_THE_GAME
from chalicelib.games.views import GameView
from chalicelib.reference.codes import CODES, IDENTITY, SIGNED

Document = dict[str, Any]
Kind = type[msgspec.Struct] | str
"""A struct that is answered as JSON, or the content type of a text."""

VERSION: Final = "0.1.0"

_REFS: Final = "#/components/schemas/{name}"
"""Refusals that bring the game along."""

_PATH_PARAMETERS: Final = {
    "club": "id of a club",
    "code": "code of a profile, for instance 30-30-1",
    "event": "id of an event",
    "game_id": "id of a game, which is that of its invitation as well",
    "guest": "id of a guest of the club",
    "member": "a member, as the claim sub of a token would name them",
    "partition": "global, club:ID, event:ID, season:CLUB:ID or pool:KIND:TIME CLASS, as in pool:chess:rapid",
    "partner": "the other member of the pair",
    "season": "id of a season of the club",
    "window": "id of a maintenance window, or of a silence of the scan",
    "result": "id of a result",
    "player": "a player, as the claim sub of a token names them",
}


_SIGNATURE: Final = (
    "HTTP Message Signatures (RFC 9421) with Ed25519 or HMAC-SHA256, in the headers Signature-Input and Signature. "
    "Covered are exactly `@method`, `@authority`, `@path`, each parameter of the query as `@query-param` by its name, "
    "`content-digest` (RFC 9530, sha-256) where there is a body, and the headers `idempotency-key` and `if-match` "
    "where they are sent. Parameters are exactly `created`, `expires` (at most "
    f"{LONGEST_WINDOW // 1_000} s later), `nonce` (16 to 64 letters, digits, - and _; never the same twice), `keyid`, "
    f"`alg` (`ed25519` or `hmac-sha256`) and `tag` (`{TAG}`)."
)


class ProblemDocument(msgspec.Struct):
    """What went wrong (RFC 9457). `code` is stable and meant for programs, `detail` for people."""

    type: str
    title: str
    status: int
    code: str
    detail: str


class UnknownCode(ValueError):
    """An operation answers with a problem code that the table of codes does not know."""


def openapi(sections: Mapping[str, Sequence[Operation]]) -> Document:
    """The document of all operations, each under the tag of its section. Raises UnknownCode.

    >>> openapi({"health": [Operation("GET", "/v1/health", None, {200: JSON}, name="health")]})["paths"].keys()
    dict_keys(['/v1/health'])
    """
    shapes = _shapes(operation for operations in sections.values() for operation in operations)
    paths: dict[str, Any] = {}
    for tag, operations in sections.items():
        for operation in operations:
            paths.setdefault(operation.path, {})[operation.method.lower()] = _described(operation, tag, shapes)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Zeitnot",
            "summary": "Correspondence games and their clocks",
            "description": (
                "Times are integers in milliseconds, instants count from the Unix epoch (UTC). Errors are problem "
                "documents with a stable `code`."
            ),
            "version": VERSION,
            "license": {"name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag} for tag in sections],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(shapes.components.items())),
            "securitySchemes": {
                "bearerAuth": {
                    "type": "http",
                    "scheme": "bearer",
                    "bearerFormat": "JWT",
                    "description": "The claim `sub` is the player, the claim `scope` the scopes, space separated.",
                },
                "messageSignature": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Signature",
                    "description": _SIGNATURE,
                },
            },
        },
    }


class _Shapes(Struct, frozen=True):
    """JSON schemas: of each struct (a reference), and what the references lead to."""

    schemas: dict[type[msgspec.Struct], Document]
    components: dict[str, Document]

    def properties(self, struct: type[msgspec.Struct]) -> dict[str, Document]:
        """The JSON schemas of a struct's fields."""
        _, own = _schemas_of([struct])
        properties: dict[str, Document] = own[struct.__name__]["properties"]
        return properties


def _shapes(operations: Iterable[Operation]) -> _Shapes:
    structs: dict[type[msgspec.Struct], None] = {ProblemDocument: None, GameView: None}
    for operation in operations:
        if operation.body is not NoBody:
            structs[operation.body] = None
        for answered in operation.answers.values():
            structs.update((kind, None) for kind in _alternatives(answered) if not isinstance(kind, str))
    schemas, components = _schemas_of(list(structs))
    return _Shapes(dict(zip(structs, schemas, strict=True)), components)


def _schemas_of(structs: list[type[msgspec.Struct]]) -> tuple[tuple[Document, ...], dict[str, Document]]:
    schemas, components = msgspec.json.schema_components(structs, ref_template=_REFS)
    for component in components.values():
        if "description" in component:
            component["description"] = component["description"].partition(">>>")[0].rstrip()
    return schemas, components


def _alternatives(answered: Kind | tuple[Kind, ...]) -> tuple[Kind, ...]:
    return answered if isinstance(answered, tuple) else (answered,)


def _described(operation: Operation, tag: str, shapes: _Shapes) -> Document:
    document: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "tags": [tag],
        "security": [{"messageSignature": []}] if operation.role else _tokens(operation),
    }
    if parameters := [*_path_parameters(operation), *_query_parameters(operation, shapes), *_headers(operation)]:
        document["parameters"] = parameters
    if operation.body is not NoBody:
        document["requestBody"] = {"required": True, "content": {JSON: {"schema": shapes.schemas[operation.body]}}}
    answers = {str(status): _answer(status, kind, shapes) for status, kind in operation.answers.items()}
    document["responses"] = answers | dict(_problems(operation, shapes))
    return document


def _tokens(operation: Operation) -> list[Document]:
    return [{"bearerAuth": [scope]} for scope in _sufficient(operation)]


def _sufficient(operation: Operation) -> list[str]:
    """The scopes each of which is enough, the one that is asked for first."""
    wanted = operation.scope
    if wanted is None:
        return []
    scopes: tuple[Scope, ...] = get_args(Scope)
    others = [scope for scope in scopes if scope != wanted and Caller("", frozenset({scope})).may(wanted)]
    return [wanted, *others]


# --- what goes in


def _path_parameters(operation: Operation) -> Iterator[Document]:
    for name in re.findall(r"{(\w+)}", operation.path):
        yield {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PATH_PARAMETERS[name],
            "schema": {"type": "string", "minLength": 1},
        }


def _query_parameters(operation: Operation, shapes: _Shapes) -> Iterator[Document]:
    if operation.query is NoQuery:
        return
    for name, schema in shapes.properties(operation.query).items():
        is_required = "default" not in schema
        yield {"name": name, "in": "query", "required": is_required, "schema": _without_null(schema)}


def _without_null(schema: Document) -> Document:
    """The schema of a parameter that is left out, never sent as null."""
    kinds = [kind for kind in schema.get("anyOf", []) if kind != {"type": "null"}]
    return kinds[0] if len(kinds) == 1 else schema


def _headers(operation: Operation) -> Iterator[Document]:
    if operation.needs_key:
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "required": True,
            "description": "a new one for each new act; the same one when a request is repeated",
            "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY, "pattern": "^[ -~]+$"},
        }
    if operation.takes_version:
        yield {
            "name": "If-Match",
            "in": "header",
            "required": False,
            "description": "the ETag of the version that the sender has seen, unless the body names it",
            "schema": {"type": "string"},
        }
    if HTTPStatus.NOT_MODIFIED in operation.answers:
        yield {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "description": "the ETag of the version at hand",
            "schema": {"type": "string"},
        }


# --- what comes out


def _answer(status: int, answered: Kind | tuple[Kind, ...], shapes: _Shapes) -> Document:
    answer: Document = {"description": HTTPStatus(status).phrase}
    if status == HTTPStatus.NOT_MODIFIED or any(_is_versioned(kind) for kind in _alternatives(answered)):
        answer["headers"] = {"ETag": _header("the version, in quotes")}
    if content := dict(_content(kind, shapes) for kind in _alternatives(answered) if kind):
        answer["content"] = content
    return answer


def _is_versioned(kind: Kind) -> bool:
    return not isinstance(kind, str) and "version" in kind.__struct_fields__


def _content(kind: Kind, shapes: _Shapes) -> tuple[str, Document]:
    if not isinstance(kind, str):
        return JSON, {"schema": shapes.schemas[kind]}
    return kind, {"schema": {"type": "object" if kind == JSON else "string"}}


def _header(description: str) -> Document:
    return {"description": description, "schema": {"type": "string"}}


def _problems(operation: Operation, shapes: _Shapes) -> Iterator[tuple[str, Document]]:
    by_status: dict[int, dict[str, str]] = {}
    for code in sorted(set(_codes(operation))):
        status, meaning = _status_and_meaning(operation, code)
        by_status.setdefault(status, {})[code] = meaning
    for status, meanings in sorted(by_status.items()):
        yield str(status), _problem(operation, status, meanings, shapes)


def _codes(operation: Operation) -> Iterator[str]:
    """All codes of an operation: its own, and those of identity and of reading the request."""
    yield "internal_error"
    yield from operation.codes
    if operation.scope is not None:
        yield from (*IDENTITY, "store_unavailable")
    if operation.role is not None:
        yield from (*SIGNED, "store_unavailable", "body_too_large")
    if operation.needs_key:
        yield from ("idempotency_key_required", "idempotency_key_invalid")
    if operation.method != "GET":
        yield from ("body_too_large", "invalid_body")
        yield from (f"{name}_required" for name in _required_fields(operation.body))
    if operation.query is not NoQuery:
        yield "invalid_query"
        yield from (f"{name}_required" for name in _required_fields(operation.query))


def _required_fields(struct: type[msgspec.Struct]) -> set[str]:
    """Names of the fields that a request cannot leave out, at whatever depth."""
    _, components = _schemas_of([struct])
    return {name for schema in components.values() for name in schema.get("required", ())}


def _status_and_meaning(operation: Operation, code: str) -> tuple[int, str]:
    field = code.removesuffix("_required")
    is_missing_field = field != code and field in _required_fields(operation.body) | _required_fields(operation.query)
    if is_missing_field and code not in operation.codes:
        return HTTPStatus.BAD_REQUEST, f"the field `{field}` is missing"
    if code not in CODES:
        raise UnknownCode(f"{operation.method} {operation.path} answers with {code!r}, which the table does not know")
    names_things = operation.needs_key or operation.method == "PATCH"
    return CODES[code].status_in(creation=names_things), CODES[code].meaning


def _problem(operation: Operation, status: int, meanings: Mapping[str, str], shapes: _Shapes) -> Document:
    members: Document = {"code": {"enum": list(meanings)}, "status": {"const": status}}
    if "{game_id}" in operation.path and SHOWING_THE_GAME & meanings.keys():
        members["game"] = shapes.schemas[GameView]
    problem: Document = {
        "description": "; ".join(f"`{code}`: {meaning}" for code, meaning in meanings.items()),
        "content": {
            PROBLEM_TYPE: {"schema": {"allOf": [shapes.schemas[ProblemDocument], {"properties": members}]}},
        },
    }
    if status == HTTPStatus.UNAUTHORIZED:
        scheme = "Signature" if operation.role else "Bearer"
        problem["headers"] = {"WWW-Authenticate": _header(f"always {scheme}")}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        problem["headers"] = {"Retry-After": _header("seconds to wait, where that is known")}
    return problem
