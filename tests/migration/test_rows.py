"""Reading legacy exports: both shapes say the same; what is wrong is named with its row and column."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.core.sides import Side
from chalicelib.migration.rows import Fault, Over, Row, read
from tests.migration.exports import Game, as_csv, as_json_lines, legacy_games

GAME = legacy_games(1)[0] | {"moves": ["e2e4", "e7e5"], "to_move": "white"}
T = 1_772_323_200_000


def rows(text: str) -> list[Row | Over | Fault]:
    return list(read(text.splitlines(keepends=True)))


def one(**changes: Any) -> Row | Over | Fault:
    game: Game = {name: value for name, value in (GAME | changes).items() if value is not None}
    (found,) = rows(as_json_lines([game]))
    return found


def test_csv_and_json_lines_say_the_same() -> None:
    games = legacy_games(50)
    from_csv, from_json = rows(as_csv(games)), rows(as_json_lines(games))
    assert [type(row) for row in from_csv] == [Row] * 50
    for row, other in zip(from_csv, from_json, strict=True):
        assert isinstance(row, Row) and isinstance(other, Row)
        assert (row.number, other.number) == (row.number, row.number - 1)
        assert row == Row(row.number, **{name: getattr(other, name) for name in Row.__struct_fields__[1:]})


def test_instants_are_ms_or_rfc_3339() -> None:
    row = one(last_move_at="2026-03-01T00:00:00Z", current_deadline="2026-03-04T01:00:00.005+01:00", started_at=str(T))
    assert isinstance(row, Row)
    assert (row.last_move_ms, row.deadline_ms, row.started_ms) == (T, T + 3 * 86_400_000 + 5, T)


def test_moves_may_have_numbers() -> None:
    row = one(moves="1. e4 e5 2.Nf3 2... Nc6")
    assert isinstance(row, Row)
    assert row.moves == ("e4", "e5", "Nf3", "Nc6")


def test_what_is_optional() -> None:
    row = one(move_times=None, started_at=None, to_move=None, kind="chess960", setup="518", event="o", rated=False)
    assert isinstance(row, Row)
    assert (row.moved_at_ms, row.started_ms, row.to_move) == (None, None, None)
    assert (row.kind, row.setup, row.event, row.rated) == ("chess960", "518", "o", False)
    assert isinstance(one(to_move="black", new_column=[1]), Row)
    assert getattr(one(to_move="black"), "to_move", None) is Side.BLACK


def test_of_a_finished_game_only_the_id_is_read() -> None:
    assert one(status="finished", white="", moves=7, current_deadline=None) == Over(1, "G-000001")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("id", None, "None is none"),
        ("id", "", "'' is none"),
        ("id", True, "True is none"),
        ("id", "x" * 101, "up to 100"),
        ("id", "a\nb", "is none"),
        ("status", "paused", "'paused' is neither running nor finished"),
        ("status", None, "missing"),
        ("white", "", "is no player id"),
        ("white", 5, "Expected `str`, got `int`"),
        ("black", "Ann Other", "is no player id"),
        ("black", GAME["white"], "against themselves"),
        ("code", "T3_5", "gives 5 moves together; only T3_1 is played"),
        ("code", "T3", "unknown profile 'T3'"),
        ("code", "T0_1", "days per move must lie between 1 and"),
        ("code", "30-30-1", "not of the form T<days>_1"),
        ("code", None, "missing"),
        ("moves", 5, "got `int`"),
        ("current_deadline", None, "missing"),
        ("current_deadline", 1_772_323_200, "is no instant"),
        ("current_deadline", "2026-03-04 01:00", "is no instant"),
        ("current_deadline", "2026-03-04T01:00:00", "is no instant"),
        ("current_deadline", "2026-03-04T01:00:00.0005Z", "finer than a millisecond"),
        ("current_deadline", "9" * 5000, "is no instant"),
        ("last_move_at", None, "missing"),
        ("last_move_at", 10**17, "is no instant"),
        ("move_times", "1 2", "is no instant"),
        ("move_times", [1.5], "got `float`"),
        ("to_move", "w", "Invalid enum value"),
        ("kind", "gomoku", "Invalid enum value"),
        ("rated", "perhaps", "Expected `bool`"),
    ],
)
def test_what_is_wrong_is_named(field: str, value: Any, said: str) -> None:
    found = one(**{field: value})
    assert isinstance(found, Fault)
    assert (found.row, found.field) == (1, field)
    assert said in found.detail


@pytest.mark.parametrize(
    ("text", "row", "field"),
    [
        ("", 1, "columns"),
        ("\n\n", 1, "columns"),
        ("id;status\n", 1, "columns"),
        ("id,status\nG-1,finished\nG-2\nG-3,finished,x\n", 3, "columns"),
        ('id,status\n"G-1,finished\n', 2, "columns"),
        ('{"id": "a", "status": "finished"}\n{"id"\n', 2, "JSON"),
        ('{"id": "a", "status": "finished"}\n[]\n', 2, "JSON"),
        ("{}\n", 1, "id"),
    ],
)
def test_rows_that_are_none(text: str, row: int, field: str) -> None:
    found = [fault for fault in rows(text) if isinstance(fault, Fault)]
    assert (found[0].row, found[0].field) == (row, field)


def test_an_id_that_comes_again_is_a_fault_and_rows_after_it_are_read() -> None:
    first, second, third = legacy_games(3)
    found = rows(as_csv([first, second | {"id": first["id"]}, third]))
    assert found[1] == Fault(3, "id", "'G-000001' is in row 2 already")
    assert [type(row) for row in found] == [Row, Fault, Row]
