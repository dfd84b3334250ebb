"""The document describes what the app does: all of it, and nothing else."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from openapi_spec_validator import OpenAPIV31SpecValidator

from app import app
from chalicelib.catalogue import SECTIONS, document
from chalicelib.core.endpoint import Operation
from chalicelib.games.answers import SHOWING_THE_GAME, STATUS_OF_CODE
from chalicelib.games.export import GameRecord
from chalicelib.reference.codes import CODES
from chalicelib.reference.openapi import UnknownCode, openapi
from infra.local.openapi import KEPT, rendered
from infra.project import ROOT

DOCUMENT = document()
OPERATIONS = [operation for parts in SECTIONS.values() for part in parts for operation in part.operations]


def described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][operation.path][operation.method.lower()]
    return found


def codes_at(path: str, method: str) -> dict[str, set[str]]:
    """The problem codes that the document gives an operation, by status."""
    found = {}
    for status, response in DOCUMENT["paths"][path][method]["responses"].items():
        if problem := response.get("content", {}).get("application/problem+json"):
            found[status] = set(problem["schema"]["allOf"][1]["properties"]["code"]["enum"])
    return found


def operation_named(name: str) -> Operation:
    return next(operation for operation in OPERATIONS if operation.name == name)


def test_it_is_valid_openapi() -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []


def test_the_kept_file_is_what_the_code_says() -> None:
    assert KEPT.read_text() == rendered(), "run `make openapi`"


def test_the_document_and_the_routes_of_the_app_are_the_same() -> None:
    routes = {(path, method) for path, methods in app.routes.items() for method in methods}
    paths = {(path, method.upper()) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert routes == paths


def test_every_operation_has_a_name_of_its_own_a_summary_and_a_tag() -> None:
    names = Counter(described(operation)["operationId"] for operation in OPERATIONS)
    assert [name for name, count in names.items() if count > 1] == []
    for operation in OPERATIONS:
        assert described(operation)["summary"]
        assert described(operation)["tags"][0] in SECTIONS


def test_every_schema_is_used() -> None:
    refs = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(DOCUMENT)))
    assert refs == set(DOCUMENT["components"]["schemas"])


def test_no_reader_of_the_document_meets_our_doctests() -> None:
    assert ">>>" not in rendered()


def test_the_version_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert DOCUMENT["info"]["version"] == project["version"]
    assert DOCUMENT["info"]["license"]["identifier"] == project["license"]["text"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_parameters_are_those_of_the_operation(operation: Operation) -> None:
    names = {(parameter["in"], parameter["name"]) for parameter in described(operation).get("parameters", [])}
    expected = {("path", name) for name in re.findall(r"{(\w+)}", operation.path)}
    expected |= {("query", name) for name in operation.query.__struct_fields__}
    expected |= {("header", "Idempotency-Key")} if operation.needs_key else set()
    expected |= {("header", "If-Match")} if operation.takes_version else set()
    expected |= {("header", "If-None-Match")} if 304 in operation.answers else set()
    assert names == expected


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_declared_answer_and_code_is_described(operation: Operation) -> None:
    codes = codes_at(operation.path, operation.method.lower())
    answers = set(described(operation)["responses"]) - set(codes)
    assert answers == {str(status) for status in operation.answers}
    assert set(operation.codes) <= set().union(*codes.values())
    assert codes["500"] == {"internal_error"}
    assert ("token_required" in codes.get("401", ())) == (operation.scope is not None)
    assert ("signature_required" in codes.get("401", ())) == (operation.role is not None)


def test_open_operations_need_no_token_and_others_name_the_scopes_that_are_enough() -> None:
    assert described(operation_named("read_time"))["security"] == []
    assert described(operation_named("play_move"))["security"] == [{"bearerAuth": ["play"]}, {"bearerAuth": ["bot"]}]
    assert described(operation_named("pair"))["security"] == [{"bearerAuth": ["record"]}]
    assert described(operation_named("read_game"))["security"][0] == {"bearerAuth": ["read"]}
    assert described(operation_named("list_keys"))["security"] == [{"messageSignature": []}]


def test_a_move_in_full() -> None:
    codes = codes_at("/v1/games/{game_id}/moves", "post")
    assert codes["400"] == {"invalid_body", "ply_required", "move_required"}
    assert codes["401"] == {"token_required", "token_expired", "invalid_token"}
    assert codes["403"] == {"scope_required", "not_a_player"}
    assert codes["404"] == {"unknown_game"}
    assert codes["413"] == {"body_too_large"}
    assert codes["422"] == {"illegal_move"}
    assert codes["503"] == {"busy", "clock_suspended", "issuer_unreachable", "store_unavailable"}
    assert {"already_played", "wrong_ply", "game_over"} <= codes["409"]
    conflict = described(operation_named("play_move"))["responses"]["409"]["content"]["application/problem+json"]
    assert conflict["schema"]["allOf"][1]["properties"]["game"] == {"$ref": "#/components/schemas/GameView"}


def test_the_same_code_has_another_status_where_something_is_created() -> None:
    assert "own_invitation" in codes_at("/v1/challenges", "post")["422"]
    assert "own_invitation" in codes_at("/v1/seeks/{game_id}/accept", "post")["409"]
    assert "unknown_profile" in codes_at("/v1/challenges", "post")["422"]
    assert "unknown_profile" in codes_at("/v1/profiles/{code}", "get")["404"]
    assert {"white_required", "boards_required"} <= codes_at("/v1/pairings", "post")["400"]


def test_a_game_may_be_not_modified_and_text_has_its_own_type() -> None:
    responses = described(operation_named("read_game"))["responses"]
    assert "content" not in responses["304"]
    assert responses["304"]["headers"]["ETag"]
    assert "application/x-ndjson" in described(operation_named("export_games"))["responses"]["200"]["content"]


def test_an_answer_in_one_of_two_types() -> None:
    exported = replace(operation_named("export_game"), answers={200: ("application/x-chess-pgn", GameRecord)})
    made = openapi({"games": [exported]})
    content = made["paths"][exported.path]["get"]["responses"]["200"]["content"]
    assert content["application/x-chess-pgn"]["schema"] == {"type": "string"}
    assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/GameRecord"}
    assert ">>>" not in json.dumps(made)


def test_a_code_unknown_to_the_table_is_refused() -> None:
    with pytest.raises(UnknownCode, match="lost_in_thought"):
        openapi({"games": [replace(operation_named("read_time"), codes=("lost_in_thought",))]})


def test_codes_that_no_operation_has_are_not_in_the_table() -> None:
    described_codes = {
        code
        for operation in OPERATIONS
        for codes in codes_at(operation.path, operation.method.lower()).values()
        for code in codes
    }
    assert set(CODES) <= described_codes


def problems_raised() -> Iterator[tuple[str, int, str]]:
    """Module, status and code of every problem that the app raises with both written out."""
    for path in sorted((ROOT / "chalicelib").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "Problem":
                continue
            status, code = (part.value if isinstance(part, ast.Constant) else None for part in node.args[:2])
            if isinstance(status, int) and isinstance(code, str):
                yield path.stem, status, code


def test_the_table_has_the_statuses_with_which_the_app_answers() -> None:
    raised = list(problems_raised())
    assert len(raised) > 10
    for module, status, code in raised:
        assert status in (CODES[code].status, CODES[code].at_creation), f"{module}: {code}"
    for code in SHOWING_THE_GAME:
        assert CODES[code].status == STATUS_OF_CODE.get(code, 409), code
