"""The command line, as far as it needs no running stack."""

from __future__ import annotations

from pathlib import Path

import jwt
import pytest

from infra.local.__main__ import main
from infra.local.engine import listening
from infra.local.walkthrough import walkthrough
from infra.project import ROOT


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])

    assert {"deploy", "run", "status", "stop", "token"} <= set(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["fly", "engine", "door"])
def test_a_module_that_is_no_command_is_none(name: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name])

    assert ended.value.code == 2


def test_a_token_needs_no_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "anna", "--scope", "record", "--home", str(tmp_path)]) == 0

    claims = jwt.decode(capsys.readouterr().out.strip(), options={"verify_signature": False})
    assert (claims["sub"], claims["scope"]) == ("anna", "record")


@pytest.mark.parametrize("name", ["", "two words", "anna\n", "-anna"])
def test_nobody_gets_a_token_that_the_api_would_refuse(name: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["token", "--home", str(tmp_path), "--", name])

    assert ended.value.code == 2


def test_status_and_stop_without_a_stack(tmp_path: Path) -> None:
    assert main(["status", "--home", str(tmp_path)]) == 3
    assert main(["stop", "--home", str(tmp_path)]) == 0
    assert main(["deploy", "--home", str(tmp_path)]) == 1


@pytest.mark.parametrize(
    "wrong",
    ["--fly"]
    + [f"--speed={speed}" for speed in ("0", "0.5", "-1", "1e9", "1e99", "nan", "inf", "fast")]
    + [f"--port={port}" for port in ("0", "-1", "65536", "99999", "80.5", "abc")],
)
def test_a_wrong_option_is_refused_in_one_line(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", wrong, "--home", str(tmp_path)])

    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert wrong.rsplit("=", maxsplit=1)[-1] in said


def test_a_port_that_was_asked_for_is_had_or_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with listening() as taken:
        port = taken.getsockname()[1]
        assert main(["run", "--port", str(port), "--home", str(tmp_path)]) == 1

    assert capsys.readouterr().err == f"The front door has no port: port {port} cannot be had: it is taken.\n"
    assert not list(tmp_path.glob("state/engine*")), "an engine was started for nothing"


def test_the_walk_through_names_the_door() -> None:
    assert "URL=http://127.0.0.1:8123" in walkthrough("http://127.0.0.1:8123")


def test_the_map_in_the_readme_shows_every_slice_and_module() -> None:
    drawn = (ROOT / "README.md").read_text().partition("## Find your way")[2]
    there = [path for path in (ROOT / "chalicelib").iterdir() if not path.name.startswith("__")]

    names = [f"chalicelib/{path.name}{'/' if path.is_dir() else ''}" for path in there]
    assert [name for name in names if f"\n{name} " not in drawn] == []


@pytest.mark.parametrize("partition", ["", "world", "club:x", "pool:chess:bullet"])
def test_what_is_no_partition_cannot_be_rebuilt(partition: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["rebuild", partition])

    assert ended.value.code == 2
    assert "can be the address of no partition" in capsys.readouterr().err
