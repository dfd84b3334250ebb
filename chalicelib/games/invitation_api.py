"""Challenges and seeks over HTTP. An invitation is a game that waits: it has the id, and the address, of the game."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from chalicelib.clock.profiles import Profile
from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.ids import derived_id, fingerprint
from chalicelib.core.paging import PageQuery, cursor_of, entry_of
from chalicelib.core.problems import Problem
from chalicelib.games import commands, rows, store
from chalicelib.games.act import settled, settled_all, toss
from chalicelib.games.answers import carried_out, etag, problems
from chalicelib.games.bodies import ChallengeBody, ProfilePair, SeekBody
from chalicelib.games.forecasts import forecasts, rating_for
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game
from chalicelib.games.views import EventView, GameCards, GameView, card, game_view
from chalicelib.profiles.known import for_new_game
from chalicelib.rules import referee

endpoints: Final = Endpoints(__name__)

_MAKING: Final = (
    "idempotency_key_required",
    "idempotency_key_reused",
    "illegal_setup",
    "profile_required",
    "profile_retired",
    "unknown_kind",
    "unknown_profile",
)
_ANSWERING: Final = (
    "already_accepted",
    "busy",
    "clock_suspended",
    "game_over",
    "not_a_player",
    "own_invitation",
    "unknown_game",
)


def profiles_of(code: str | None, pair: ProfilePair | None) -> tuple[Profile, Profile]:
    """The profiles of (white, black). Raises UnknownProfile, Retired, and a 400 Problem unless one way was used."""
    if (code is None) == (pair is None):
        raise Problem(400, "profile_required", "send either profile (for both sides) or profiles {white, black}")
    if pair is not None:
        return for_new_game(pair.white), for_new_game(pair.black)
    both = for_new_game(code or "")
    return both, both


@endpoints.add(
    Operation(
        "POST",
        "/v1/challenges",
        "play",
        {201: GameView},
        body=ChallengeBody,
        needs_key=True,
        codes=(*_MAKING, "own_invitation"),
    )
)
def challenge(request: Request[ChallengeBody, NoQuery]) -> Answer:
    """Challenge a player; the game waits for the answer."""
    if request.body.opponent == request.player:
        raise Problem(422, "own_invitation", "nobody can challenge themselves")
    return _invited(request, request.body.opponent, None)


@endpoints.add(
    Operation(
        "POST",
        "/v1/seeks",
        "play",
        {201: GameView},
        body=SeekBody,
        needs_key=True,
        codes=(*_MAKING, "impossible_range"),
    )
)
def seek(request: Request[SeekBody, NoQuery]) -> Answer:
    """Seek an opponent; anybody within the rating range may accept."""
    bounds = request.body.rating_range
    if bounds is not None and bounds[0] > bounds[1]:
        raise Problem(422, "impossible_range", "rating_range is [lowest, highest]")
    return _invited(request, None, bounds)


def _invited(request: Request[Any, NoQuery], opponent: str | None, rating_range: tuple[int, int] | None) -> Answer:
    """Store a waiting game. Its id comes from player and key, so the same request again finds what it made."""
    body: ChallengeBody | SeekBody = request.body
    mark = fingerprint(msgspec.json.encode(body).decode())
    with problems():
        match = Match(body.kind, body.setup, profiles_of(body.profile, body.profiles), body.rated)
        sent = invitation(
            match,
            request.now_ms,
            challenger=request.player,
            opponent=opponent,
            colour=body.colour,
            rating_range=rating_range,
        )
        game_id = derived_id("invitation", request.player, idempotency_key(request.headers))
        game = invite(game_id, match, referee(body.kind), sent, request.now_ms, fingerprint=mark)
    return _created(game, [(request.player, game.id), (opponent or rows.LOBBY, game.id)], request)


def _created(game: Game, list_rows: list[tuple[str, str]], request: Request[Any, NoQuery]) -> Answer:
    try:
        store.create([game], list_rows)
    except store.AlreadyCreated as earlier:
        if earlier.game.terms.fingerprint != game.terms.fingerprint:
            raise Problem(
                422, "idempotency_key_reused", "this Idempotency-Key was used for another request; take a new one"
            ) from earlier
        with problems():
            game = settled(earlier.game, request.now_ms)
    headers = {"Location": f"/v1/games/{game.id}", "ETag": etag(game.version)}
    forecast = forecasts([game], request.player, request.now_ms).get(game.id)
    return Answer(game_view(game, request.now_ms, forecast=forecast), status=201, headers=headers)


@endpoints.add(Operation("GET", "/v1/seeks", "read", {200: GameCards}, query=PageQuery, codes=("invalid_cursor",)))
def list_seeks(request: Request[NoBody, PageQuery]) -> Answer:
    """Seeks that wait for an opponent; the forecast of each says whether the caller may accept it."""
    page = rows.open_invitations(request.query.limit, entry_of(request.query.cursor, rows.ENTRY_OF_RUNNING))
    games = settled_all(store.load_many(page.game_ids), request.now_ms)
    waiting = [game for game in games if game.status(request.now_ms) == "created"]
    known = forecasts(waiting, request.player, request.now_ms)
    cards = [card(game, request.player, request.now_ms, known.get(game.id)) for game in waiting]
    return Answer(GameCards(cards, cursor_of(page.next_entry)))


def _answering(path: str, *codes: str) -> Operation:
    return Operation("POST", path, "play", {200: EventView}, codes=(*_ANSWERING, *codes))


def _accepted(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """The rating is read for seeks with a range only, and then before the decision, which is pure."""
    with problems():
        game = store.load(game_id)
    rating = commands.NEW_PLAYER
    if game.invitation is not None and game.invitation.rating_range is not None:
        rating = rating_for(game, request.player, request.now_ms)
    return carried_out(request, game_id, commands.Accept(request.player, toss(), rating))


@endpoints.add(_answering("/v1/challenges/{game_id}/accept", "rating_out_of_range"))
def accept_challenge(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Accept a challenge: the game begins, and White's clock runs."""
    return _accepted(request, game_id)


@endpoints.add(_answering("/v1/challenges/{game_id}/decline"))
def decline_challenge(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Decline a challenge."""
    return carried_out(request, game_id, commands.Decline(request.player))


@endpoints.add(_answering("/v1/challenges/{game_id}/withdraw"))
def withdraw_challenge(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Withdraw one's own challenge."""
    return carried_out(request, game_id, commands.Withdraw(request.player))


@endpoints.add(_answering("/v1/seeks/{game_id}/accept", "rating_out_of_range"))
def accept_seek(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Accept a seek: the game begins, and White's clock runs."""
    return _accepted(request, game_id)


@endpoints.add(_answering("/v1/seeks/{game_id}/withdraw"))
def withdraw_seek(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Withdraw one's own seek."""
    return carried_out(request, game_id, commands.Withdraw(request.player))
