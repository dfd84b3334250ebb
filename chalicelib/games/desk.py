"""The rules of the referee's desk: pausing, resuming, correcting an account. Pure."""

from __future__ import annotations

from chalicelib.clock import clock as clocks
from chalicelib.games.commands import Adjust, Pause, Resume
from chalicelib.games.events import Adjusted, Paused, Resumed
from chalicelib.games.model import Game
from chalicelib.games.ruling import Change, Refusal, Ruling, over


def answer(game: Game, command: Pause | Resume | Adjust, now_ms: int) -> Ruling:
    """What becomes of an act of the desk; from the deadline on it is refused, so that none can move it (settled 4)."""
    if game.is_over:
        return over(game)
    if game.clock is None:
        return Refusal("not_started", "the game has not started")
    reached = clocks.due(game.clock)
    if reached is not None and now_ms >= reached.at_ms:
        return Refusal("deadline_passed", "the deadline has passed and the grace runs; nothing can move it any more")
    return _act(game.clock, command, now_ms)


def _act(clock: clocks.Clock, command: Pause | Resume | Adjust, now_ms: int) -> Ruling:
    match command:
        case Pause(reason):
            return None if reason in clock.pause_reasons else Change(Paused(now_ms, reason))
        case Resume(reason):
            return Change(Resumed(now_ms, reason)) if reason in clock.pause_reasons else None
        case Adjust(side, delta_ms, to_ms, key):
            try:
                adjusted = clocks.adjust(clock, now_ms, side, delta_ms=delta_ms, to_ms=to_ms)
            except clocks.WouldExpire as wrong:
                return Refusal("would_expire", str(wrong))
            return Change(Adjusted(now_ms, side, adjusted.requested_ms, adjusted.applied_ms, key))
