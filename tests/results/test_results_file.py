"""Files of results: two shapes of CSV, JSON lines, scopes; what is wrong is named by row and field."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from chalicelib.results.model import Seat
from infra.local.results_file import Fault, member_id, read, text_of, with_scopes

PAIRS = "id,timestamp,a1,a2,b1,b2,winner"
SINGLES = "id,timestamp,player_a,player_b,score_a"
SCOPES = "id,club,event,season,exclude_from_rating"


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


def test_pairs() -> None:
    rows, faults = read(lines(PAIRS, "g1,2014-04-22T00:01:00Z,a,b,c,d,A", "g2,2014-04-22T00:01:00Z,a,,c,d,"))
    assert faults == []
    first, second = (row.result for row in rows)
    assert (first.id, first.played_at_ms, first.winner) == ("g1", 1_398_124_860_000, "A")
    assert (first.a, first.b) == ((Seat("a"), Seat("b")), (Seat("c"), Seat("d")))
    assert (second.a, second.winner, second.status) == ((Seat("a"),), "", "finished")
    assert [row.number for row in rows] == [2, 3]


def test_singles_of_all_centuries() -> None:
    text = lines(
        SINGLES, *(f"g{n},1872-11-30T00:00:00Z,x:S Ã,x:E,{score}" for n, score in enumerate(["1", "0.5", "0"]))
    )
    rows, faults = read(text)
    assert faults == []
    assert [row.result.winner for row in rows] == ["A", "", "B"]
    assert {row.result.a for row in rows} == {(Seat("x:S_A"),)}
    assert {row.result.played_at_ms for row in rows} == {-3_063_744_000_000}


def test_json_lines_have_the_fields_of_the_api() -> None:
    body: dict[str, Any] = {"played_at": 5, "a": [{"member": "a"}], "b": [{"guest": "g"}], "winner": None}
    scoped = body | {"id": "g1", "club": "C", "event": "E", "season": "1970", "status": "unfinished"}
    rows, faults = read(lines(json.dumps(scoped), "", json.dumps(body), json.dumps(body)))
    assert faults == []
    assert [row.number for row in rows] == [1, 3, 4]
    assert (rows[0].club, rows[0].event, rows[0].season, rows[0].result.status) == ("C", "E", "1970", "unfinished")
    assert rows[0].result.b == (Seat(guest="g"),)
    # Lines without an id get one that is theirs at every reading, also if they are there twice.
    assert len({row.result.id for row in rows}) == 3
    assert read(lines(json.dumps(body), json.dumps(body)))[0][1].result.id == rows[2].result.id


WRONG = {
    "another winner": (PAIRS, "g2,2014-04-22T00:01:00Z,a,b,c,d,C", "winner"),
    "another score": (SINGLES, "g2,2014-04-22T00:01:00Z,a,b,2", "score_a"),
    "no instant": (PAIRS, "g2,22.4.2014,a,b,c,d,A", "timestamp"),
    "an instant without zone": (PAIRS, "g2,2014-04-22T00:01:00,a,b,c,d,A", "timestamp"),
    "another century": (PAIRS, "g2,1514-04-22T00:01:00Z,a,b,c,d,A", "timestamp"),
    "no id": (PAIRS, ",2014-04-22T00:01:00Z,a,b,c,d,A", "id"),
    "an id of other letters": (PAIRS, "g#2,2014-04-22T00:01:00Z,a,b,c,d,A", "id"),
    "an id twice": (PAIRS, "g1,2014-04-22T00:01:00Z,a,b,c,d,A", "id"),
    "a member twice": (PAIRS, "g2,2014-04-22T00:01:00Z,a,b,c,a,A", "b[1]"),
    "an empty side": (PAIRS, "g2,2014-04-22T00:01:00Z,a,b,,,A", "b1"),
    "two names of one id": (PAIRS, "g2,2014-04-22T00:01:00Z,á,b,c,d,A", "a1"),
    "a name that cannot be": (PAIRS, f"g2,2014-04-22T00:01:00Z,{'x' * 65},b,c,d,A", "a1"),
    "too few columns": (PAIRS, "g2,2014-04-22T00:01:00Z,a,b", "columns"),
    "too many columns": (PAIRS, "g2,2014-04-22T00:01:00Z,a,b,c,d,A,B", "columns"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_by_row_and_field(case: str) -> None:
    head, row, field = WRONG[case]
    good = "g1,2014-04-22T00:01:00Z,a,b,c,d,A" if head == PAIRS else "g1,2014-04-22T00:01:00Z,a,b,1"
    _, faults = read(lines(head, good, row))
    assert [(fault.row, fault.field) for fault in faults] == [(3, field)]
    assert faults[0].detail


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('{"played_at": 5}', "a"),
        ('{"Played_at": 5}', "Played_at"),
        ('{"played_at": 5, "a": [{"member": "-"}], "b": [{"member": "a"}]}', "a[0].member"),
        ('{"played_at": 5, "a": [{"member": "a"}], "b": [{"member": "a"}]}', "b[0]"),
        ('{"played_at": 5, "a": [{}], "b": [{"member": "a"}]}', "a[0]"),
        ('{"played_at": "x", "a": [{"member": "b"}], "b": [{"member": "a"}]}', "played_at"),
        ("{", "JSON"),
        ('{"id": "a b", "played_at": 5, "a": [{"member": "b"}], "b": [{"member": "a"}]}', "id"),
    ],
)
def test_what_is_wrong_in_a_line_of_json(line: str, field: str) -> None:
    rows, faults = read(lines(line))
    assert (rows, [(fault.row, fault.field) for fault in faults]) == ([], [(1, field)])


def test_a_file_of_another_shape() -> None:
    assert read("a,b\n1,2\n")[1][0].field == "columns"
    assert read("")[1][0].field == "columns"


def test_scopes_are_joined_by_id() -> None:
    rows, _ = read(lines(PAIRS, "g1,2014-04-22T00:01:00Z,a,b,c,d,A", "g2,2014-04-22T00:01:00Z,a,b,c,d,A"))
    scoped, faults = with_scopes(rows, lines(SCOPES + ",score", 'g1,C,E,2014,1,"21-17, 21-19"'))
    assert faults == []
    assert (scoped[0].club, scoped[0].event, scoped[0].season) == ("C", "E", "2014")
    assert (scoped[0].result.exclude_from_rating, scoped[0].result.score) == (True, "21-17, 21-19")
    assert scoped[1] == rows[1]


@pytest.mark.parametrize(
    ("row", "field"),
    [("g9,C,E,2014,0", "id"), ("g1,C,E,2014,maybe", "exclude_from_rating"), ("g1,C,E", "columns")],
)
def test_what_is_wrong_in_scopes(row: str, field: str) -> None:
    rows, _ = read(lines(PAIRS, "g1,2014-04-22T00:01:00Z,a,b,c,d,A"))
    faults = with_scopes(rows, lines(SCOPES, row))[1]
    assert [(fault.row, fault.field) for fault in faults] == [(2, field)]
    assert with_scopes(rows, "id,club\n")[1] == [Fault(1, "columns", "event, season, exclude_from_rating missing")]


def test_packed_files_are_unpacked(tmp_path: Path) -> None:
    (tmp_path / "plain.csv").write_bytes(b"\xef\xbb\xbf" + PAIRS.encode())
    (tmp_path / "packed").write_bytes(gzip.compress(PAIRS.encode()))
    assert text_of(tmp_path / "plain.csv") == text_of(tmp_path / "packed") == PAIRS


def test_the_rule_for_ids_of_members() -> None:
    assert member_id("bv00558") == "bv00558"
    assert member_id("intl:São Tomé & Co") == "intl:Sao_Tome___Co"
    for impossible in ("", "-a", "ø", "x" * 65):
        with pytest.raises(Exception, match="cannot become"):
            member_id(impossible)


@pytest.mark.parametrize("damage", [lambda raw: raw[:200], lambda raw: raw[:60] + b"\xff\x00\xff" * 20 + raw[120:]])
def test_a_file_that_cannot_be_unpacked_says_so(tmp_path: Path, damage: Any) -> None:
    file = tmp_path / "results.csv.gz"
    rows = (f"g{number},2014-04-22T00:01:00Z,a{number},b,c,d,A" for number in range(500))
    file.write_bytes(damage(gzip.compress(lines(PAIRS, *rows).encode())))
    with pytest.raises(OSError, match=str(file)):
        text_of(file)


@pytest.mark.parametrize(
    "head", [f'"{PAIRS}', f"{PAIRS}\rg1,2014,a,b,c,d,A\r", "x" * 200_000], ids=["quote", "old line ends", "endless"]
)
def test_a_first_line_that_is_none_is_a_fault(head: str) -> None:
    assert [(fault.row, fault.field) for fault in read(head)[1]] == [(1, "columns")]
    assert [(fault.row, fault.field) for fault in with_scopes([], head)[1]] == [(1, "columns")]


def test_a_quote_that_does_not_end_is_named_where_it_begins() -> None:
    good = "g1,2014-04-22T00:01:00Z,a,b,c,d,A"
    rows, faults = read(lines(PAIRS, good, good.replace("a", '"a', 1), good, good))
    assert [(fault.row, fault.field) for fault in faults] == [(3, "columns")]
    assert len(rows) == 1
