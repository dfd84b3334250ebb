"""The command line of the desk, as far as it needs no running stack."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.admin.__main__ import main
from infra.admin.signer import Signer

ME = "/v1/admin/me"

WRONG = {
    "a director without events": (["key", "new", "dora", "--role", "director"], "--event goes with"),
    "an operator of events": (["key", "new", "dora", "--role", "operator", "--event", "open"], "--event goes with"),
    "no name": (["key", "new", "a b", "--role", "operator"], "is no name"),
    "no role": (["key", "new", "dora"], "--role"),
    "another role": (["key", "new", "dora", "--role", "king"], "invalid choice"),
    "no day": (["key", "new", "dora", "--role", "operator", "--days", "0"], "from 1 to 3650"),
    "no file": (["request", "GET", ME, "--url", "http://127.0.0.1:9", "--key", "/no/such/file"], "/no/such/file"),
    "no path": (["request", "GET", "v1/admin/me"], "begins with /"),
    "letters in a path": (["request", "GET", "/v1/ü"], "%XX"),
    "nothing runs": (["key", "list"], "make run"),
    "no command": ([], "COMMAND"),
}


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ZEITNOT_HOME", str(tmp_path))
    for name in ("DESK_TABLE", "ZEITNOT_URL", "ZEITNOT_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_call_is_told_what_is_wrong(capsys: pytest.CaptureFixture[str], case: str) -> None:
    words, said = WRONG[case]
    try:
        status = main(words)
    except SystemExit as ended:
        status = int(ended.code or 0)

    assert status == 2
    assert said in capsys.readouterr().err


def test_an_api_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    Signer.new("k23456789abc").save(tmp_path / "keys" / "otto.json")

    assert main(["request", "GET", ME, "--url", "http://127.0.0.1:9"]) == 2
    assert "does not answer" in capsys.readouterr().err


def test_of_two_keys_one_has_to_be_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for number in "12":
        Signer.new(f"k23456789ab{number}").save(tmp_path / "keys" / f"{number}.json")

    assert main(["request", "GET", ME, "--url", "http://127.0.0.1:9"]) == 2
    assert "2 keys" in capsys.readouterr().err
