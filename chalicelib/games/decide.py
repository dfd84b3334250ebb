"""What becomes of a game when somebody asks something of it: the one place where games change.

`decide` is pure. It first looks whether the time is up (`due`), then whether the same thing was asked before
(`repeats`), then whether it may be done (`playing`, `draws`, `invitations`, `desk`); it answers with the game to store
and the entry, or the refusal, to send.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.games import desk, draws, invitations, playing
from chalicelib.games.commands import (
    Abort,
    Accept,
    AcceptDraw,
    ClaimDraw,
    Command,
    Decline,
    DeclineDraw,
    DeskCommand,
    Look,
    Move,
    OfferDraw,
    PlayerCommand,
    Resign,
    ShiftForWindow,
    Withdraw,
)
from chalicelib.games.due import ending_by_time, is_due
from chalicelib.games.events import Shifted
from chalicelib.games.history import Entry, evolve, running_clock
from chalicelib.games.model import Game
from chalicelib.games.repeats import asked_before, done_before
from chalicelib.games.ruling import Refusal, Ruling, Scene, over
from chalicelib.rules.referee import Referee
from chalicelib.watch.model import Window


class Outcome(Struct, frozen=True):
    """The game after the decision, and what to answer.

    `game` differs from the game given (by version) exactly if there is something to store. `entry` is the event that
    answers the command, be it new or of long ago; it is None for a refusal and where there was nothing to do.
    """

    game: Game
    entry: Entry | None = None
    refusal: Refusal | None = None


_Timely = PlayerCommand | DeskCommand | Look


def decide(game: Game, command: Command, now_ms: int, referee: Referee, windows: Sequence[Window] = ()) -> Outcome:
    """Decide one command at `now_ms`.

    The time of `windows`, which have begun and are not settled, is charged to nobody; until then nothing is flagged.
    """
    if isinstance(command, ShiftForWindow):
        return _shift_for_window(game, command)
    if game.clock is not None and not game.is_over and windows:
        return _decide_in_windows(game, command, now_ms, referee, windows)
    if is_due(game, now_ms):
        game, _ = evolve(game, ending_by_time(game, referee))
    return _answer(game, game, command, now_ms, referee)


def _shift_for_window(game: Game, command: ShiftForWindow) -> Outcome:
    if game.clock is None or game.is_over:
        return Outcome(game, refusal=Refusal("not_running", "no clock runs in this game"))
    spans = clocks.in_window(game.clock, command.from_ms, command.to_ms)
    if spans is None:
        return Outcome(game, refusal=Refusal("lost_before_window", "the time was up before the window began"))
    if not spans:
        return Outcome(game)
    after, entry = evolve(game, Shifted(command.to_ms, command.window_id, command.from_ms))
    return Outcome(after, entry)


def _decide_in_windows(
    game: Game, command: _Timely, now_ms: int, referee: Referee, windows: Sequence[Window]
) -> Outcome:
    shifted = game
    for window in windows:
        end_ms = window.end_at(now_ms)
        spans = clocks.in_window(running_clock(shifted), window.from_ms, end_ms)
        if spans is None:
            return _answer_unflagged(game, command, referee)
        if spans:
            shifted, _ = evolve(shifted, Shifted(end_ms, window.id, window.from_ms))
    if is_due(shifted, now_ms):
        return _answer_unflagged(game, command, referee)
    return _answer(game, shifted, command, now_ms, referee)


def _answer_unflagged(game: Game, command: _Timely, referee: Referee) -> Outcome:
    """The game is over, by its time before the window or by its guillotine; but that is said only after the window."""
    if isinstance(command, Look):
        return Outcome(game)
    if isinstance(command, PlayerCommand) and (entry := asked_before(game, command, referee)):
        return Outcome(game, entry)
    return Outcome(game, refusal=Refusal("clock_suspended", "the server's clock is suspended; try again later"))


def _answer(stored: Game, game: Game, command: _Timely, now_ms: int, referee: Referee) -> Outcome:
    """Answer on `game`; where nothing comes of it, `stored` is kept."""
    if isinstance(command, Look):
        return Outcome(stored)
    if isinstance(command, DeskCommand):
        return _answer_desk(stored, game, command, now_ms)
    if entry := asked_before(game, command, referee):
        return Outcome(stored, entry)
    scene = Scene(game, _not_before_the_turn(game, now_ms), referee, game.side_of(command.player))
    return _outcome(stored, game, _player_ruling(scene, command))


def _answer_desk(stored: Game, game: Game, command: DeskCommand, now_ms: int) -> Outcome:
    if entry := done_before(game, command):
        return Outcome(stored, entry)
    if command.version is not None and command.version != stored.version:
        wrong = f"meant for version {command.version}, but the game stands at version {stored.version}"
        return Outcome(stored, refusal=Refusal("stale_version", wrong))
    return _outcome(stored, game, desk.answer(game, command, now_ms))


def _not_before_the_turn(game: Game, now_ms: int) -> int:
    """A host whose clock is behind never writes times that go back (C48)."""
    if game.clock is None or game.status(now_ms) == "created":
        return now_ms
    return max(now_ms, game.clock.turn_started_at_ms)


def _outcome(stored: Game, game: Game, ruling: Ruling) -> Outcome:
    if isinstance(ruling, Refusal):
        return Outcome(stored, refusal=ruling)
    if ruling is None:
        return Outcome(stored)
    after, entry = evolve(game, ruling.event)
    return Outcome(replace(after, **ruling.fields), entry)


def _player_ruling(scene: Scene, command: PlayerCommand) -> Ruling:
    if isinstance(command, Accept | Decline | Withdraw):
        return invitations.answer(scene, command)
    if scene.side is None:
        return Refusal("not_a_player", f"{command.player} does not play in this game")
    if isinstance(command, Move) and command.ply < scene.game.ply:
        return playing.taken(scene, command)
    return _not_playing(scene) or _RULES[type(command)](scene, command)


def _not_playing(scene: Scene) -> Refusal | None:
    match scene.game.status(scene.now_ms):
        case "created":
            return Refusal("not_started", "the game has not started")
        case "paused":
            return Refusal("game_paused", "the game is paused by a referee; nothing is charged meanwhile")
        case "finished" | "aborted":
            return over(scene.game)
    return None


_RULES: Final[dict[type, Callable[[Scene, Any], Ruling]]] = {
    Move: playing.move,
    Resign: playing.resign,
    Abort: playing.abort,
    OfferDraw: draws.offer,
    AcceptDraw: draws.accept,
    DeclineDraw: draws.decline,
    ClaimDraw: draws.claim,
}
