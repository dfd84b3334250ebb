"""`play FILE.pgn`: play the games of a PGN archive through the API, two players a game.

A game that cannot be read or played is reported with its number and the reason, and does not stop the rest.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import io
import logging
import re
import secrets
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import chess
import chess.pgn
from tqdm import tqdm

from infra.local.api import Player, Refused
from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from infra.local import Commands

_TAG: Final = re.compile(r'\s*\[(\w+)\s+"')
_LONGEST_NAME: Final = 48
_SNIFFED: Final = 8_192  # a NUL byte in so many means no text; git asks the same


# Its errors are in our own report.
logging.getLogger(chess.pgn.__name__).setLevel(logging.CRITICAL)


class NoArchive(Exception):
    """There is no text to read games from; the message is the sentence to print."""


class Unplayable(ValueError):
    """The text is no game that is played here; the message says why."""


@dataclass(frozen=True, slots=True)
class Script:
    """A game to be played: everything the API needs to know of it. `moves` are UCI."""

    number: int
    white: str
    black: str
    kind: str
    setup: str | None
    moves: tuple[str, ...]
    result: str


def register(commands: Commands) -> None:
    parser = commands.add_parser("play", help="play the games of a PGN file through the API")
    parser.add_argument("file", type=Path, help="a PGN archive; `-` reads standard input")
    parser.add_argument("--profile", default="30-30-1", help="time-control profile (default: %(default)s)")
    parser.add_argument("--parallel", type=int, default=4, help="games at a time (default: %(default)s)")
    parser.set_defaults(handle=_play)


def _play(arguments: argparse.Namespace) -> int:
    stack = RunningStack.find()
    try:
        text = _text(arguments.file)
    except NoArchive as error:
        print(error, file=sys.stderr)
        return 2
    return play_archive(stack, text, arguments.profile, arguments.parallel)


def _text(file: Path) -> str:
    """What the file says. Archives of old are in Latin-1. Raises NoArchive."""
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except FileNotFoundError as error:
        raise NoArchive(f"There is no file {file}.") from error
    except IsADirectoryError as error:
        raise NoArchive(f"{file} is a folder; name a PGN file in it.") from error
    except OSError as error:
        raise NoArchive(f"{file} cannot be read: {(error.strerror or str(error)).lower()}.") from error
    if b"\0" in raw[:_SNIFFED]:
        raise NoArchive(f"{file} is not a text file; archives that are packed have to be unpacked first.")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def play_archive(stack: RunningStack, text: str, profile: str, parallel: int = 4) -> int:
    """Play every game of an archive and print a summary; 0 if there were games and all were played."""
    chunks = list(split(text))
    if not chunks:
        print("No game was found.")
        return 1
    run = secrets.token_hex(6)

    def one(numbered: tuple[int, str]) -> tuple[int, str, str]:
        """Number of the game, how it ended (nothing if it could not be played), and why it could not."""
        number, chunk = numbered
        try:
            return number, play_script(stack, read(number, chunk), profile, run), ""
        except (Unplayable, Refused, OSError, http.client.HTTPException) as error:
            return number, "", str(error) or type(error).__name__

    with ThreadPoolExecutor(max(1, parallel)) as pool:
        outcomes = list(tqdm(pool.map(one, enumerate(chunks, 1)), total=len(chunks), unit=" games"))
    failures = [(number, reason) for number, end, reason in outcomes if not end]
    for number, reason in failures:
        print(f"game {number}: {reason}")
    print(f"Games played: {len(chunks) - len(failures)}, not played: {len(failures)}.")
    for end, count in Counter(end for _, end, _ in outcomes if end).most_common():
        print(f"{count:6} {end}")
    return 1 if failures else 0


def split(text: str) -> Iterator[str]:
    """The games of an archive. Blank lines are missing in some and strewn about in others, so tags tell games apart.

    A game begins with an Event tag, wherever it stands, and with any other tag that follows moves or comes again.

    >>> len(list(split('[Event "a"]\\n1. e4 *\\n[Event "b"]\\n1. d4 *\\n[Round "3"]\\n[White "x"]\\n[Round "4"]\\n')))
    4
    """
    lines: list[str] = []
    tags: set[str] = set()
    has_moves, comment_depth = False, 0
    for line in text.splitlines(keepends=True):
        tag = _TAG.match(line)
        if tag and (tag[1] == "Event" or (comment_depth <= 0 and (has_moves or tag[1] in tags))):
            if "".join(lines).strip():
                yield "".join(lines)
            lines, tags, has_moves, comment_depth = [], set(), False, 0
        if tag and not comment_depth:
            tags.add(tag[1])
        elif line.strip():
            has_moves = True
            comment_depth += line.count("{") - line.count("}")
        lines.append(line)
    if "".join(lines).strip():
        yield "".join(lines)


def read(number: int, chunk: str) -> Script:
    """The game of one chunk. Raises Unplayable."""
    try:
        game = chess.pgn.read_game(io.StringIO(chunk.strip()))
        if game is None:
            raise Unplayable("no game in it")
        board = game.board()
    except (ValueError, RecursionError, AssertionError) as error:
        raise Unplayable(f"cannot be read: {error}") from error
    if game.errors:
        of_many = f" (the first of {len(game.errors)} errors)" if len(game.errors) > 1 else ""
        raise Unplayable(f"cannot be read: {game.errors[0]}{of_many}")
    if type(board) is not chess.Board:
        raise Unplayable(f"variant {game.headers.get('Variant')} is not played here")
    moves = tuple(board.uci(move, chess960=board.chess960) for move in _mainline(game))
    if not moves and not any(map(_TAG.match, chunk.splitlines())):
        raise Unplayable("cannot be read: no game in it")
    is_usual = "FEN" not in game.headers and not board.chess960
    return Script(
        number=number,
        white=_player_id(game.headers.get("White", "?"), "white"),
        black=_player_id(game.headers.get("Black", "?"), "black"),
        kind="chess960" if board.chess960 else "chess",
        setup=None if is_usual else board.fen(),
        moves=moves,
        result=game.headers.get("Result", "*"),
    )


def _mainline(game: chess.pgn.Game) -> Iterator[chess.Move]:
    for node in game.mainline():
        if not node.move:
            raise Unplayable(f"a null move at ply {node.ply()}")
        yield node.move


def _player_id(name: str, side: str) -> str:
    """A player id for a name as archives write it.

    >>> _player_id("Réti, Richard", "white")
    'reti-richard.white'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_NAME]
    return f"{slug or hashlib.sha256(name.encode()).hexdigest()[:12]}.{side}"


def play_script(stack: RunningStack, script: Script, profile: str, run: str) -> str:
    """Play one game to its end; returns how it ended."""
    players = Player(stack, script.white), Player(stack, script.black)
    white, black = players
    body = {
        "opponent": black.name,
        "kind": script.kind,
        "profile": profile,
        "colour": "white",
        "setup": script.setup,
    }
    game = white.post("/v1/challenges", body, key=f"{run}-{script.number}")
    path = f"/v1/games/{game['id']}"
    black.post(f"/v1/challenges/{game['id']}/accept")
    first = 0 if game["to_move"] == "white" else 1
    for ply, move in enumerate(script.moves):
        event = players[(first + ply) % 2].post(f"{path}/moves", {"ply": ply, "move": move})
        if "reason" in event and ply < len(script.moves) - 1:
            raise Unplayable(
                f"over by {event['reason']} after ply {ply}, but {len(script.moves) - ply - 1} plies follow"
            )
    if white.get(path)["result"] is None:
        _end_as_written(players, path, script)
    result = white.get(path)["result"]
    return result["reason"] if result else "still running"


def _end_as_written(players: tuple[Player, Player], path: str, script: Script) -> None:
    """Resign for whoever lost, agree to a draw, or leave a game without result running."""
    white, black = players
    if script.result == "1-0":
        black.post(f"{path}/resign")
    elif script.result == "0-1":
        white.post(f"{path}/resign")
    elif script.result == "1/2-1/2":
        white.post(f"{path}/draw-offer", {"ply": len(script.moves)})
        black.post(f"{path}/draw-offer/accept", {"ply": len(script.moves)})
