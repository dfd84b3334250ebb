"""Playing and reading games over HTTP."""

from __future__ import annotations

from typing import Any, Final

from chalicelib.core.endpoint import JSON, NDJSON, PGN, Answer, Endpoints, NoBody, NoQuery, Operation, Request
from chalicelib.core.etags import is_at_hand
from chalicelib.core.paging import PageQuery, cursor_of, entry_of
from chalicelib.core.problems import Problem
from chalicelib.games import commands, rows, store
from chalicelib.games.act import settled, settled_all
from chalicelib.games.answers import ALWAYS, carried_out, etag, problems
from chalicelib.games.bodies import ClaimBody, ExportQuery, GameExportQuery, MoveBody, PlyBody, SinceQuery
from chalicelib.games.export import GameRecord, exported_json, exported_ndjson, exported_pgn
from chalicelib.games.forecasts import forecasts
from chalicelib.games.model import Game
from chalicelib.games.views import EventView, GameCards, GameView, MyGames, card, game_view, my_games

endpoints: Final = Endpoints(__name__)

RECENTLY_FINISHED: Final = 10


def _command(path: str, body: Any = NoBody, codes: tuple[str, ...] = ()) -> Operation:
    """An endpoint that asks something of a game and answers with the event."""
    return Operation(
        "POST", f"/v1/games/{{game_id}}/{path}", "play", {200: EventView}, body=body, codes=(*ALWAYS, *codes)
    )


# --- acts


@endpoints.add(_command("moves", MoveBody, ("already_played", "wrong_ply", "not_your_turn", "illegal_move")))
def play_move(request: Request[MoveBody, NoQuery], game_id: str) -> Answer:
    """Play a move; the same move for the same ply again, at any time, gets the same answer."""
    return carried_out(request, game_id, commands.Move(request.player, request.body.ply, request.body.move))


@endpoints.add(_command("resign"))
def resign(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Resign, on turn or off turn."""
    return carried_out(request, game_id, commands.Resign(request.player))


@endpoints.add(_command("draw-offer", PlyBody, ("wrong_ply", "offer_too_soon")))
def offer_draw(request: Request[PlyBody, NoQuery], game_id: str) -> Answer:
    """Offer a draw until the next move of either side; crossing offers are an agreement."""
    return carried_out(request, game_id, commands.OfferDraw(request.player, request.body.ply))


@endpoints.add(_command("draw-offer/accept", PlyBody, ("wrong_ply", "no_offer")))
def accept_draw(request: Request[PlyBody, NoQuery], game_id: str) -> Answer:
    """Accept the opponent's draw offer."""
    return carried_out(request, game_id, commands.AcceptDraw(request.player, request.body.ply))


@endpoints.add(_command("draw-offer/decline", PlyBody, ("wrong_ply", "no_offer")))
def decline_draw(request: Request[PlyBody, NoQuery], game_id: str) -> Answer:
    """Decline the opponent's draw offer."""
    return carried_out(request, game_id, commands.DeclineDraw(request.player, request.body.ply))


@endpoints.add(_command("abort", codes=("not_abortable", "too_late_to_abort")))
def abort(request: Request[NoBody, NoQuery], game_id: str) -> Answer:
    """Abort a game that has hardly begun; it leaves neither record nor rating."""
    return carried_out(request, game_id, commands.Abort(request.player))


@endpoints.add(_command("claim", ClaimBody, ("wrong_ply", "not_your_turn", "no_claim")))
def claim_draw(request: Request[ClaimBody, NoQuery], game_id: str) -> Answer:
    """Claim a draw by rule on the position as it stands."""
    return carried_out(request, game_id, commands.ClaimDraw(request.player, request.body.ply, request.body.reason))


# --- reading


@endpoints.add(
    Operation(
        "GET", "/v1/games/{game_id}", "read", {200: GameView, 304: ""}, query=SinceQuery, codes=("unknown_game", "busy")
    )
)
def read_game(request: Request[NoBody, SinceQuery], game_id: str) -> Answer:
    """A game as it stands, with the events after `since`; 304 when the version in If-None-Match still stands."""
    game = _readable(request, game_id)
    mark = etag(game.version)
    if is_at_hand(mark, request.headers):
        return Answer("", status=304, headers={"ETag": mark})
    forecast = forecasts([game], request.player, request.now_ms).get(game.id)
    return Answer(game_view(game, request.now_ms, request.query.since, forecast), headers={"ETag": mark})


def _readable(request: Request[NoBody, Any], game_id: str) -> Game:
    """The game, settled; a challenge that was not accepted is a matter of its two players alone."""
    with problems():
        game = settled(store.load(game_id), request.now_ms)
        if not game.is_shown_to(request.player):
            raise store.UnknownGame(game_id)
    return game


@endpoints.add(Operation("GET", "/v1/games", "read", {200: MyGames}))
def list_my_games(request: Request[NoBody, NoQuery]) -> Answer:
    """The caller's games: my turn by deadline, theirs by oldest move, paused and waiting ones, recent ends."""
    running = settled_all(store.load_many(rows.running_of(request.player)), request.now_ms)
    just_ended = {game.id for game in running if game.is_over}
    recent = rows.ended_of(request.player, RECENTLY_FINISHED).game_ids
    ended = store.load_many(game_id for game_id in recent if game_id not in just_ended)
    waiting = forecasts(running, request.player, request.now_ms)
    return Answer(my_games(running, ended, request.player, request.now_ms, waiting))


@endpoints.add(
    Operation(
        "GET",
        "/v1/players/{player}/games",
        "read",
        {200: GameCards},
        query=PageQuery,
        codes=("invalid_cursor", "unknown_player"),
    )
)
def list_finished_games(request: Request[NoBody, PageQuery], player: str) -> Answer:
    """A player's finished games, newest end first."""
    page = rows.ended_of(player, request.query.limit, entry_of(request.query.cursor, rows.ENTRY_OF_ENDED))
    games = store.load_many(page.game_ids)
    return Answer(GameCards([card(game, player, request.now_ms) for game in games], cursor_of(page.next_entry)))


# --- export


@endpoints.add(
    Operation(
        "GET",
        "/v1/games/{game_id}/export",
        "read",
        {200: (PGN, GameRecord)},
        query=GameExportQuery,
        codes=("unknown_game", "not_exportable", "busy"),
    )
)
def export_game(request: Request[NoBody, GameExportQuery], game_id: str) -> Answer:
    """One game as PGN or JSON, with exact times."""
    game = _readable(request, game_id)
    if game.status(request.now_ms) not in ("active", "paused", "finished"):
        raise Problem(409, "not_exportable", f"the game is {game.status(request.now_ms)} and has no record")
    if request.query.format == "json":
        return Answer(exported_json(game), content_type=JSON)
    return Answer(exported_pgn(game), content_type=PGN)


@endpoints.add(
    Operation(
        "GET",
        "/v1/players/{player}/export",
        "read",
        {200: (NDJSON, PGN)},
        query=ExportQuery,
        codes=("invalid_cursor", "unknown_player"),
    )
)
def export_games(request: Request[NoBody, ExportQuery], player: str) -> Answer:
    """A page of a player's finished games as ndjson or PGN; the Link header leads to the next page."""
    page = rows.ended_of(player, request.query.limit, entry_of(request.query.cursor, rows.ENTRY_OF_ENDED))
    games = store.load_many(page.game_ids)
    following = cursor_of(page.next_entry)
    link = f"</v1/players/{player}/export?format={request.query.format}&limit={request.query.limit}&cursor={following}>"
    headers = {"Link": f'{link}; rel="next"'} if following else {}
    if request.query.format == "pgn":
        return Answer("\n".join(exported_pgn(game) for game in games), headers=headers, content_type=PGN)
    return Answer(exported_ndjson(games, following), headers=headers, content_type=NDJSON)
