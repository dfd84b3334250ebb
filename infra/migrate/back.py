"""`back FILE`: the games stand still here again, and are written with all their moves for the old platform."""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from chalicelib.migration.back import line_of
from chalicelib.migration.takeover import REASON, RETURNED, is_copy
from infra.migrate.acting import done_to_all
from infra.migrate.source import in_words, instant, lead_to_store
from infra.migrate.standing import Standing, standing, walked

if TYPE_CHECKING:
    from chalicelib.games.model import Game
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("back", help="freeze the games here and write them for the old platform")
    parser.add_argument("file", type=Path, help="JSON lines; .gz packs it")
    parser.add_argument(
        "--resumes-at",
        type=instant,
        help="when the old platform takes moves again: deadlines are what is left from then on (default: now)",
    )
    parser.set_defaults(handle=_back)


def _back(arguments: argparse.Namespace) -> int:
    lead_to_store()
    from chalicelib.core.settings import settings

    found = standing(walked())
    if found.copies:
        print(f"{found.copies} copies wait for the swap: it is half done, or was not begun.", file=sys.stderr)
    ids = [*_released(found), *found.returned]
    if not ids:
        print("No game was released here; there is nothing to take back.", file=sys.stderr)
        return 2
    faults = _freeze(found)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        return 1
    resumes_at_ms = arguments.resumes_at or settings().time.now_ms()
    lines = [line_of(game, resumes_at_ms) for game in _loaded(ids)]
    _write(arguments.file, b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    running = sum(line.status == "running" for line in lines)
    plies = sum(line.moved_here or 0 for line in lines)
    print(f"{running} running games and {len(lines) - running} that are over, with {plies} plies played here.")
    print(f"The clocks stand still; the deadlines written run on from {in_words(resumes_at_ms)}.")
    return 0


def _released(found: Standing) -> list[str]:
    return [game_id for ids in found.released.values() for game_id in ids]


def _freeze(found: Standing) -> list[str]:
    """Stop the games that run, each under the key of its swap; what could not be stopped, in sentences."""
    from chalicelib.games.commands import Pause

    faults: list[str] = []
    for swap, ids in found.released.items():
        pause = Pause(reason=REASON, key=f"{RETURNED}-{swap}")
        faults += done_to_all(ids, "pause", pause, lambda game: not game.is_over and not is_copy(game))
    return faults


def _loaded(ids: list[str]) -> list[Game]:
    from chalicelib.games import store

    return sorted(store.load_many(ids), key=lambda game: game.terms.legacy_id or "")


def _write(path: Path, content: bytes) -> None:
    """The whole file or none."""
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    unfinished.replace(path)
