"""What becomes of a game when somebody asks something of it: the one place where games change.

`decide` is pure. It first looks whether the time is up, then whether the same thing was asked before, then whether
it may be done; it answers with the game to store and the entry, or the refusal, to send.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct, field
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.core.sides import Side
from chalicelib.games.commands import (
    Abort,
    Accept,
    AcceptDraw,
    Adjust,
    ClaimDraw,
    Command,
    Decline,
    DeclineDraw,
    Look,
    Move,
    OfferDraw,
    Pause,
    PlayerCommand,
    Resign,
    Resume,
    ShiftForWindow,
    Withdraw,
)
from chalicelib.games.events import (
    Accepted,
    Adjusted,
    DrawDeclined,
    DrawOffered,
    Ended,
    Event,
    Moved,
    Paused,
    Resumed,
    Shifted,
)
from chalicelib.games.history import Entry, evolve, history, running_clock
from chalicelib.games.model import Game
from chalicelib.rules.referee import IllegalMove, Referee

ABORT_PLIES: Final = 2
"""A game may be aborted while it has at most so many plies (seed 003, "Abbruch")."""

OFFER_PAUSE: Final = 10
"""Own plies between a refused or lapsed draw offer and the next one (settled 6)."""


class OpenWindow(Struct, frozen=True):
    """A maintenance window, or a silence of the watch, that has begun and not been closed."""

    id: str
    from_ms: int


class Refusal(Struct, frozen=True):
    """Why nothing was done: a stable code, and a sentence that says what is wrong and what would be right."""

    code: str
    detail: str


class Outcome(Struct, frozen=True):
    """The game after the decision, and what to answer.

    `game` differs from the game given (by version) exactly if there is something to store. `entry` is the event that
    answers the command, be it new or of long ago; it is None for a refusal and where there was nothing to do.
    """

    game: Game
    entry: Entry | None = None
    refusal: Refusal | None = None


class _Scene(Struct, frozen=True):
    """What a rule needs to know: the game as it stands, the instant, the judge, and who asks."""

    game: Game
    now_ms: int
    referee: Referee
    side: Side | None


class _Change(Struct, frozen=True):
    """An event, and what the event alone cannot tell: the board after a move, the players after an acceptance."""

    event: Event
    fields: dict[str, Any] = field(default_factory=dict)


_Answer = _Change | Refusal | None
_Timely = PlayerCommand | Pause | Resume | Adjust | Look


def due(game: Game) -> clocks.Due | None:
    """The instant at which the game ends or lapses if nobody acts; None when nothing runs."""
    if game.result is not None:
        return None
    if game.invitation is not None:
        return clocks.Due(game.invitation.expires_at_ms, game.invitation.expires_at_ms, "time")
    return clocks.due(game.clock) if game.clock else None


def is_due(game: Game, now_ms: int) -> bool:
    """Whether the time of the game is up, grace included."""
    reached = due(game)
    return reached is not None and now_ms >= reached.effective_ms


def decide(game: Game, command: Command, now_ms: int, referee: Referee, window: OpenWindow | None = None) -> Outcome:
    """Decide one command at `now_ms`. While a `window` is open its time is charged to nobody and nothing is flagged."""
    if isinstance(command, ShiftForWindow):
        return _shift_for_window(game, command)
    return _decide(game, command, now_ms, referee, window)


def _decide(game: Game, command: _Timely, now_ms: int, referee: Referee, window: OpenWindow | None) -> Outcome:
    if game.clock is not None and not game.is_over and window is not None:
        return _decide_in_window(game, command, now_ms, referee, window)
    if is_due(game, now_ms):
        ended, _ = evolve(game, _ending_by_time(game, referee))
        return _answer(ended, ended, command, now_ms, referee)
    return _answer(game, game, command, now_ms, referee)


def _decide_in_window(game: Game, command: _Timely, now_ms: int, referee: Referee, window: OpenWindow) -> Outcome:
    clock = running_clock(game)
    spans = clocks.in_window(clock, window.from_ms, now_ms)
    if spans is None:
        return _answer_unflagged(game, command, referee)
    if not spans and not is_due(game, now_ms):
        return _answer(game, game, command, now_ms, referee)
    shifted, _ = evolve(game, Shifted(now_ms, window.id, window.from_ms))
    if is_due(shifted, now_ms):
        return _answer_unflagged(game, command, referee)
    return _answer(game, shifted, command, now_ms, referee)


def _answer_unflagged(game: Game, command: _Timely, referee: Referee) -> Outcome:
    """The game is over, by its time before the window or by its guillotine; but that is said only after the window."""
    if isinstance(command, Look):
        return Outcome(game)
    if isinstance(command, PlayerCommand) and (entry := _asked_before(game, command, referee)):
        return Outcome(game, entry)
    return Outcome(game, refusal=Refusal("clock_suspended", "the server's clock is suspended; try again later"))


def _answer(stored: Game, game: Game, command: _Timely, now_ms: int, referee: Referee) -> Outcome:
    """Answer on `game`; where nothing comes of it, `stored` is kept unless `game` has ended by time."""
    kept = game if game.is_over else stored
    if isinstance(command, Look):
        return Outcome(kept)
    if not isinstance(command, PlayerCommand):
        if entry := _adjusted_before(game, command):
            return Outcome(kept, entry)
        return _apply(kept, game, _desk_answer(game, command, now_ms))
    if entry := _asked_before(game, command, referee):
        return Outcome(kept, entry)
    scene = _Scene(game, _not_before_the_turn(game, now_ms), referee, game.side_of(command.player))
    return _apply(kept, game, _player_answer(scene, command))


def _not_before_the_turn(game: Game, now_ms: int) -> int:
    """A host whose clock is behind never writes times that go back (C48)."""
    if game.clock is None or game.status(now_ms) == "created":
        return now_ms
    return max(now_ms, game.clock.turn_started_at_ms)


def _apply(kept: Game, game: Game, answer: _Answer) -> Outcome:
    if isinstance(answer, Refusal):
        return Outcome(kept, refusal=answer)
    if answer is None:
        return Outcome(kept)
    after, entry = evolve(game, answer.event)
    return Outcome(replace(after, **answer.fields), entry)


# --- time


def _ending_by_time(game: Game, referee: Referee) -> Ended:
    reached = due(game)
    if reached is None:
        raise ValueError(f"nothing is due in game {game.id}")
    if game.invitation is not None:
        return Ended(reached.at_ms, "expired", None)
    clock = running_clock(game)
    winner: Side | None = clock.to_move.other
    if reached.cause == "no_start" and clock.account(clock.to_move).profile.no_start == "abort":
        return Ended(reached.at_ms, "auto_aborted", None)
    if reached.cause == "guillotine":
        winner = clocks.guillotine_winner(clock)
    elif reached.cause == "time" and not _wins_on_time(game, referee, clock.to_move.other):
        winner = None
    return Ended(reached.at_ms, reached.cause, winner)


def _wins_on_time(game: Game, referee: Referee, side: Side) -> bool:
    """FIDE 6.9: no win for a side that could not mate by any series of moves."""
    is_saved_by_offer = game.terms.flag_under_offer == "draw" and game.offer is not None and game.offer.by is side
    return not is_saved_by_offer and referee.can_win(game.position, side)


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


# --- asked before


def _asked_before(game: Game, command: PlayerCommand, referee: Referee) -> Entry | None:
    """The entry of the same act by the same player, if it was done already (settled 1)."""
    if isinstance(command, Decline | Withdraw):
        return _ended_invitation(game, command)
    side = game.side_of(command.player)
    if side is None:
        return None
    if isinstance(command, Move):
        return _move_played_before(game, command, side, referee)
    if isinstance(command, Accept):
        return next((entry for entry in history(game) if isinstance(entry.event, Accepted) and entry.by is side), None)
    is_open_offer = isinstance(command, OfferDraw | DeclineDraw)
    if game.result is None and not is_open_offer:
        return None
    return next((e for e in history(game) if e.by is side and _is_act(e, command)), None)


def _adjusted_before(game: Game, command: Pause | Resume | Adjust) -> Entry | None:
    """The entry of the same correction; unlike a pause, its content does not say whether it is meant twice."""
    if not isinstance(command, Adjust) or not command.key:
        return None
    entries = history(game)
    return next((e for e in entries if isinstance(e.event, Adjusted) and e.event.key == command.key), None)


def _ended_invitation(game: Game, command: Decline | Withdraw) -> Entry | None:
    if game.result is None or game.invitation is None:
        return None
    reason, player = (
        ("declined", game.invitation.opponent)
        if isinstance(command, Decline)
        else ("withdrawn", game.invitation.challenger)
    )
    return history(game)[-1] if (game.result.reason, player) == (reason, command.player) else None


def _is_act(entry: Entry, command: PlayerCommand) -> bool:
    """Whether the entry, by the same side, is what the command asks for."""
    event = entry.event
    match command:
        case Resign():
            return isinstance(event, Ended) and event.reason == "resignation"
        case Abort():
            return isinstance(event, Ended) and event.reason == "aborted"
        case ClaimDraw(_, ply, reason):
            return isinstance(event, Ended) and (entry.ply, event.reason) == (ply, reason)
        case AcceptDraw(_, ply):
            return isinstance(event, Ended) and (entry.ply, event.reason) == (ply, "agreement")
        case OfferDraw(_, ply):
            is_crossing = isinstance(event, Ended) and event.reason == "agreement"
            return entry.ply == ply and (isinstance(event, DrawOffered) or is_crossing)
        case DeclineDraw(_, ply):
            return entry.ply == ply and isinstance(event, DrawDeclined)
    return False


def _move_played_before(game: Game, command: Move, side: Side, referee: Referee) -> Entry | None:
    if not 0 <= command.ply < game.ply or game.mover(command.ply) is not side:
        return None
    moves = [entry for entry in history(game) if isinstance(entry.event, Moved)]
    entry = moves[command.ply]
    played = entry.event.move if isinstance(entry.event, Moved) else ""
    if command.move == played:
        return entry
    return entry if _canonical(game, moves[: command.ply], command.move, referee) == played else None


def _canonical(game: Game, before: list[Entry], move: str, referee: Referee) -> str | None:
    """The canonical spelling of a move on the board after the plies `before`; None if it was never legal there."""
    position = referee.start(game.setup)
    for entry in before:
        if isinstance(entry.event, Moved):
            position = referee.play(position, entry.event.move).position
    try:
        return referee.play(position, move).move
    except IllegalMove:
        return None


# --- players


def _player_answer(scene: _Scene, command: PlayerCommand) -> _Answer:
    if isinstance(command, Accept | Decline | Withdraw):
        return _INVITATION_RULES[type(command)](scene, command)
    if scene.side is None:
        return Refusal("not_a_player", f"{command.player} does not play in this game")
    if isinstance(command, Move) and command.ply < scene.game.ply:
        return _taken(scene, command)
    return _not_playing(scene) or _RULES[type(command)](scene, command)


def _not_playing(scene: _Scene) -> Refusal | None:
    match scene.game.status(scene.now_ms):
        case "created":
            return Refusal("not_started", "the game has not started")
        case "paused":
            return Refusal("game_paused", "the game is paused by a referee; nothing is charged meanwhile")
        case "finished" | "aborted":
            return _over(scene.game)
    return None


def _over(game: Game) -> Refusal:
    reason = game.result.reason if game.result else "?"
    return Refusal("game_over", f"the game is over ({reason})")


def _taken(scene: _Scene, command: Move) -> Refusal:
    return Refusal(
        "already_played",
        f"another move was played for ply {command.ply}; the game stands at ply {scene.game.ply}",
    )


def _move(scene: _Scene, command: Move) -> _Answer:
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
    return _Change(Moved(scene.now_ms, played.move, lag_ms, played.end), {"position": played.position})


def _resign(scene: _Scene, command: Resign) -> _Answer:
    side = _asker(scene)
    return _Change(Ended(scene.now_ms, "resignation", side.other, side))


def _asker(scene: _Scene) -> Side:
    if scene.side is None:
        raise ValueError("nobody asks")
    return scene.side


def _stale(scene: _Scene, ply: int) -> Refusal | None:
    if ply == scene.game.ply:
        return None
    return Refusal("wrong_ply", f"meant for ply {ply}, but the game stands at ply {scene.game.ply}")


def _offer_draw(scene: _Scene, command: OfferDraw) -> _Answer:
    side = _asker(scene)
    if stale := _stale(scene, command.ply):
        return stale
    if scene.game.offer is not None and scene.game.offer.by is side.other:
        return _Change(Ended(scene.now_ms, "agreement", None, side))
    return _offer_too_soon(scene.game, side) or _Change(DrawOffered(scene.now_ms, side))


def _offer_too_soon(game: Game, side: Side) -> Refusal | None:
    entries = history(game)
    earlier = [entry.ply for entry in entries if isinstance(entry.event, DrawOffered) and entry.by is side]
    if not earlier:
        return None
    since = sum(
        1 for entry in entries if isinstance(entry.event, Moved) and entry.by is side and entry.ply >= earlier[-1]
    )
    if since >= OFFER_PAUSE:
        return None
    return Refusal("offer_too_soon", f"the next draw offer is possible after {OFFER_PAUSE - since} more own moves")


def _accept_draw(scene: _Scene, command: AcceptDraw) -> _Answer:
    return _no_offer(scene, command.ply) or _Change(Ended(scene.now_ms, "agreement", None, _asker(scene)))


def _decline_draw(scene: _Scene, command: DeclineDraw) -> _Answer:
    return _no_offer(scene, command.ply) or _Change(DrawDeclined(scene.now_ms, _asker(scene)))


def _no_offer(scene: _Scene, ply: int) -> Refusal | None:
    if stale := _stale(scene, ply):
        return stale
    offer = scene.game.offer
    if offer is None or offer.by is scene.side:
        return Refusal("no_offer", "the opponent has no draw offer open")
    return None


def _abort(scene: _Scene, command: Abort) -> _Answer:
    if not scene.game.terms.is_abortable:
        return Refusal("not_abortable", "a game paired by an event cannot be aborted by its players")
    if scene.game.ply > ABORT_PLIES:
        return Refusal("too_late_to_abort", f"a game can be aborted up to {ABORT_PLIES} plies; resign instead")
    return _Change(Ended(scene.now_ms, "aborted", None, _asker(scene)))


def _claim_draw(scene: _Scene, command: ClaimDraw) -> _Answer:
    if stale := _stale(scene, command.ply):
        return stale
    if scene.side is not running_clock(scene.game).to_move:
        return Refusal("not_your_turn", "a draw by rule is claimed by the side to move")
    claims = scene.referee.claims(scene.game.position)
    if command.reason not in claims:
        return Refusal(
            "no_claim", f"the position gives no {command.reason}; claims open: {', '.join(claims) or 'none'}"
        )
    return _Change(Ended(scene.now_ms, command.reason, None, _asker(scene)))


# --- invitations


def _accept(scene: _Scene, command: Accept) -> _Answer:
    invitation = scene.game.invitation
    if invitation is None or scene.game.is_over:
        return _no_longer_open(scene)
    if command.player == invitation.challenger:
        return Refusal("own_invitation", "nobody can accept their own invitation")
    if invitation.opponent not in (None, command.player):
        return Refusal("not_a_player", f"this challenge is addressed to {invitation.opponent}")
    acceptor = command.coin
    if invitation.colour != "random":
        acceptor = Side.BLACK if invitation.colour == "white" else Side.WHITE
    seats: dict[str, Any] = {acceptor.colour: command.player, acceptor.other.colour: invitation.challenger}
    return _Change(Accepted(scene.now_ms, acceptor), seats)


def _decline(scene: _Scene, command: Decline) -> _Answer:
    invitation = scene.game.invitation
    if invitation is None or scene.game.is_over:
        return _no_longer_open(scene)
    if command.player != invitation.opponent:
        return Refusal("not_a_player", "only the player challenged can decline")
    return _Change(Ended(scene.now_ms, "declined", None))


def _withdraw(scene: _Scene, command: Withdraw) -> _Answer:
    invitation = scene.game.invitation
    if invitation is None or scene.game.is_over:
        return _no_longer_open(scene)
    if command.player != invitation.challenger:
        return Refusal("not_a_player", "only the challenger can withdraw")
    return _Change(Ended(scene.now_ms, "withdrawn", None))


def _no_longer_open(scene: _Scene) -> Refusal:
    if scene.game.is_over:
        return _over(scene.game)
    return Refusal("already_accepted", "the invitation was accepted; the game runs")


_INVITATION_RULES: Final[dict[type, Callable[[_Scene, Any], _Answer]]] = {
    Accept: _accept,
    Decline: _decline,
    Withdraw: _withdraw,
}

_RULES: Final[dict[type, Callable[[_Scene, Any], _Answer]]] = {
    Move: _move,
    Resign: _resign,
    OfferDraw: _offer_draw,
    AcceptDraw: _accept_draw,
    DeclineDraw: _decline_draw,
    Abort: _abort,
    ClaimDraw: _claim_draw,
}


# --- the referee's desk


def _desk_answer(game: Game, command: Pause | Resume | Adjust, now_ms: int) -> _Answer:
    if game.is_over:
        return _over(game)
    if game.clock is None:
        return Refusal("not_started", "the game has not started")
    reached = clocks.due(game.clock)
    if reached is not None and now_ms >= reached.at_ms:
        return Refusal("deadline_passed", "the deadline has passed and the grace runs; nothing can move it any more")
    return _desk_act(game.clock, command, now_ms)


def _desk_act(clock: clocks.Clock, command: Pause | Resume | Adjust, now_ms: int) -> _Answer:
    match command:
        case Pause(reason):
            return None if reason in clock.pause_reasons else _Change(Paused(now_ms, reason))
        case Resume(reason):
            return _Change(Resumed(now_ms, reason)) if reason in clock.pause_reasons else None
        case Adjust(side, delta_ms, to_ms, key):
            try:
                adjusted = clocks.adjust(clock, now_ms, side, delta_ms=delta_ms, to_ms=to_ms)
            except clocks.WouldExpire as wrong:
                return Refusal("would_expire", str(wrong))
            return _Change(Adjusted(now_ms, side, adjusted.requested_ms, adjusted.applied_ms, key))
