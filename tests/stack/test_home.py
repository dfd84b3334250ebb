"""Who holds a state folder, and what a run that died leaves behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.core.time import TimeSource
from infra.local.__main__ import main
from infra.local.home import AlreadyRunning, Home
from infra.local.stack import NotRunning, RunningStack
from infra.local.virtual_time import as_parameters
from infra.project import ROOT

HOLD = """
import sys
from pathlib import Path
from chalicelib.core.time import TimeSource
from infra.local.__main__ import main
from infra.local.home import Home
home = Home(Path(sys.argv[1]))
with home.claimed():
    home.record(pid=1, url="http://somewhere")
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that holds the folder."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_second_run_is_refused_and_told_who_runs(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    home = Home(tmp_path)
    try:
        with pytest.raises(AlreadyRunning), home.claimed():
            pytest.fail("two runs hold one folder")
        assert home.recorded() == {"pid": 1, "url": "http://somewhere"}
    finally:
        end(holder)


def test_a_killed_run_holds_nothing_although_its_record_stays(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    home = Home(tmp_path)
    end(holder)

    assert json.loads((tmp_path / "run.json").read_text())["pid"] == 1
    assert home.recorded() is None
    with home.claimed():
        assert home.is_claimed()


def test_the_record_goes_with_the_run(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.claimed():
        home.record(pid=2)

    assert not (tmp_path / "run.json").exists()


def test_a_stack_that_is_still_starting_is_no_stack(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    try:
        with pytest.raises(NotRunning):
            RunningStack.find(tmp_path)
    finally:
        end(holder)


def test_fresh_removes_the_state_and_nothing_else(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.engine.mkdir(parents=True)
    home.virtual_time.write_text("{}")
    (tmp_path / "build").mkdir()

    assert main(["fresh", "--home", str(tmp_path)]) == 0

    assert not home.state.exists()
    assert (tmp_path / "build").exists()
    assert main(["fresh", "--home", str(tmp_path)]) == 0


def test_fresh_removes_nothing_under_a_run(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    home = Home(tmp_path)
    home.virtual_time.write_text("{}")
    try:
        assert main(["fresh", "--home", str(tmp_path)]) == 1
        assert home.virtual_time.exists()
    finally:
        end(holder)


def test_fresh_leaves_a_folder_that_is_none_of_ours(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()

    assert main(["fresh", "--home", str(tmp_path)]) == 0
    assert (tmp_path / "state").exists()


def test_status_says_how_far_game_time_is_ahead(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = Home(tmp_path)
    day_ahead = TimeSource(1, 0, 86_400_000)
    with home.claimed():
        home.record(pid=1, engine_pid=2, url="http://u", endpoint="http://e", parameters=as_parameters(day_ahead))
        assert main(["status", "--home", str(tmp_path)]) == 0

    assert "1 days 0 h 0 min ahead of real time\n(back" in capsys.readouterr().out
