"""The audit log is only ever added to."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from infra.project import ROOT


def statements() -> Iterator[tuple[str, set[str]]]:
    """Each policy by its file, with what it allows to be done to the desk table."""
    for path in sorted((ROOT / ".chalice").glob("policy-*.json")):
        allowed: set[str] = set()
        for statement in json.loads(path.read_text())["Statement"]:
            resource = json.dumps(statement["Resource"])
            if "Desk" in resource or resource == '"*"':
                allowed |= set(statement["Action"])
        yield path.name, allowed


@pytest.mark.parametrize(("policy", "allowed"), list(statements()))
def test_no_function_may_delete_from_the_desk_table(policy: str, allowed: set[str]) -> None:
    assert not {action for action in allowed if "Delete" in action or "BatchWrite" in action or "*" in action}


def test_the_api_may_add_to_it() -> None:
    assert "dynamodb:PutItem" in dict(statements())["policy-api.json"]


def test_nothing_in_the_program_changes_a_line() -> None:
    """Lines are written by one function, with the condition that there is none."""
    text = (ROOT / "chalicelib" / "desk" / "audit.py").read_text()
    assert "save(_item(act), condition=AuditItem.entry.does_not_exist())" in text
    for path in (ROOT / "chalicelib").rglob("*.py"):
        words = path.read_text()
        assert "AuditItem(" not in words.replace("class AuditItem(", "") or path.name == "audit.py", path
        assert not any(f"AuditItem.{verb}" in words for verb in ("act.set", "delete", "batch_write")), path
