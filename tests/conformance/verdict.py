"""What a case came to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Verdict:
    """A case that passed, or what was expected and what came instead. `counts` are added up over all cases."""

    id: str
    faults: list[str]
    counts: Counter[str] = field(default_factory=Counter)


def judged(identity: str, judge: Callable[[], list[str]]) -> Verdict:
    """The verdict on one case; a case that cannot even be read has failed, and stops no other."""
    try:
        return Verdict(identity, judge())
    except Exception as error:
        return Verdict(identity, [f"expected a case that can be played, got {type(error).__name__}: {error}"])


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that are not blank, numbered from 1; bytes that are no UTF-8 spoil their own line only."""
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="backslashreplace").split("\n"), 1):
        if line.strip():
            yield number, line


def json_lines(path: Path) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """The lines of a file as (id, reader); a line that is no JSON object is known by its number and fails when read."""
    for number, line in text_lines(path):
        yield _identity(number, line), lambda text=line: json.loads(text)


def _identity(number: int, line: str) -> str:
    try:
        return str(json.loads(line)["id"])
    except (ValueError, TypeError, LookupError):
        return f"line {number}"
