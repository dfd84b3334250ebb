"""Games as files: JSON with every event and its exact times, and PGN for chess programs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec

from chalicelib.clock.profiles import Profile
from chalicelib.core.durations import SECOND
from chalicelib.core.sides import Side
from chalicelib.games.events import Moved
from chalicelib.games.history import history
from chalicelib.games.model import Game
from chalicelib.games.views import EventView, ResultView, Seats, event_view, result_view, score
from chalicelib.rules import referee

_TERMINATIONS: Final = {
    "time": "time forfeit",
    "no_start": "abandoned",
    "guillotine": "adjudication",
    "adjudication": "adjudication",
}
_PGN_COLUMNS: Final = 80


class GameRecord(msgspec.Struct):
    """A game as kept outside: everything that happened, in ms since the epoch."""

    id: str
    kind: str
    origin: str
    event: str | None
    rated: bool
    players: Seats
    profiles: tuple[Profile, Profile]
    setup: str | None
    final_position: str
    created_ms: int
    released_ms: int | None
    result: ResultView | None
    events: list[EventView]


class Trailer(msgspec.Struct):
    """The last line of an ndjson page: how many games came before it, and the cursor of the next page."""

    count: int
    next: str | None


def exported_json(game: Game) -> GameRecord:
    """The record of a game."""
    return GameRecord(
        id=game.id,
        kind=game.kind,
        origin=game.terms.origin,
        event=game.terms.event,
        rated=game.terms.rated,
        players=Seats(game.white, game.black),
        profiles=game.profiles,
        setup=game.setup,
        final_position=game.position.notation,
        created_ms=game.created_at_ms,
        released_ms=game.released_at_ms,
        result=result_view(game),
        events=[event_view(entry) for entry in history(game)],
    )


def exported_ndjson(games: list[Game], following: str | None) -> str:
    """One record a line, and a trailer, so that a page cut off on its way is seen to be cut off."""
    lines = [msgspec.json.encode(exported_json(game)) for game in games]
    lines.append(msgspec.json.encode({"trailer": Trailer(len(games), following)}))
    return b"\n".join(lines).decode() + "\n"


def exported_pgn(game: Game) -> str:
    """A chess game as PGN; `[%clk]` is the mover's account after the move, `[%emt]` the time it took, to the ms."""
    tags = "".join(f'[{name} "{_escaped(value)}"]\n' for name, value in _tags(game).items())
    return f"{tags}\n{_movetext(game)}\n"


def _tags(game: Game) -> dict[str, str]:
    released = _utc(game.released_at_ms if game.released_at_ms is not None else game.created_at_ms)
    tags = {
        "Event": game.terms.event or ("Rated game" if game.terms.rated else "Casual game"),
        "Site": game.id,
        "Date": released.strftime("%Y.%m.%d"),
        "Round": "-",
        "White": game.white or "?",
        "Black": game.black or "?",
        "Result": score(game),
        "UTCDate": released.strftime("%Y.%m.%d"),
        "UTCTime": released.strftime("%H:%M:%S"),
        "TimeControl": _time_control(game.profiles[game.first_to_move]),
        "TimeControlProfile": " / ".join(dict.fromkeys(profile.code for profile in game.profiles)),
    }
    if game.result is not None:
        ended = _utc(game.result.at_ms)
        tags |= {
            "EndDate": ended.strftime("%Y.%m.%d"),
            "EndTime": ended.strftime("%H:%M:%S"),
            "Termination": _TERMINATIONS.get(game.result.reason, "normal"),
            "TerminationReason": game.result.reason,
        }
    if game.kind == "chess960":
        tags["Variant"] = "Chess960"
    start = referee(game.kind).start(game.setup).notation
    if game.setup is not None or game.kind == "chess960":
        tags |= {"SetUp": "1", "FEN": start}
    return tags


def _time_control(profile: Profile) -> str:
    return f"{profile.initial_buffer_ms // SECOND}+{profile.increment_ms // SECOND}"


def _utc(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / SECOND, UTC)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _movetext(game: Game) -> str:
    judge = referee(game.kind)
    position = judge.start(game.setup)
    number = int(position.notation.split()[5])
    words: list[str] = []
    for entry in history(game):
        if not isinstance(entry.event, Moved):
            continue
        side = judge.to_move(position)
        if side is Side.WHITE or not words:
            words.append(f"{number}." if side is Side.WHITE else f"{number}...")
        left_ms = entry.white_ms if side is Side.WHITE else entry.black_ms
        words.append(judge.notate(position, entry.event.move))
        words += ["{", f"[%clk {_clock_text(left_ms or 0)}]", f"[%emt {_clock_text(entry.used_ms)}]", "}"]
        position = judge.play(position, entry.event.move).position
        number += side is Side.BLACK
    words.append(score(game))
    return _wrapped(words)


def _clock_text(ms: int) -> str:
    """Hours, minutes, seconds, and milliseconds where there are any.

    >>> _clock_text(2_592_000_000), _clock_text(61_500)
    ('720:00:00', '0:01:01.500')
    """
    seconds, rest = divmod(ms, SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{rest:03d}" if rest else ""
    return f"{hours}:{minutes:02d}:{seconds:02d}{fraction}"


def _wrapped(words: list[str]) -> str:
    lines, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > _PGN_COLUMNS:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line])
