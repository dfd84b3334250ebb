"""What must hold for every stored game at any time; the local check walks the whole store with it. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from chalicelib.core.sides import Side
from chalicelib.games.events import Ended, Event, Log, Moved, Reinstated, Undone
from chalicelib.games.history import Entry, history, rebuilt
from chalicelib.games.item import index_keys
from chalicelib.games.model import Game
from chalicelib.rules.referee import IllegalMove, Referee

IndexKeys = tuple[str, int] | None


def faults(game: Game, shown: IndexKeys, referee: Referee) -> Iterator[str]:
    """Every way in which a stored game contradicts itself; `shown` is what its item shows in the deadline index."""
    try:
        again, entries = rebuilt(game), history(game)
    except (ValueError, KeyError) as error:
        yield f"the log cannot be read: {error}"
        return
    yield from _differences(game, again)
    yield from _wrong_index(game, shown)
    yield from _wrong_ends(game)
    yield from _unbalanced(game, entries)
    yield from _wrong_board(game, referee)


def _differences(game: Game, again: Game) -> Iterator[str]:
    for name in ("version", "clock", "offer", "result", "released_at_ms"):
        stored, from_log = getattr(game, name), getattr(again, name)
        if stored != from_log:
            yield f"{name}: stored {stored}, from the log {from_log}"
    if game.version != len(game.log):
        yield f"version {game.version}, but {len(game.log)} events"


def _wrong_index(game: Game, shown: IndexKeys) -> Iterator[str]:
    derived = index_keys(game)
    has_left = game.is_over and shown is None
    if shown != derived and not has_left:
        yield f"index: shown {shown}, derived {derived}"


def _wrong_ends(game: Game) -> Iterator[str]:
    ends = [event for event in game.log if isinstance(event, Ended) or (isinstance(event, Moved) and event.end)]
    taken_back = sum(_takes_an_end_back(event, game.log) for event in game.log)
    if len(ends) - taken_back != int(game.is_over):
        state = "over" if game.is_over else "not over"
        yield f"{len(ends)} terminal events and {taken_back} taken back in a game that is {state}"


def _takes_an_end_back(event: Event, log: Log) -> bool:
    return isinstance(event, Reinstated) or (isinstance(event, Undone) and isinstance(log.event(event.version), Ended))


def _unbalanced(game: Game, entries: list[Entry]) -> Iterator[str]:
    """used + left = start + increments - lapsed + adjustments + grace overrun (settled 13; lag is not in `used`)."""
    if game.clock is None:
        return
    for side in Side:
        of_side = [entry for entry in entries if entry.charged is side]
        used = sum(entry.used_ms for entry in of_side) + game.clock.account(side).remaining_ms
        earned = sum(entry.increment_ms - entry.lapsed_ms + entry.overrun_ms for entry in of_side)
        given = sum(entry.given_ms for entry in of_side)
        start = game.profiles[side].initial_buffer_ms
        if used != start + given + earned:
            yield f"{side.colour}: used + left {used}, start + given + earned {start + given + earned}"


def _wrong_board(game: Game, referee: Referee) -> Iterator[str]:
    position = referee.start(game.setup)
    for ply, event in enumerate(event for event in game.log if isinstance(event, Moved)):
        try:
            position = referee.play(position, event.move).position
        except IllegalMove as error:
            yield f"ply {ply}: {error}"
            return
    if position != game.position:
        yield f"position: stored {game.position.notation}, from the log {position.notation}"
