"""The rules of the referee's desk: what a referee may do to a game, and until when. Pure.

Settled 4: from the deadline on nothing can move it, although a player may still move while the grace runs. Everything a
referee does is an event of the log, and `last_act` says which of them can be taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import spelled
from chalicelib.core.sides import Side
from chalicelib.games.commands import Adjudicate, Adjust, DeskCommand, Pause, Reinstate, Resume, Undo
from chalicelib.games.due import due
from chalicelib.games.events import (
    BY_REFEREE,
    Adjusted,
    Ended,
    Log,
    Moved,
    Paused,
    RefereesEvent,
    Reinstated,
    Resumed,
    Undone,
)
from chalicelib.games.history import evolve, history, running_clock
from chalicelib.games.model import Game
from chalicelib.games.ruling import Change, Refusal, Ruling, over

ENDS_ON_TIME: Final = frozenset({"time", "no_start", "auto_aborted", "guillotine"})
"""Ends that the clock brought about, and that a referee may take back."""


def answer(game: Game, command: DeskCommand, now_ms: int) -> Ruling:
    """What becomes of an act of the desk."""
    if game.clock is None:
        return over(game) if game.is_over else Refusal("not_started", "the game has not started")
    try:
        if isinstance(command, Reinstate):
            return _reinstate(game, command, now_ms)
        if isinstance(command, Undo):
            return _undo(game, command, now_ms)
        return _in_time(game, now_ms) or _RULES[type(command)](game, command, now_ms)
    except clocks.WouldExpire as wrong:
        return Refusal("would_expire", str(wrong))


def last_act(log: Log) -> tuple[int, RefereesEvent] | None:
    """The last act of a referee that no ply followed and that still counts, with the version it made."""
    acts: list[tuple[int, RefereesEvent]] = []
    for version, event in enumerate(log, 1):
        match event:
            case Moved():
                acts.clear()
            case Undone():
                acts.pop()
            case Paused() | Resumed() | Adjusted() | Reinstated():
                acts.append((version, event))
            case Ended(_, reason) if reason in BY_REFEREE:
                acts.append((version, event))
    return acts[-1] if acts else None


def _in_time(game: Game, now_ms: int) -> Refusal | None:
    if game.is_over:
        return over(game)
    reached = due(game)
    if reached is not None and now_ms >= reached.at_ms:
        return Refusal("deadline_passed", "the deadline has passed and the grace runs; nothing can move it any more")
    return None


def _pause(game: Game, command: Pause, now_ms: int) -> Ruling:
    if command.reason in running_clock(game).pause_reasons:
        return None
    return Change(Paused(now_ms, command.reason, command.key))


def _resume(game: Game, command: Resume, now_ms: int) -> Ruling:
    if command.reason not in running_clock(game).pause_reasons:
        return None
    return Change(Resumed(now_ms, command.reason, command.key))


def _adjust(game: Game, command: Adjust, now_ms: int) -> Ruling:
    to_ms = command.to_ms if command.reset_to is None else _reset_target(game, command.side, command.reset_to)
    if isinstance(to_ms, Refusal):
        return to_ms
    adjusted = clocks.adjust(running_clock(game), now_ms, command.side, delta_ms=command.delta_ms, to_ms=to_ms)
    return Change(Adjusted(now_ms, command.side, adjusted.requested_ms, adjusted.applied_ms, command.key))


def _reset_target(game: Game, side: Side, reset_to: str | int) -> int | Refusal:
    """What a reset sets an account to: the profile's start, or what it held after a version of the game."""
    if isinstance(reset_to, str):
        return game.profiles[side].initial_buffer_ms
    held = {entry.version: (entry.white_ms, entry.black_ms)[side] for entry in history(game)}
    known = [version for version, left_ms in held.items() if left_ms is not None]
    left_ms = held.get(reset_to)
    if left_ms is None:
        there_are = f"there are {known[0]} to {known[-1]}" if known else "there are none yet"
        return Refusal("unknown_version", f"no account stood at version {reset_to}; {there_are}")
    return left_ms


def _adjudicate(_: Game, command: Adjudicate, now_ms: int) -> Ruling:
    reason = "annulled" if command.is_annulled else "adjudication"
    return Change(Ended(now_ms, reason, command.winner, key=command.key))


_RULES: Final[dict[type, Callable[[Game, Any, int], Ruling]]] = {
    Pause: _pause,
    Resume: _resume,
    Adjust: _adjust,
    Adjudicate: _adjudicate,
}


def _reinstate(game: Game, command: Reinstate, now_ms: int) -> Ruling:
    result = game.result
    if result is None:
        return Refusal("not_ended_on_time", "the game is not over; there is nothing to take back")
    if result.reason not in ENDS_ON_TIME:
        return Refusal("not_ended_on_time", f"the game did not end on time, but by {result.reason}")
    clock = running_clock(game)
    back = clocks.reinstate(clock, now_ms, result.at_ms, command.to_ms)
    return Change(Reinstated(now_ms, clock.to_move, back.requested_ms, back.applied_ms, command.key))


def _undo(game: Game, command: Undo, now_ms: int) -> Ruling:
    found = last_act(game.log)
    is_decided = game.result is not None and game.result.reason in BY_REFEREE
    if not is_decided and (refusal := _in_time(game, now_ms)):
        return refusal
    if found is None:
        return Refusal("nothing_to_undo", "no act of the desk has been done since the last ply")
    version, act = found
    if isinstance(act, Reinstated):
        return Refusal("nothing_to_undo", "taking an end on time back cannot be undone; adjudicate the game instead")
    undone = Undone(now_ms, version, command.key)
    reached = due(evolve(game, undone)[0])
    if reached is not None and now_ms >= reached.at_ms:
        ago = spelled(now_ms - reached.at_ms)
        return Refusal("would_expire", f"the game would be over at once: its {reached.cause} was up {ago} ago")
    return Change(undone)
