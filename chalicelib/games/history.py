"""What an event does to a game, and the whole history of a game as a fold over its log.

Decisions and history share `evolve`, so a game rebuilt from its log cannot differ from the stored one by rule, only
by a fault; `rebuilt` lets the store be checked for that.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.core.sides import Side
from chalicelib.games.events import (
    Accepted,
    Adjusted,
    DrawDeclined,
    DrawOffered,
    Ended,
    Event,
    Log,
    Moved,
    Paused,
    Resumed,
    Shifted,
)
from chalicelib.games.model import DrawOffer, Game, Result


class Entry(Struct, frozen=True):
    """One event with the facts it brought about. Version `version` of the game is the one it made.

    `ply` is the number of the ply played, or the one that was to be played when anything else happened. `white_ms` and
    `black_ms` are the live balances right after it, None before the release. The other times are those of a move.
    """

    version: int
    event: Event
    ply: int
    by: Side | None
    white_ms: int | None
    black_ms: int | None
    used_ms: int = 0
    increment_ms: int = 0
    lapsed_ms: int = 0
    overrun_ms: int = 0


def evolve(game: Game, event: Event) -> tuple[Game, Entry]:
    """The game after an event, with one event more in its log. The board of a move is the caller's to set."""
    after, entry = _effect(game, event)
    return replace(after, log=game.log.plus(event)), entry


def history(game: Game) -> list[Entry]:
    """All entries of a game, oldest first."""
    entries = []
    state = beginning(game)
    for event in game.log:
        state, entry = _effect(state, event)
        entries.append(entry)
    return entries


def rebuilt(game: Game) -> Game:
    """The game as its log alone says it is; boards are not played through."""
    state = beginning(game)
    for event in game.log:
        state, _ = _effect(state, event)
    return replace(state, log=game.log)


def beginning(game: Game) -> Game:
    """The game before its first event."""
    is_paired = game.terms.origin == "pairing"
    fresh = replace(game, version=0, log=Log(game.created_at_ms), invitation=None, clock=None, offer=None, result=None)
    if not is_paired or game.released_at_ms is None:
        return replace(fresh, released_at_ms=None)
    return released(fresh, game.released_at_ms)


def released(game: Game, at_ms: int) -> Game:
    """Start the clock of a game."""
    clock = clocks.release(
        game.profiles,
        at_ms,
        to_move=game.first_to_move,
        guillotine_ms=game.terms.guillotine_ms,
        guillotine_shifts=game.terms.guillotine_shifts,
    )
    return replace(game, clock=clock, released_at_ms=at_ms, invitation=None)


def _effect(game: Game, event: Event) -> tuple[Game, Entry]:
    after, by, pressed = _state_after(game, event)
    after = replace(after, version=game.version + 1)
    clock = after.clock
    white_ms = black_ms = None
    if clock is not None:
        white_ms = clocks.live_remaining(clock, Side.WHITE, event.at_ms)
        black_ms = clocks.live_remaining(clock, Side.BLACK, event.at_ms)
    if pressed is None:
        used_ms = _charged(game, after, event)
        return after, Entry(after.version, event, game.ply, by, white_ms, black_ms, used_ms)
    return after, Entry(
        after.version,
        event,
        game.ply,
        by,
        white_ms,
        black_ms,
        pressed.used_ms,
        pressed.increment_ms,
        pressed.lapsed_ms,
        pressed.overrun_ms,
    )


def _state_after(game: Game, event: Event) -> tuple[Game, Side | None, clocks.Pressed | None]:
    if isinstance(event, Moved):
        return _moved(game, event)
    if isinstance(event, Accepted):
        return released(game, event.at_ms), event.by, None
    if isinstance(event, Ended):
        result = Result(event.reason, event.winner, event.at_ms)
        return replace(game, result=result, offer=None), event.by, None
    if isinstance(event, DrawOffered):
        return replace(game, offer=DrawOffer(event.by, game.ply)), event.by, None
    if isinstance(event, DrawDeclined):
        return replace(game, offer=None), event.by, None
    return replace(game, clock=_referee_act(running_clock(game), event)), None, None


def _charged(before: Game, after: Game, event: Event) -> int:
    """What anything but a move took off an account (settled 13: all time used is in some entry).

    A correction charges the running turn so far; a window that lay before it pays back, and so charges less than 0.
    """
    if not isinstance(event, Adjusted | Shifted):
        return 0
    clock = running_clock(before)
    if isinstance(event, Adjusted):
        return clocks.elapsed(clock, event.at_ms) if event.side is clock.to_move else 0
    side = clock.to_move
    return clock.account(side).remaining_ms - running_clock(after).account(side).remaining_ms


def _moved(game: Game, event: Moved) -> tuple[Game, Side, clocks.Pressed]:
    clock = running_clock(game)
    pressed = clocks.press(clock, event.at_ms, ends_game=event.end is not None, lag_ms=event.lag_ms)
    result = Result(event.end.reason, event.end.winner, event.at_ms) if event.end else None
    return replace(game, clock=pressed.clock, offer=None, result=result), clock.to_move, pressed


def _referee_act(clock: clocks.Clock, event: Paused | Resumed | Adjusted | Shifted) -> clocks.Clock:
    match event:
        case Paused(at_ms, reason):
            return clocks.pause(clock, at_ms, reason)
        case Resumed(at_ms, reason):
            return clocks.resume(clock, at_ms, reason)
        case Adjusted(at_ms, side, requested_ms):
            return clocks.adjust(clock, at_ms, side, delta_ms=requested_ms).clock
        case Shifted(at_ms, _, from_ms):
            return clocks.shift_for_window(clock, from_ms, at_ms)[0]


def running_clock(game: Game) -> clocks.Clock:
    """The clock of a released game."""
    if game.clock is None:
        raise ValueError(f"game {game.id} has not been released")
    return game.clock
