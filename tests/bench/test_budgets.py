"""The counts that the bench shows and that no machine changes: requests and write units of a move, reads of a scan."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.units import WriteUnits, item_bytes, read_units, write_units
from infra.project import ROOT

INDEX = ("shard", "deadline_ms")


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The figures of three parts, by part and name; the whole game for the writes, since its log is what grows."""
    out = tmp_path_factory.mktemp("bench") / "figures.json"
    subprocess.run([sys.executable, "-m", "bench", "writes", "--out", out], cwd=ROOT, check=True)
    whole = json.loads(out.read_text())["figures"]
    subprocess.run([sys.executable, "-m", "bench", "--small", "cpu", "flagfall", "--out", out], cwd=ROOT, check=True)
    few = json.loads(out.read_text())["figures"]
    return {part: {figure["name"]: figure["value"] for figure in some} for part, some in (whole | few).items()}


@pytest.mark.engine
@pytest.mark.parametrize("game", ["usual game", "largest terms"])
def test_a_move_is_one_read_and_one_write(figures: dict[str, dict[str, Any]], game: str) -> None:
    writes = figures["writes"]

    assert writes[f"{game}: plies"] == 80
    assert writes[f"{game}: reads per move"] == 1
    assert writes[f"{game}: writes per move"] == 1
    assert writes[f"{game}: other requests"] == 0


@pytest.mark.engine
@pytest.mark.parametrize("game", ["usual game", "largest terms"])
def test_a_move_costs_at_most_four_write_units_on_average(figures: dict[str, dict[str, Any]], game: str) -> None:
    units = figures["writes"][f"{game}: write units per move, mean"]

    assert 3 <= units <= 4
    assert units == figures["writes"][f"{game}: as the engine counts, table and index"]


@pytest.mark.engine
def test_the_handler_asks_the_wire_twice(figures: dict[str, dict[str, Any]]) -> None:
    assert figures["cpu"]["requests per move"] == 2


@pytest.mark.engine
def test_what_a_scan_reads_does_not_grow_with_the_running_games(figures: dict[str, dict[str, Any]]) -> None:
    few, many = ("20 among 40", "20 among 200")
    scans = figures["flagfall"]

    for name in (few, many):
        assert scans[f"{name}: flagged"] == scans[f"{name}: fanned out by the sweep"] == 20
        assert scans[f"{name}: failed"] == 0
        assert scans[f"{name}: GetItem, games"] == scans[f"{name}: UpdateItem, games"] == 20
    for what in ("read units of the queries", "read units of single items", "Query, games"):
        assert scans[f"{few}: {what}"] == scans[f"{many}: {what}"]


def test_the_larger_size_counts() -> None:
    small, large = {"id": {"S": "a"}}, {"id": {"S": "a" * 1023}}

    assert write_units(small, large, INDEX) == write_units(large, small, INDEX) == WriteUnits(table=2, index=0)


def test_an_entry_of_the_index_that_changes_is_two_writes() -> None:
    absent = {"id": {"S": "a"}}
    early = {**absent, "shard": {"S": "running0"}, "deadline_ms": {"N": "1"}}
    late = {**early, "deadline_ms": {"N": "2"}}

    assert [write_units(*change, INDEX).index for change in ((absent, early), (early, late), (late, absent))] == [
        1,
        2,
        1,
    ]


@pytest.mark.parametrize(
    ("number", "size"), [("0", 1), ("7", 2), ("1200", 2), ("12345", 4), ("-12", 3), ("1800000000001", 8), ("0.05", 2)]
)
def test_numbers_take_a_byte_for_two_significant_digits(number: str, size: int) -> None:
    assert item_bytes({"": {"N": number}}) == size


def test_reads_are_charged_by_four_kilobytes() -> None:
    item = {"id": {"S": "a" * 4095}}

    assert [read_units([item], consistent=True), read_units([item], consistent=False)] == [2, 1]


def test_the_arithmetic_that_is_measured_is_that_of_the_library(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    subprocess.run([sys.executable, "-m", "bench", "--small", "replay", "--out", out], cwd=ROOT, check=True)
    figures = {figure["name"]: figure["value"] for figure in json.loads(out.read_text())["figures"]["replay"]}

    assert figures["ratings differ from openskill's"] == 0
    assert figures["bytes a line"] < 1_000
