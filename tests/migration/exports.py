"""Legacy exports, made up: correspondence games with so many days for every move, as an old platform would write them.

`python -m tests.migration.exports 10000 games.csv` writes one to look at, running as of now.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import random
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import chess
import msgspec

from chalicelib.core.durations import DAY, HOUR

NOW = 1_780_000_000_000
COLUMNS = (
    *("id", "status", "white", "black", "code", "moves", "last_move_at", "current_deadline"),
    *("move_times", "started_at", "to_move"),
)
LINES = 60
DAYS = (1, 2, 3, 3, 3, 5, 7, 7, 10, 14)

Game = dict[str, Any]


@cache
def lines(longest: int, count: int = LINES) -> list[list[str]]:
    """Legal games of random moves that have not ended after `longest` plies, in UCI."""
    chance = random.Random(f"lines {longest}")
    found: list[list[str]] = []
    while len(found) < count:
        board = chess.Board()
        while len(board.move_stack) < longest and not board.is_game_over(claim_draw=True):
            board.push(chance.choice(list(board.legal_moves)))
        if not board.is_game_over(claim_draw=True):
            found.append([move.uci() for move in board.move_stack])
    return found


def legacy_game(number: int, chance: random.Random, now_ms: int, longest: int) -> Game:
    """A running game: everybody has moved within their days, and whoever is to move still has time at `now_ms`."""
    days = chance.choice(DAYS)
    moves = chance.choice(lines(longest))[: chance.randint(0, longest)]
    last_move_ms = now_ms - chance.randrange(days * DAY)
    times = [last_move_ms]
    for _ in moves:
        times.append(times[-1] - chance.choice((chance.randrange(DAY), chance.randrange(days * DAY))))
    started_ms, *moved = reversed(times)
    return {
        "id": f"G-{number:06}",
        "status": "running",
        "white": f"player{chance.randrange(2000)}",
        "black": f"gast{chance.randrange(2000)}",
        "code": f"T{days}_1",
        "moves": moves,
        "last_move_at": last_move_ms,
        "current_deadline": last_move_ms + days * DAY,
        "move_times": moved,
        "started_at": started_ms,
        "to_move": "white" if len(moves) % 2 == 0 else "black",
    }


def legacy_games(count: int, now_ms: int = NOW, *, longest: int = 12, seed: str = "legacy") -> list[Game]:
    """So many running games, the same for the same arguments."""
    chance = random.Random(seed)
    return [legacy_game(number, chance, now_ms, longest) for number in range(1, count + 1)]


def played_on(game: Game, chance: random.Random, until_ms: int, longest: int = 12) -> Game:
    """The game some time later: perhaps with a few moves more, all in time and before `until_ms`; never ended."""
    moves, times = list(game["moves"]), list(game["move_times"])
    days_ms = game["current_deadline"] - game["last_move_at"]
    whole = next((line for line in lines(longest) if line[: len(moves)] == moves), moves)
    last_ms = game["last_move_at"]
    while len(moves) < len(whole) and chance.random() < 0.6:
        latest_ms = min(until_ms, last_ms + days_ms - 1)
        earliest_ms = max(last_ms + 1, until_ms - HOUR)
        if earliest_ms > latest_ms:
            break
        last_ms = chance.randint(earliest_ms, latest_ms)
        moves.append(whole[len(moves)])
        times.append(last_ms)
    to_move = "white" if len(moves) % 2 == 0 else "black"
    changed = {"moves": moves, "move_times": times, "last_move_at": last_ms, "to_move": to_move}
    return game | changed | {"current_deadline": last_ms + days_ms}


def as_csv(games: Iterable[Game]) -> str:
    """The export as CSV, lists as texts with spaces."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for game in games:
        cells = (game.get(column, "") for column in COLUMNS)
        writer.writerow([" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in cells])
    return text.getvalue()


def as_json_lines(games: Iterable[Game]) -> str:
    return "".join(msgspec.json.encode(game).decode() + "\n" for game in games)


def write(path: Path, games: Iterable[Game]) -> Path:
    """As the name of the file says: .csv or .jsonl, .gz or not."""
    text = as_csv(games) if ".csv" in path.name else as_json_lines(games)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--longest", type=int, default=60, help="plies of the longest game")
    parser.add_argument("--now-ms", type=int, default=time.time_ns() // 1_000_000)
    chosen = parser.parse_args()
    write(chosen.file, legacy_games(chosen.count, chosen.now_ms, longest=chosen.longest))
