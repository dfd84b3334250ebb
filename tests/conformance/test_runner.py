"""The runner: what it prints, what it returns, and that no broken case stops it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.__main__ import main

FOOLS_MATE = {
    "id": "fool",
    "variant": "standard",
    "start_fen": None,
    "moves": "f2f3 e7e5 g2g4 d8h4",
    "automatic_end_ply": 4,
    "automatic_end": "checkmate",
    "final_fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
}
DEAD = {
    "id": "dead",
    "variant": "standard",
    "start_fen": "8/8/4k3/8/8/3pK3/8/8 w - - 0 1",
    "moves": "e3d3 e6d6",
    "automatic_end_ply": 1,
    "automatic_end": "insufficient_material",
    "final_fen": "8/8/3k4/8/8/3K4/8/8 w - - 1 2",
}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    code = main(list(arguments))
    return code, capsys.readouterr().out.splitlines()


def written(path: Path, *cases: object) -> str:
    path.write_text("\n".join(case if isinstance(case, str) else json.dumps(case) for case in cases))
    return str(path)


def test_games_that_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "chess_games", written(tmp_path / "g", FOOLS_MATE, DEAD)) == (0, ["2 passed, 0 failed"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"moves": "f2f3 e7e5 g2g5"}, "expected ply 3 g2g5 to be accepted"),
        ({"final_fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 0 3"}, "expected rnb1kbnr"),
        ({"automatic_end": "stalemate"}, "expected the end stalemate, got checkmate"),
        ({"automatic_end_ply": None, "automatic_end": None}, "expected the end None, got checkmate"),
        ({"automatic_end_ply": 3}, "expected d8h4 to be refused because the game is over"),
        ({"start_fen": "8/8/8/8/8/8/8/8 w - - 0 1"}, "IllegalSetup"),
        ({"variant": "checkers"}, "KeyError"),
        ({"moves": 7}, "AttributeError"),
        ({"final_fen": "?"}, "ValueError"),
    ],
)
def test_a_game_that_fails(
    change: dict[str, object], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = run(capsys, "chess_games", written(tmp_path / "g", FOOLS_MATE | change, DEAD))
    assert code == 1
    assert lines[0].startswith("fool: expected")
    assert any(says in line for line in lines[:-1])
    assert lines[-1] == "1 passed, 1 failed"


def test_a_broken_line_fails_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "g"
    written(file, FOOLS_MATE, "{", "", '["list"]')
    file.write_bytes(file.read_bytes() + b"\n\xff\n" + json.dumps(DEAD).encode())
    code, lines = run(capsys, "chess_games", str(file))
    assert code == 1
    assert [line.split(":")[0] for line in lines[:-1]] == ["line 2", "line 4", "line 5"]
    assert lines[-1] == "2 passed, 3 failed"


def test_timeouts_count_what_is_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(
        tmp_path / "t",
        "# a comment",
        "WB rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "-- 4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -",
        "-- rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
    )
    assert run(capsys, "timeout", file) == (
        0,
        ["of these recognised: 2", "sides that cannot win: 4", "3 passed, 0 failed"],
    )


def test_a_side_wrongly_called_unable_to_win_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path / "t", "W- 4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -", "?? 8/8/8/8/8/8/8/8", "WB")
    code, lines = run(capsys, "timeout", file)
    assert code == 1
    assert lines[0] == "line 1: expected that white can win 4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -, got that it cannot"
    assert lines[-1] == "0 passed, 3 failed"


@pytest.mark.parametrize("kind", ["clock", "openskill", "glicko2"])
@pytest.mark.parametrize("content", ["", "[1]", '{"vectors": 5}', '{"vectors": ["x"]}', "\x00"])
def test_a_broken_file_fails_and_does_not_crash(
    content: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, lines = run(capsys, kind, written(tmp_path / "c", content))
    assert code == 1
    assert lines[-1] == "0 passed, 1 failed"


@pytest.mark.parametrize(
    "arguments", [(), ("chess_games",), ("checkers", "."), ("clock", "no-such-file"), ("a", "b", "c")]
)
def test_a_call_without_sense_shows_the_usage(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(arguments)) == 2
    assert "usage: python -m tests.conformance KIND FILE" in capsys.readouterr().err


NEW = {"mu": 25.0, "sigma": 25 / 3}
WON = {"mu": 27.6353894931405, "sigma": 8.065901413543681}
LOST = {"mu": 22.3646105068595, "sigma": 8.065901413543681}
DUEL = {
    "id": "duel",
    "teams": [[NEW], [NEW]],
    "ranks": [1, 2],
    "expected": [[WON], [LOST]],
    "p_first_beats_second": {"seed_formula_1beta2": 0.5},
}
FIRST_DRAW = {"rating": 1500.0, "rd": 290.23050778223865, "vol": 0.05999896144314354}
DRAW = {
    "id": "draw",
    "kind": "game",
    "white": [1500.0, 350.0, 0.06],
    "black": [1500.0, 350.0, 0.06],
    "score_white": 0.5,
    "days_idle_white": 0.0,
    "days_idle_black": 0.0,
    "expected_white": FIRST_DRAW,
    "expected_black": FIRST_DRAW,
}


@pytest.mark.parametrize(
    ("kind", "vector", "change", "says"),
    [
        (
            "openskill",
            DUEL,
            {"expected": [[WON], [WON]]},
            "duel: team 2 player 1 mu: expected 27.6353894931405, got 22.36",
        ),
        ("openskill", DUEL, {"expected": [[WON]]}, "duel: expected a case that can be played, got ValueError"),
        (
            "openskill",
            DUEL,
            {"p_first_beats_second": {"seed_formula_1beta2": 0.6}},
            "chance of the first team: expected 0.6",
        ),
        ("glicko2", DRAW, {"score_white": 1.0}, "draw: white rating: expected 1500.0, got 1662.2"),
        ("glicko2", DRAW, {"days_idle_black": 90.0, "black": [1500.0, 60.0, 0.06]}, "draw: white rd: expected 290.23"),
        ("glicko2", DRAW, {"kind": "checkers"}, "draw: expected a case that can be played, got KeyError"),
        ("glicko2", DRAW, {"kind": "timeclass", "cases": [[180, "rapid"]]}, "180 s: expected rapid, got chess/blitz"),
        (
            "glicko2",
            DRAW,
            {"kind": "policy", "games": 30, "rd": 110, "provisional": True, "leaderboard": True},
            "leaderboard",
        ),
    ],
)
def test_ratings_that_differ_fail(
    kind: str,
    vector: dict[str, object],
    change: dict[str, object],
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, lines = run(capsys, kind, written(tmp_path / "r", {"vectors": [vector | change, vector]}))

    assert code == 1
    assert says in lines[0]
    assert lines[-1] == "1 passed, 1 failed"
