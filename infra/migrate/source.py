"""The legacy export as a file: CSV or JSON lines, gzip or not, read row by row however long it is."""

from __future__ import annotations

import argparse
import gzip
import io
import os
import time
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from tqdm import tqdm

from chalicelib.migration.rows import Fault, Over, Row, instant_ms, read
from infra.local.stack import RunningStack

_GZIP: Final = b"\x1f\x8b"


class Unreadable(Exception):
    """There is no text in the file, or not all of it; the message is the sentence to print."""


def add_file(parser: argparse.ArgumentParser) -> None:
    """The file that a command reads, and the report that it may write."""
    parser.add_argument("file", type=Path, help="the export: CSV or JSON lines, gzip or not")
    parser.add_argument("--report", type=Path, help="also write what was found into this file, as JSON lines")


def instant(text: str) -> int:
    """For options: an instant in ms, or RFC 3339."""
    try:
        return instant_ms(int(text) if text.isdecimal() else text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def real_now_ms() -> int:
    """Now, for commands that only read a file."""
    return time.time_ns() // 1_000_000


def in_words(at_ms: int) -> str:
    """An instant for people and for `--frozen-at`.

    >>> in_words(1_772_323_200_005)
    '2026-03-01T00:00:00.005Z'
    """
    return datetime.fromtimestamp(at_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def rows_of(path: Path, label: str) -> Iterator[Row | Over | Fault]:
    """The rows of a file, with a bar that shows how much of it has been read. Raises Unreadable, perhaps half-way."""
    try:
        size = path.stat().st_size
        with path.open("rb") as raw, tqdm(total=size, desc=label, unit="B", unit_scale=True) as bar:
            text = _text(raw)
            for found in read(text):
                bar.update(raw.tell() - bar.n)
                yield found
            bar.update(size - bar.n)
    except FileNotFoundError as error:
        raise Unreadable(f"There is no file {path}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Unreadable(f"{path} cannot be unpacked to its end: {error}.") from error
    except UnicodeDecodeError as error:
        raise Unreadable(f"{path} is not a text in UTF-8: {error}.") from error
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.") from error


def _text(raw: IO[bytes]) -> IO[str]:
    start = raw.read(2)
    raw.seek(0)
    unpacked: IO[bytes] = gzip.GzipFile(fileobj=raw) if start == _GZIP else raw  # type: ignore[assignment]
    return io.TextIOWrapper(unpacked, "utf-8-sig", newline="")


def lead_to_store() -> None:
    """Let the code of a slice run in this process against the store. Raises NotRunning."""
    if "GAMES_TABLE" not in os.environ:
        os.environ.update(RunningStack.find().environment())
