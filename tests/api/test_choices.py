"""Where only some values are allowed, a wrong one is answered with those that are: everywhere in the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from chalice.test import HTTPResponse
from msgspec import inspect

from chalicelib.catalogue import SECTIONS
from chalicelib.core.endpoint import Operation
from tests.desk.hand import referee
from tests.games.conftest import Hand

OPERATIONS = [operation for parts in SECTIONS.values() for part in parts for operation in part.operations]


def choices(place: inspect.Type, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Every place where there is a choice: its path, with "" for an element, and the values."""
    match place:
        case inspect.LiteralType(values):
            yield path, [str(value) for value in values]
        case inspect.EnumType(enum):
            yield path, [str(member.value) for member in enum]
        case inspect.StructType(_, fields):
            for field in fields:
                yield from choices(field.type, (*path, field.encode_name))
        case inspect.UnionType(kinds):
            for kind in kinds:
                yield from choices(kind, path)
        case inspect.ListType(item) | inspect.VarTupleType(item) | inspect.DictType(_, item):
            yield from choices(item, (*path, ""))
        case inspect.Metadata(inner):
            yield from choices(inner, path)


def holding(path: tuple[str, ...], value: Any) -> Any:
    """A document that holds `value` at the path, and nothing else."""
    if not path:
        return value
    inside = holding(path[1:], value)
    return {path[0]: inside} if path[0] else [inside]


CHOICES = [
    pytest.param(operation, part, path, values, id=f"{operation.name} {'.'.join(path)}")
    for operation in OPERATIONS
    for part, kind in (("body", operation.body), ("query", operation.query))
    for path, values in choices(inspect.type_info(kind))
]


def sent(door: Callable[..., Hand], operation: Operation, query: str, body: Any) -> HTTPResponse:
    hand = door("anna", scope="read play record")
    path = re.sub(r"{\w+}", "abcdefghjkmn", operation.path) + query
    headers = {"Authorization": f"Bearer {hand.token}", "Idempotency-Key": "k", "Content-Type": "application/json"}
    raw = json.dumps(body).encode()
    if operation.role:
        headers |= referee(hand.client).signature(operation.method, path, raw, headers)
    return hand.client.http.request(operation.method, path, headers=headers, body=raw)


@pytest.mark.parametrize(("operation", "part", "path", "values"), CHOICES)
def test_a_wrong_value_is_answered_with_the_right_ones(
    door: Callable[..., Hand], operation: Operation, part: str, path: tuple[str, ...], values: list[str]
) -> None:
    query = f"?{path[0]}=nonsense" if part == "query" else ""
    answer = sent(door, operation, query, holding(path, "nonsense") if part == "body" else None)
    problem = json.loads(answer.body)
    assert (answer.status_code, problem["code"]) == (400, f"invalid_{part}")
    assert problem["detail"].endswith(f"allowed: {', '.join(values)}"), problem["detail"]


def test_there_is_something_to_choose() -> None:
    """The list above is made from the catalogue; these have been there for long."""
    ids = {str(choice.id) for choice in CHOICES}
    assert {"claim_draw reason", "read_rules lang", "export_game format", "challenge colour"} <= ids


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"opponent": "bert", "profile": "nonsense"}, ["30-30-1", "3+2", "T<days>_1"]),
        ({"opponent": "bert", "profile": "30-30-1", "kind": "nonsense"}, ["chess", "chess960"]),
    ],
)
def test_a_wrong_name_is_answered_with_those_that_are_known(
    door: Callable[..., Hand], body: dict[str, str], named: list[str]
) -> None:
    detail = door("anna").post("/v1/challenges", body).json_body["detail"]
    assert all(name in detail for name in named), detail
