"""When the time of a game is up, and how it then ends. Pure."""

from __future__ import annotations

from chalicelib.clock import clock as clocks
from chalicelib.core.sides import Side
from chalicelib.games.events import Ended
from chalicelib.games.history import running_clock
from chalicelib.games.model import Game
from chalicelib.rules.referee import Referee


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
    return reached is not None and reached.has_passed(now_ms)


def ending_by_time(game: Game, referee: Referee) -> Ended:
    """The end of a game whose time is up; it bears the instant of the deadline, whenever that is noticed."""
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
