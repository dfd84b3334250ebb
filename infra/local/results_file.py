"""Reading files of results: CSV of two shapes, or JSON lines, gzip or not, and a file of scopes beside the CSV. Pure.

    id,timestamp,a1,a2,b1,b2,winner             a2 and b2 may be empty; winner is A, B, or empty for a draw
    id,timestamp,player_a,player_b,score_a      score_a is 1, 0.5 or 0
    id,club,event,season,exclude_from_rating    scopes, joined by id; a column `score` is taken along
    {"id": "r1", "club": "...", "season": "2014", ...}     JSON lines: the fields of POST /v1/clubs/{club}/results

Timestamps are RFC 3339. Names of members become ids by `member_id`. Columns that are not named here are passed over.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from chalicelib.core.identity import PLAYER_ID
from chalicelib.core.ids import RESULT_ID, derived_id
from chalicelib.ratings.model import Winner
from chalicelib.results.bodies import ResultBody, Score
from chalicelib.results.entering import entered, instant_ms
from chalicelib.results.model import Result, Seat
from chalicelib.results.rules import Invalid, check_seats

_GZIP: Final = b"\x1f\x8b"
_PAIRS: Final = ("id", "timestamp", "a1", "a2", "b1", "b2", "winner")
_SINGLES: Final = ("id", "timestamp", "player_a", "player_b", "score_a")
_SCOPES: Final = ("id", "club", "event", "season", "exclude_from_rating")
_NAMES: Final = frozenset({*_PAIRS[2:6], *_SINGLES[2:4]})
_WINNER_OF_SCORE: Final[dict[str, Winner]] = {"1": "A", "0.5": "", "0": "B", "1.0": "A", "0.0": "B"}
_WINNERS: Final[dict[str, Winner]] = {"A": "A", "B": "B", "": ""}
_FLAGS: Final = {"": False, "0": False, "1": True, "false": False, "true": True}

_NAMED: Final = re.compile(r"(?:missing required|unknown) field `(\w+)`|at `\$\.([^`]+)`")
"""Where msgspec says what it does not like."""

_MEMBER_ID: Final = re.compile(PLAYER_ID)
_NOT_IN_MEMBER_IDS: Final = re.compile(r"[^A-Za-z0-9._|:@-]")
_RESULT_ID: Final = re.compile(RESULT_ID)


class Fault(Struct, frozen=True, order=True):
    """What is wrong with a row, counted as editors count lines; `field` is the column or the place in the JSON."""

    row: int
    field: str
    detail: str
    file: str = ""

    def __str__(self) -> str:
        """
        >>> str(Fault(3, "winner", "'C' is neither A, B nor empty"))
        "row 3: winner: 'C' is neither A, B nor empty"
        """
        return f"{self.file}{': ' if self.file else ''}row {self.row}: {self.field}: {self.detail}"


class Row(Struct, frozen=True):
    """A result as a file has it, without club and event: these, and its season, are named beside it by id or name."""

    number: int
    result: Result
    club: str = ""
    event: str = ""
    season: str = ""


class Scope(Struct, frozen=True):
    """What a file of scopes says of a result."""

    number: int
    club: str
    event: str
    season: str
    exclude_from_rating: bool
    score: str


class ResultLine(ResultBody, forbid_unknown_fields=True):
    """A line of JSON: a result with what the address of the API says elsewhere."""

    id: Annotated[str, Meta(pattern=rf"^{RESULT_ID}$(?!\n)")] | None = None
    club: Annotated[str, Meta(max_length=64)] = ""
    season: Annotated[str, Meta(max_length=64)] = ""


class Refused(Exception):
    """A row, or a whole file, cannot be read."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


def member_id(name: str) -> str:
    """The id of a member for a name: accents are dropped, and what an id cannot have becomes `_`. Raises Refused.

    >>> member_id("intl:Ynys Môn"), member_id("lichess:Ødegård")
    ('intl:Ynys_Mon', 'lichess:_degard')
    """
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    found = _NOT_IN_MEMBER_IDS.sub("_", plain)
    if not _MEMBER_ID.fullmatch(found):
        raise Refused("", f"{name!r} cannot become the id of a member")
    return found


def text_of(file: Path) -> str:
    """The text of a file, unpacked. Raises OSError, also for one that is cut off or damaged; UnicodeDecodeError."""
    raw = file.read_bytes()
    try:
        plain = gzip.decompress(raw) if raw.startswith(_GZIP) else raw
    except (EOFError, zlib.error) as error:
        raise OSError(f"{file}: {error}") from error
    return plain.decode("utf-8-sig")


def read(text: str) -> tuple[list[Row], list[Fault]]:
    """The rows of a file, and what is wrong in it."""
    is_json = text.lstrip()[:1] == "{"
    rows, faults = _apart(_json_rows(text) if is_json else _csv_rows(text))
    return rows, sorted([*faults, *_repeated(rows)])


def with_scopes(rows: list[Row], text: str) -> tuple[list[Row], list[Fault]]:
    """The rows with what a file of scopes says of them, and what is wrong in that file."""
    scopes, faults = _scopes(text)
    known = {row.result.id for row in rows}
    faults += [Fault(s.number, "id", f"there is no result {name}") for name, s in scopes.items() if name not in known]
    return [_scoped(row, scopes.get(row.result.id)) for row in rows], sorted(faults)


# --- rows


def _apart(found: Iterable[Row | Fault]) -> tuple[list[Row], list[Fault]]:
    rows: list[Row] = []
    faults: list[Fault] = []
    for one in found:
        if isinstance(one, Row):
            rows.append(one)
        else:
            faults.append(one)
    return rows, faults


def _csv_rows(text: str) -> Iterator[Row | Fault]:
    reader, columns, fault = _table(text)
    if fault:
        yield fault
        return
    read_row = _pair_row if set(_PAIRS) <= columns else _single_row if set(_SINGLES) <= columns else None
    if read_row is None:
        yield Fault(1, "columns", f"neither {','.join(_PAIRS)} nor {','.join(_SINGLES)}")
        return
    names: dict[str, str] = {}
    for number, cells in _cells(reader):
        if isinstance(cells, Fault):
            yield cells
            continue
        try:
            result = read_row(cells)
            _check_collisions(cells, names)
            check_seats(result)
            yield Row(number, result)
        except (Refused, Invalid) as error:
            yield _fault(number, error)


def _table(text: str) -> tuple[csv.DictReader[str], frozenset[str], Fault | None]:
    """A reader of the rows of a CSV file, its columns, and what is wrong with the first line."""
    reader = csv.DictReader(io.StringIO(text), strict=True)
    try:
        return reader, frozenset(reader.fieldnames or ()), None
    except csv.Error as error:
        return reader, frozenset(), Fault(1, "columns", str(error))


def _cells(reader: csv.DictReader[str]) -> Iterator[tuple[int, dict[str, str] | Fault]]:
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # Which line that row ends in is not known, nor whether it does.
            yield reader.line_num + 1, Fault(reader.line_num + 1, "columns", str(error))
            return
        if any(value is None or isinstance(value, list) for value in cells.values()):
            yield reader.line_num, Fault(reader.line_num, "columns", "there are more or fewer than in the first line")
        else:
            yield reader.line_num, cells


def _pair_row(cells: Mapping[str, str]) -> Result:
    winner = _choice(cells, "winner", _WINNERS, "neither A, B nor empty")
    return _result(cells, _side(cells, "a1", "a2"), _side(cells, "b1", "b2"), winner)


def _single_row(cells: Mapping[str, str]) -> Result:
    winner = _choice(cells, "score_a", _WINNER_OF_SCORE, "neither 1, 0.5 nor 0")
    return _result(cells, _side(cells, "player_a"), _side(cells, "player_b"), winner)


def _result(cells: Mapping[str, str], a: tuple[Seat, ...], b: tuple[Seat, ...], winner: Winner) -> Result:
    if not _RESULT_ID.fullmatch(cells["id"]):
        raise Refused("id", f"{cells['id']!r} is none: letters, digits, `.`, `_` and `-`, up to 64")
    return Result(cells["id"], "", _instant_ms(cells["timestamp"]), a, b, winner)


def _side(cells: Mapping[str, str], *columns: str) -> tuple[Seat, ...]:
    named = [column for column in columns if cells[column]]
    if not named:
        raise Refused(columns[0], "nobody sits here")
    return tuple(Seat(_named(column, cells[column])) for column in named)


def _named(column: str, name: str) -> str:
    try:
        return member_id(name)
    except Refused as error:
        raise Refused(column, error.detail) from error


def _check_collisions(cells: Mapping[str, str], names: dict[str, str]) -> None:
    """Raises Refused for a name that would become the same member as another one before it."""
    for column in cells.keys() & _NAMES:
        name = cells[column]
        if name and names.setdefault(member_id(name), name) != name:
            other = names[member_id(name)]
            raise Refused(column, f"{name!r} and {other!r} would both become {member_id(name)}")


def _instant_ms(text: str) -> int:
    try:
        at = msgspec.convert(text, Annotated[datetime, Meta(tz=True)])
    except msgspec.ValidationError as error:
        raise Refused("timestamp", f"{text!r} is no RFC 3339 instant") from error
    return instant_ms(at, "timestamp")


def _choice(cells: Mapping[str, str], column: str, known: Mapping[str, Any], otherwise: str) -> Any:
    if cells[column] not in known:
        raise Refused(column, f"{cells[column]!r} is {otherwise}")
    return known[cells[column]]


def _json_rows(text: str) -> Iterator[Row | Fault]:
    decoder = msgspec.json.Decoder(ResultLine)
    seen: dict[bytes, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            body = decoder.decode(line)
            result = entered(body.id or _id_by_content(body, seen), "", body)
            check_seats(result)
        except (msgspec.DecodeError, msgspec.ValidationError, UnicodeError) as error:
            named = _NAMED.search(str(error))
            yield Fault(number, (named[1] or named[2]) if named else "JSON", str(error))
        except (Refused, Invalid) as error:
            yield _fault(number, error)
        else:
            yield Row(number, msgspec.structs.replace(result, event=None), body.club, body.event or "", body.season)


def _id_by_content(body: ResultLine, seen: dict[bytes, int]) -> str:
    """The same id for the same line whenever it is read; lines that are there several times are several results."""
    content = msgspec.json.encode(body)
    seen[content] = seen.get(content, 0) + 1
    return derived_id("import", content.decode(), str(seen[content]))


def _fault(number: int, error: Refused | Invalid) -> Fault:
    detail = error.detail if isinstance(error, Refused) else str(error).partition(": ")[2]
    return Fault(number, error.field, detail)


def _repeated(rows: Iterable[Row]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for row in rows:
        earlier = first.setdefault(row.result.id, row.number)
        if earlier != row.number:
            yield Fault(row.number, "id", f"{row.result.id} is in row {earlier} already")


# --- scopes


def _scopes(text: str) -> tuple[dict[str, Scope], list[Fault]]:
    reader, columns, fault = _table(text)
    if fault:
        return {}, [fault]
    if missing := [column for column in _SCOPES if column not in columns]:
        return {}, [Fault(1, "columns", f"{', '.join(missing)} missing")]
    found: dict[str, Scope] = {}
    faults = []
    for number, cells in _cells(reader):
        try:
            if isinstance(cells, Fault):
                faults.append(cells)
                continue
            if cells["id"] in found:
                raise Refused("id", f"{cells['id']} is in row {found[cells['id']].number} already")
            found[cells["id"]] = _scope(number, cells)
        except Refused as error:
            faults.append(_fault(number, error))
    return found, faults


def _scope(number: int, cells: Mapping[str, str]) -> Scope:
    try:
        score = msgspec.convert(cells.get("score", ""), Score)
    except msgspec.ValidationError as error:
        raise Refused("score", str(error)) from error
    excluded = _choice(cells, "exclude_from_rating", _FLAGS, "neither 0 nor 1")
    return Scope(number, cells["club"], cells["event"], cells["season"], excluded, score)


def _scoped(row: Row, scope: Scope | None) -> Row:
    if scope is None:
        return row
    result = msgspec.structs.replace(row.result, exclude_from_rating=scope.exclude_from_rating, score=scope.score)
    return Row(row.number, result, scope.club, scope.event, scope.season)
