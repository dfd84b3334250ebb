"""From decisions and domain errors to what the API says: one table, used by every endpoint of games."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from chalicelib.clock.profiles import UnknownProfile
from chalicelib.core.endpoint import Answer, Request
from chalicelib.core.problems import Problem
from chalicelib.games import store
from chalicelib.games.act import Busy, act
from chalicelib.games.commands import PlayerCommand
from chalicelib.games.decide import Outcome
from chalicelib.games.model import Game
from chalicelib.games.ruling import Refusal
from chalicelib.games.views import event_view, game_view
from chalicelib.profiles.known import Retired
from chalicelib.rules.referee import IllegalSetup, UnknownKind

STATUS_OF_CODE: Final = {
    "clock_suspended": 503,
    "illegal_move": 422,
    "not_a_player": 403,
    "not_in_game": 422,
    "rating_out_of_range": 403,
    "unknown_version": 422,
}
"""Status of a refusal; 409 for all others: the request was well-formed, but the game stands otherwise."""

ALWAYS: Final = (
    "busy",
    "clock_suspended",
    "game_over",
    "game_paused",
    "not_a_player",
    "not_started",
    "unknown_game",
)
"""Codes with which any act in a game may be refused."""

SHOWING_THE_GAME: Final = frozenset(ALWAYS) - {"busy", "unknown_game"} | {
    "already_accepted",
    "already_played",
    "deadline_passed",
    "illegal_move",
    "no_claim",
    "no_offer",
    "not_abortable",
    "not_ended_on_time",
    "not_in_game",
    "not_your_turn",
    "nothing_to_do",
    "nothing_to_undo",
    "offer_too_soon",
    "own_invitation",
    "rating_out_of_range",
    "stale_version",
    "too_late_to_abort",
    "unknown_version",
    "would_expire",
    "wrong_ply",
}
"""Codes of refusals by the game itself, which come with the game as it stands."""


def carried_out(request: Request[Any, Any], game_id: str, command: PlayerCommand) -> Answer:
    """200 with the event that did what a player asked. Raises a Problem, with the game as it stands beside it."""
    with problems():
        return _answer(act(game_id, command, request.now_ms), request.now_ms)


def refused(refusal: Refusal, game: Game, now_ms: int) -> Problem:
    """What whoever is refused is told, with the game as it stands beside it."""
    code = refusal.code
    headers = {"Retry-After": "60"} if code == "clock_suspended" else {}
    return Problem(STATUS_OF_CODE.get(code, 409), code, refusal.detail, {"game": game_view(game, now_ms)}, headers)


def _answer(outcome: Outcome, now_ms: int) -> Answer:
    if outcome.refusal is not None:
        raise refused(outcome.refusal, outcome.game, now_ms)
    if outcome.entry is None:
        raise ValueError(f"nothing was done in game {outcome.game.id}")
    return Answer(event_view(outcome.entry), headers={"ETag": etag(outcome.game.version)})


def etag(version: int) -> str:
    return f'"{version}"'


@contextmanager
def problems() -> Iterator[None]:
    """Turn the errors of the domain into Problems."""
    try:
        yield
    except store.UnknownGame as error:
        raise Problem(404, "unknown_game", f"there is no game {error}") from error
    except Busy as error:
        raise Problem(
            503, "busy", "the game is changing under many hands; try again", headers={"Retry-After": "1"}
        ) from error
    except Retired as error:
        raise Problem(422, "profile_retired", str(error)) from error
    except UnknownProfile as error:
        raise Problem(422, "unknown_profile", str(error)) from error
    except UnknownKind as error:
        raise Problem(422, "unknown_kind", str(error)) from error
    except IllegalSetup as error:
        raise Problem(422, "illegal_setup", str(error)) from error
