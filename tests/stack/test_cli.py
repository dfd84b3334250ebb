"""The command line, as far as it needs no running stack."""

from __future__ import annotations

import argparse
from pathlib import Path

import jwt
import pytest

from infra.local.__main__ import main
from infra.local.run import register
from infra.local.walkthrough import walkthrough


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


def test_status_and_stop_without_a_stack(tmp_path: Path) -> None:
    assert main(["status", "--home", str(tmp_path)]) == 3
    assert main(["stop", "--home", str(tmp_path)]) == 0
    assert main(["deploy", "--home", str(tmp_path)]) == 1


@pytest.mark.parametrize("speed", ["0", "0.5", "-1", "1e9", "nan", "fast"])
def test_time_never_stands_still_or_runs_away(speed: str) -> None:
    parser = argparse.ArgumentParser()
    register(parser.add_subparsers())

    with pytest.raises(SystemExit):
        parser.parse_args(["run", "--speed", speed])


def test_the_walk_through_names_the_door() -> None:
    assert "URL=http://127.0.0.1:8123" in walkthrough("http://127.0.0.1:8123")
