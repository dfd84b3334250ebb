"""Our own vectors of the clock, through the runner that also checks files from outside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import clock

CASES = Path(__file__).parents[1] / "cases" / "clock.json"
VECTORS: list[dict[str, Any]] = json.loads(CASES.read_text())["vectors"]


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["id"] for vector in VECTORS])
def test_case(vector: dict[str, Any]) -> None:
    assert clock.differences(vector) == []


def test_there_are_51_of_them() -> None:
    assert len({vector["id"] for vector in VECTORS}) == 51
