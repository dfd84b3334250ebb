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
    Reinstated,
    Resumed,
    Shifted,
    Undone,
)
from chalicelib.games.model import DrawOffer, Game, Result


class Entry(Struct, frozen=True):
    """One event with the facts it brought about. Version `version` of the game is the one it made.

    `ply` is the number of the ply played, or the one that was to be played when anything else happened. `white_ms` and
    `black_ms` are the live balances right after it, None before the release. `used_ms` is what the event took off the
    account of `charged`, `given_ms` what a referee put on it; the other times are those of a move.
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
    charged: Side | None = None
    given_ms: int = 0


class _Effect(Struct, frozen=True):
    """The game after an event, whose act it was, and what it did to an account."""

    game: Game
    by: Side | None = None
    pressed: clocks.Pressed | None = None
    charged: Side | None = None
    used_ms: int = 0
    given_ms: int = 0


def evolve(game: Game, event: Event) -> tuple[Game, Entry]:
    """The game after an event, with one event more in its log. The board of a move is the caller's to set."""
    after, entry = _step(game, event, game.log)
    return replace(after, log=game.log.plus(event)), entry


def history(game: Game) -> list[Entry]:
    """All entries of a game, oldest first."""
    entries = []
    state = beginning(game)
    for event in game.log:
        state, entry = _step(state, event, game.log)
        entries.append(entry)
    return entries


def rebuilt(game: Game) -> Game:
    """The game as its log alone says it is; boards are not played through."""
    state = beginning(game)
    for event in game.log:
        state, _ = _step(state, event, game.log)
    return replace(state, log=game.log)


def beginning(game: Game) -> Game:
    """The game before its first event."""
    fresh = replace(game, version=0, log=Log(game.created_at_ms), invitation=None, clock=None, offer=None, result=None)
    if game.terms.is_by_invitation or game.released_at_ms is None:
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


def _step(game: Game, event: Event, log: Log) -> tuple[Game, Entry]:
    """The game after an event, and its entry; `log` is the whole log, or what of it came before the event."""
    effect = _effect(game, event, log)
    after = replace(effect.game, version=game.version + 1)
    clock = after.clock
    white_ms = black_ms = None
    if clock is not None:
        white_ms = clocks.live_remaining(clock, Side.WHITE, event.at_ms)
        black_ms = clocks.live_remaining(clock, Side.BLACK, event.at_ms)
    pressed = effect.pressed
    if pressed is None:
        return after, Entry(
            after.version,
            event,
            game.ply,
            effect.by,
            white_ms,
            black_ms,
            effect.used_ms,
            charged=effect.charged,
            given_ms=effect.given_ms,
        )
    return after, Entry(
        after.version,
        event,
        game.ply,
        effect.by,
        white_ms,
        black_ms,
        pressed.used_ms,
        pressed.increment_ms,
        pressed.lapsed_ms,
        pressed.overrun_ms,
        charged=effect.by,
    )


def _effect(game: Game, event: Event, log: Log) -> _Effect:
    if isinstance(event, Moved):
        return _moved(game, event)
    if isinstance(event, Accepted):
        return _Effect(released(game, event.at_ms), event.by)
    if isinstance(event, Ended):
        return _Effect(replace(game, result=Result(event.reason, event.winner, event.at_ms), offer=None), event.by)
    if isinstance(event, DrawOffered):
        return _Effect(replace(game, offer=DrawOffer(event.by, game.ply)), event.by)
    if isinstance(event, DrawDeclined):
        return _Effect(replace(game, offer=None), event.by)
    return _clock_act(game, event, log)


def _moved(game: Game, event: Moved) -> _Effect:
    clock = running_clock(game)
    pressed = clocks.press(clock, event.at_ms, ends_game=event.end is not None, lag_ms=event.lag_ms)
    result = Result(event.end.reason, event.end.winner, event.at_ms) if event.end else None
    return _Effect(replace(game, clock=pressed.clock, offer=None, result=result), clock.to_move, pressed)


def _clock_act(game: Game, event: Paused | Resumed | Adjusted | Reinstated | Undone | Shifted, log: Log) -> _Effect:
    clock = running_clock(game)
    match event:
        case Paused(at_ms, reason):
            return _on_clock(game, clocks.pause(clock, at_ms, reason))
        case Resumed(at_ms, reason):
            return _on_clock(game, clocks.resume(clock, at_ms, reason))
        case Adjusted(at_ms, side, requested_ms):
            return _adjusted(game, side, clocks.adjust(clock, at_ms, side, delta_ms=requested_ms))
        case Shifted(at_ms, _, from_ms):
            return _on_clock(game, clocks.shift_for_window(clock, from_ms, at_ms)[0])
        case Reinstated(at_ms, _, requested_ms):
            return _reinstated(game, at_ms, requested_ms)
        case Undone(at_ms, version):
            return _undone(game, at_ms, log.event(version), log.until(version - 1))


def _on_clock(game: Game, after: clocks.Clock) -> _Effect:
    """A window that lay before a correction pays back what that took off the account, and so charges less than 0."""
    side = after.to_move
    used_ms = running_clock(game).account(side).remaining_ms - after.account(side).remaining_ms
    return _Effect(replace(game, clock=after), charged=side, used_ms=used_ms)


def _adjusted(game: Game, side: Side, adjusted: clocks.Adjusted) -> _Effect:
    """A correction of the running account charges the turn so far (settled 13: all time used is in some entry)."""
    left_ms = adjusted.clock.account(side).remaining_ms - adjusted.applied_ms
    used_ms = running_clock(game).account(side).remaining_ms - left_ms
    return _Effect(replace(game, clock=adjusted.clock), charged=side, used_ms=used_ms, given_ms=adjusted.applied_ms)


def _reinstated(game: Game, at_ms: int, requested_ms: int) -> _Effect:
    if game.result is None:
        raise ValueError(f"game {game.id} has not ended")
    clock, ended_at_ms = running_clock(game), game.result.at_ms
    to_ms = clocks.live_remaining(clock, clock.to_move, ended_at_ms) + requested_ms
    back = _adjusted(game, clock.to_move, clocks.reinstate(clock, at_ms, ended_at_ms, to_ms))
    return replace(back, game=replace(back.game, result=None))


def _undone(game: Game, at_ms: int, act: Event, before: Log) -> _Effect:
    """The game without an act of the desk; `before` is the log before that act. What passed meanwhile is charged as it
    would have been, but for the time in which the act itself kept the players from moving."""
    clock = running_clock(game)
    match act:
        case Paused(_, reason):
            return _on_clock(game, clocks.resume(clock, at_ms, reason))
        case Resumed(resumed_at_ms, reason):
            return _on_clock(game, clocks.resumed_never(clock, resumed_at_ms, at_ms, reason))
        case Adjusted(_, side, _, applied_ms):
            return _adjusted(game, side, clocks.adjust(clock, at_ms, side, delta_ms=-applied_ms))
        case Ended(ended_at_ms):
            back = _on_clock(game, clocks.ended_never(clock, ended_at_ms, at_ms))
            return replace(back, game=replace(back.game, result=None, offer=_open_offer(before, game.ply)))
    raise ValueError(f"no act of the desk that can be undone: {act}")


def _open_offer(log: Log, ply: int) -> DrawOffer | None:
    """The draw offer that was open at the end of a log."""
    for event in log.backwards():
        if isinstance(event, DrawOffered):
            return DrawOffer(event.by, ply)
        if isinstance(event, Moved | DrawDeclined | Reinstated):
            return None
    return None


def ends_taken_back(game: Game) -> list[int]:
    """The times of the ends that were taken back, oldest first."""
    ends = [event.at_ms for event in game.log if isinstance(event, Ended)]
    return ends[:-1] if game.result is not None and isinstance(next(game.log.backwards()), Ended) else ends


def running_clock(game: Game) -> clocks.Clock:
    """The clock of a released game."""
    if game.clock is None:
        raise ValueError(f"game {game.id} has not been released")
    return game.clock
