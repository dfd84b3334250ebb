"""Reading a legacy `games` export: CSV with a head line, or JSON lines, one game a row. Pure.

    id              what the game is called there
    status          `running`, or `finished`: such a row is passed over, whatever else it says
    white, black    the ids under which the players sign in here
    code            T<days>_1: so many days for every move; others are refused
    moves           in UCI or SAN, with move numbers or without (a text with spaces; in JSON also a list)
    last_move_at    of the last move; where nothing has been played, of the start
    current_deadline
    move_times      of every move, in the same order (optional; `verify` needs it)
    started_at      (optional) before the first move
    to_move         `white` or `black` (optional; is compared with the moves)
    kind, setup     `chess` (default) or `chess960`, and the FEN of the set-up or its number (optional)
    event, rated    (optional; rated by default)

Instants are ms since the epoch, or RFC 3339 to the millisecond. Other columns are passed over.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from chalicelib.clock.profiles import Profile, UnknownProfile, named
from chalicelib.core.identity import PLAYER_ID
from chalicelib.core.sides import Side

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST_MS: Final = 100_000_000_000  # 1973; what is below is seconds
_LATEST_MS: Final = 100_000_000_000_000
_DIGITS: Final = 20
_NO_INSTANT: Final = "is no instant: ms since the epoch, or RFC 3339 with an offset"
_LONGEST_ID: Final = 100
_PLACE: Final = re.compile(r"`\$\.(\w+)|field `(\w+)`")
_MOVE_NUMBER: Final = re.compile(r"^\d+\.+")
_PLAYER: Final = re.compile(PLAYER_ID)
_RUNNING: Final = "running"
_FINISHED: Final = "finished"

Instant = str | int


class Fault(Struct, frozen=True, order=True):
    """What is wrong with a row, counted as editors count lines; `field` is its column."""

    row: int
    field: str
    detail: str

    def __str__(self) -> str:
        """
        >>> str(Fault(3, "code", "unknown profile 'T3'"))
        "row 3: code: unknown profile 'T3'"
        """
        return f"row {self.row}: {self.field}: {self.detail}"


class Row(Struct, frozen=True):
    """A running game as the legacy platform has it. Moves are as written there, `moved_at_ms` one for each or None."""

    number: int
    id: str
    white: str
    black: str
    profile: Profile
    moves: tuple[str, ...]
    last_move_ms: int
    deadline_ms: int
    moved_at_ms: tuple[int, ...] | None = None
    started_ms: int | None = None
    to_move: Side | None = None
    kind: str = "chess"
    setup: str | None = None
    event: str | None = None
    rated: bool = True

    @property
    def rule_ms(self) -> int:
        """The deadline by the legacy rule: so many days after the last move."""
        return self.last_move_ms + self.profile.initial_buffer_ms


class Over(Struct, frozen=True):
    """A game that is over on the legacy platform."""

    number: int
    id: str


class Line(Struct, kw_only=True, omit_defaults=True):
    """A row as it is written. `result`, `reason` and `moved_here` (plies played since the swap) are of rows for the way
    back."""

    id: str | int
    status: str
    white: str
    black: str
    code: str
    moves: str | list[str] = ""
    last_move_at: Instant
    current_deadline: Instant | None = None
    move_times: str | list[Instant] | None = None
    started_at: Instant | None = None
    to_move: Literal["white", "black"] | None = None
    kind: Literal["chess", "chess960"] = "chess"
    setup: str | None = None
    event: str | None = None
    rated: bool = True
    result: str | None = None
    reason: str | None = None
    moved_here: int | None = None


class _Refused(Exception):
    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


def read(lines: Iterable[str]) -> Iterator[Row | Over | Fault]:
    """The rows of an export, in their order; a bad one is a fault and stops no other.

    An id that comes again is a fault, however the rows may differ.
    """
    source = iter(lines)
    first = next(source, "")
    whole = chain([first], source)
    seen: dict[str, int] = {}
    for number, cells in _json_cells(whole) if first.lstrip().startswith("{") else _csv_cells(whole):
        found = cells if isinstance(cells, Fault) else _row(number, cells)
        if isinstance(found, Fault) or (earlier := seen.setdefault(found.id, number)) == number:
            yield found
        else:
            yield Fault(number, "id", f"{found.id!r} is in row {earlier} already")


def _json_cells(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield number, msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeError) as error:
            yield number, Fault(number, "JSON", str(error))


def _csv_cells(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any] | Fault]]:
    reader = csv.DictReader(lines, strict=True)
    columns = reader.fieldnames or ()
    if missing := [name for name in ("id", "status") if name not in columns]:
        yield 1, Fault(1, "columns", f"{', '.join(missing)} missing; the first line names the columns")
        return
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            at = reader.reader.line_num  # its own number is that of the last good row
            yield at, Fault(at, "columns", str(error))
            return
        if any(value is None or isinstance(value, list) for value in cells.values()):
            wrong = "there are more or fewer than in the first line"
            yield reader.line_num, Fault(reader.line_num, "columns", wrong)
        else:
            yield reader.line_num, {name: value for name, value in cells.items() if value != ""}


def _row(number: int, cells: Mapping[str, Any]) -> Row | Over | Fault:
    try:
        legacy_id = _legacy_id(cells.get("id"))
        if cells.get("status") == _FINISHED:
            return Over(number, legacy_id)
        return _running(number, legacy_id, msgspec.convert(cells, Line, strict=False))
    except _Refused as wrong:
        return Fault(number, wrong.field, wrong.detail)
    except msgspec.ValidationError as wrong:
        place = _PLACE.search(str(wrong))
        return Fault(number, (place[1] or place[2]) if place else "row", str(wrong))


def _legacy_id(value: Any) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not 0 < len(text) <= _LONGEST_ID or not text.isprintable() or text != text.strip():
        raise _Refused("id", f"{value!r} is none: up to {_LONGEST_ID} letters and signs")
    return text


def _running(number: int, legacy_id: str, line: Line) -> Row:
    if line.status != _RUNNING:
        raise _Refused("status", f"{line.status!r} is neither {_RUNNING} nor {_FINISHED}")
    times = line.move_times
    return Row(
        number=number,
        id=legacy_id,
        white=_player("white", line.white),
        black=_player("black", line.black, line.white),
        profile=_rigid(line.code),
        moves=_moves(line.moves),
        last_move_ms=_ms("last_move_at", line.last_move_at),
        deadline_ms=_ms("current_deadline", line.current_deadline),
        moved_at_ms=tuple(_ms("move_times", at) for at in _list(times or ())) or None,
        started_ms=None if line.started_at is None else _ms("started_at", line.started_at),
        to_move=None if line.to_move is None else Side.of_letter(line.to_move[0]),
        kind=line.kind,
        setup=line.setup,
        event=line.event,
        rated=line.rated,
    )


def _player(field: str, name: str, other: str | None = None) -> str:
    if not _PLAYER.fullmatch(name):
        raise _Refused(field, f"{name!r} is no player id ({PLAYER_ID})")
    if name == other:
        raise _Refused(field, f"{name!r} cannot play against themselves")
    return name


def _rigid(code: str) -> Profile:
    try:
        profile = named(code)
    except UnknownProfile as wrong:
        raise _Refused("code", str(wrong)) from wrong
    if profile.is_regenerative:
        raise _Refused("code", f"{code!r} is not of the form T<days>_1")
    return profile


def _list(value: str | Sequence[Any]) -> Sequence[Any]:
    return value.split() if isinstance(value, str) else value


def _moves(value: str | list[str]) -> tuple[str, ...]:
    return tuple(move for word in _list(value) if (move := _MOVE_NUMBER.sub("", word)))


def _ms(field: str, value: Instant | None) -> int:
    if value is None:
        raise _Refused(field, "missing")
    try:
        return instant_ms(value)
    except ValueError as wrong:
        raise _Refused(field, str(wrong)) from wrong


def instant_ms(value: Instant) -> int:
    """An instant, written as ms since the epoch or as RFC 3339. Raises ValueError.

    >>> instant_ms("1772323200000") == instant_ms("2026-03-01T01:00:00.000+01:00") == instant_ms(1772323200000)
    True
    """
    is_number = isinstance(value, int) or (value.isdecimal() and len(value) < _DIGITS)
    at_ms = int(value) if is_number else _rfc_3339(str(value))
    if not _EARLIEST_MS <= at_ms < _LATEST_MS:
        raise ValueError(f"{value!r} {_NO_INSTANT}")
    return at_ms


def _rfc_3339(text: str) -> int:
    try:
        at: datetime = msgspec.convert(text, Annotated[datetime, Meta(tz=True)])
    except msgspec.ValidationError as error:
        raise ValueError(f"{text!r} {_NO_INSTANT}") from error
    if at.microsecond % 1000:
        raise ValueError(f"{text!r} is finer than a millisecond")
    return (at - _EPOCH) // timedelta(milliseconds=1)
