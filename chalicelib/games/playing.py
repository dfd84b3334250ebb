"""The rules of play: moving, resigning, aborting. Pure."""

from __future__ import annotations

from typing import Final

from chalicelib.clock import clock as clocks
from chalicelib.games.commands import Abort, Move, Resign
from chalicelib.games.events import Ended, Moved
from chalicelib.games.history import running_clock
from chalicelib.games.ruling import Change, Refusal, Ruling, Scene
from chalicelib.rules.referee import IllegalMove

ABORT_PLIES: Final = 2
"""A game may be aborted while it has at most so many plies (seed 003, "Abbruch")."""


def taken(scene: Scene, command: Move) -> Refusal:
    """The answer to a move for a ply that was played, unless it is that move."""
    mover = scene.game.mover(command.ply)
    if scene.side is not mover:
        return Refusal(
            "not_your_turn",
            f"ply {command.ply} is {mover.colour.title()}'s to play; the game stands at ply {scene.game.ply}",
        )
    return Refusal(
        "already_played",
        f"another move was played for ply {command.ply}; the game stands at ply {scene.game.ply}",
    )


def move(scene: Scene, command: Move) -> Ruling:
    game, clock = scene.game, running_clock(scene.game)
    if command.ply > game.ply:
        return Refusal("wrong_ply", f"ply {command.ply} is not to be played yet; the game stands at ply {game.ply}")
    if scene.side is not clock.to_move:
        return Refusal("not_your_turn", f"it is {clock.to_move.colour}'s turn")
    try:
        played = scene.referee.play(game.position, command.move)
    except IllegalMove as wrong:
        return Refusal("illegal_move", str(wrong))
    lag_ms = min(command.lag_ms, clocks.elapsed(clock, scene.now_ms))
    return Change(Moved(scene.now_ms, played.move, lag_ms, played.end), {"position": played.position})


def resign(scene: Scene, command: Resign) -> Ruling:
    return Change(Ended(scene.now_ms, "resignation", scene.asker.other, scene.asker))


def abort(scene: Scene, command: Abort) -> Ruling:
    if not scene.game.terms.is_abortable:
        return Refusal("not_abortable", "a game paired by an event cannot be aborted by its players")
    if scene.game.ply > ABORT_PLIES:
        return Refusal("too_late_to_abort", f"a game can be aborted up to {ABORT_PLIES} plies; resign instead")
    return Change(Ended(scene.now_ms, "aborted", None, scene.asker))
