"""Shadow runs over whole exports: ten thousand games without a difference; among a thousand, every planted fault."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest

from infra.migrate.__main__ import main
from tests.migration.exports import NOW, Game, legacy_games, write
from tests.migration.test_shadow import FAULTS, a_game

AT = f"--at={NOW}"


def test_ten_thousand_games_do_not_differ(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "games.csv.gz", legacy_games(10_000, longest=4))
    assert main(["shadow", str(file), AT]) == 0
    assert "10000 running games: 10000 with the same deadline, 0 differ; 0 cannot" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["shadow", "verify"])
def test_all_planted_faults_are_found_and_nothing_else(command: str, tmp_path: Path) -> None:
    planted: dict[str, str] = {}
    games: list[Game] = legacy_games(1_000, longest=4)
    for number, (plant, code) in enumerate(FAULTS.values()):
        game = a_game()
        changed = {name: value for name, value in (game | plant(game)).items() if value is not None}
        planted[f"F-{number}"] = code
        games.append(changed | {"id": f"F-{number}"})
    random.Random(3).shuffle(games)
    report = tmp_path / "report.jsonl"
    file = write(tmp_path / "games.jsonl", [*games, games[0] | {"code": "T3_9"}, games[1]])
    assert main([command, str(file), AT, f"--report={report}"]) == 1
    found = [msgspec.json.decode(line) for line in report.read_text().splitlines()]
    unreadable = {(one["row"], one["field"]) for one in found if one["code"] == "unreadable"}
    assert unreadable == {(len(games) + 1, "code"), (len(games) + 2, "id")}
    differing = {(one["id"], one["code"]) for one in found if one["code"] != "unreadable"}
    assert differing >= set(planted.items())
    assert {name for name, _ in differing} == planted.keys()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("missing.csv", None),
        ("half.csv.gz", b"\x1f\x8b\x08\x00half"),
        ("latin.csv", "id,status\nG-ü,finished\n".encode("latin-1")),
    ],
)
def test_a_file_that_cannot_be_read_is_no_export(
    name: str, content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert main(["shadow", str(tmp_path / name)]) == 2
    assert name in capsys.readouterr().err


def test_a_folder_is_no_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert "cannot be read" in capsys.readouterr().err
