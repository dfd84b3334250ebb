"""The case files from outside, where they are at hand; they may not be committed.

They are looked for in a folder `shared` beside the repository, or where ZEITNOT_SHARED says.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conformance.__main__ import main

SHARED = Path(os.environ.get("ZEITNOT_SHARED") or Path(__file__).parents[2].parent / "shared")
EVERY = 60
"""All positions of the timeout file take minutes: `python -m tests.conformance timeout FILE`."""


def shared(name: str) -> Path:
    path = SHARED / "cases" / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand: set ZEITNOT_SHARED to the folder that holds cases/")
    return path


def test_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chess_games", str(shared("chess_games.jsonl"))]) == 0, capsys.readouterr().out
    assert capsys.readouterr().out == "300 passed, 0 failed\n"


def test_all_commands_to_a_clock(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["clock", str(shared("clock.json"))]) == 0, capsys.readouterr().out


def test_no_side_that_can_win_is_called_unable_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    positions = [line for line in shared("timeout/cha_test_vector.txt").read_text().splitlines() if line[:1] in "WB-"]
    some = tmp_path / "timeout.txt"
    some.write_text("\n".join(positions[::EVERY]))
    assert main(["timeout", str(some)]) == 0, capsys.readouterr().out
    counted = dict(line.rsplit(": ", 1) for line in capsys.readouterr().out.splitlines() if ": " in line)
    assert int(counted["of these recognised"]) >= 0.7 * int(counted["sides that cannot win"])


@pytest.mark.parametrize("kind", ["openskill", "glicko2"])
def test_all_vectors_of_the_ratings(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([kind, str(shared(f"{kind}.json"))]) == 0, capsys.readouterr().out
