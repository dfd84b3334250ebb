"""What a command found and did: lines for people, JSON lines for programs, and the exit code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import IO, Final

import msgspec
from msgspec import Struct
from tqdm import tqdm

from chalicelib.migration.rows import Fault, Row
from chalicelib.migration.shadow import Difference
from chalicelib.migration.takeover import Unfit, game_id

_SHOWN: Final = 100


class Finding(Struct, frozen=True, omit_defaults=True):
    """A line of a report. `id` and `game` are what a game is called there and here, if that much could be read."""

    row: int
    code: str
    field: str
    detail: str
    id: str = ""
    game: str = ""

    def __str__(self) -> str:
        where = f"row {self.row} ({self.id})" if self.id else f"row {self.row}"
        return f"{where}: {self.field}: {self.detail}"


class Report:
    """Collects findings; the first hundred are printed, `path` gets them all."""

    def __init__(self, path: Path | None = None) -> None:
        self._counts: Counter[str] = Counter()
        self._file: IO[bytes] | None = path.open("wb") if path else None

    def fault(self, fault: Fault) -> None:
        """A row that cannot be read."""
        self._add(Finding(fault.row, "unreadable", fault.field, fault.detail))

    def difference(self, row: Row, difference: Difference) -> None:
        found = Finding(row.number, difference.code, difference.field, difference.detail, row.id, game_id(row.id))
        self._add(found)

    def unfit(self, number: int, legacy_id: str, unfit: Unfit) -> None:
        """A row that does not go with the game that stands here."""
        self._add(Finding(number, "unfit", unfit.field, unfit.detail, legacy_id, game_id(legacy_id)))

    def _add(self, found: Finding) -> None:
        self._counts[found.code] += 1
        if self._file:
            self._file.write(msgspec.json.encode(found) + b"\n")
        if self._counts.total() <= _SHOWN:
            tqdm.write(str(found))

    def close(self) -> int:
        """Print how many of what was found; the exit code."""
        if self._file:
            self._file.close()
        if (hidden := self._counts.total() - _SHOWN) > 0:
            print(f"... and {hidden} more; --report FILE keeps all.")
        for code, count in self._counts.most_common():
            print(f"{count:8} {code}")
        return 1 if self._counts else 0
