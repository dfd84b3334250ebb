"""`play`: what is no archive, and what is no game, is said in our own words."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from infra.local.__main__ import main
from infra.local.play import Unplayable, play_archive, read
from infra.local.stack import RunningStack


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunningStack:
    """A stack that is said to run, where nobody answers."""
    running = SimpleNamespace(url="http://127.0.0.1:9", token=lambda *_: "")
    monkeypatch.setattr(RunningStack, "find", staticmethod(lambda: running))
    return running  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.pgn", "There is no file missing.pgn."),
        ("folder", "folder is a folder; name a PGN file in it."),
        ("packed.pgn", "packed.pgn is not a text file; archives that are packed have to be unpacked first."),
        ("packed.pgn/games.pgn", "packed.pgn/games.pgn cannot be read: not a directory."),
    ],
)
def test_what_is_no_archive_is_refused_in_one_line(
    name: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    nowhere: RunningStack,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "packed.pgn").write_bytes(b"PK\x03\x04\x14\0\0\0")

    assert main(["play", name]) == 2

    assert capsys.readouterr().err == f"{said}\n"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_an_empty_archive_has_no_game(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], nowhere: RunningStack
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    assert main(["play", "-"]) == 1

    assert capsys.readouterr().out == "No game was found.\n"


def test_the_errors_of_a_game_are_counted_and_told_once(
    capfd: pytest.CaptureFixture[str], nowhere: RunningStack
) -> None:
    broken = '[Event "broken"]\n1. e4 (1. e5) 1... e4 *\n'

    assert play_archive(nowhere, broken, "30-30-1") == 1

    out, err = capfd.readouterr()
    assert out.startswith("game 1: cannot be read: illegal san: 'e5' in ")
    assert out.endswith(" (the first of 2 errors)\nGames played: 0, not played: 1.\n")
    assert "illegal" not in err


@pytest.mark.parametrize("chunk", ["hello world", "{a comment}", "% an escape"])
def test_text_without_tags_and_moves_is_no_game(chunk: str) -> None:
    with pytest.raises(Unplayable, match="no game in it"):
        read(1, chunk)


def test_a_game_may_have_tags_only_or_moves_only() -> None:
    assert read(1, '[Event "walk-over"]\n\n*\n').moves == ()
    assert read(1, "1. e4 *").moves == ("e2e4",)
