"""The problem codes of the API: with which status they come, and what they mean to a client."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Code(Struct, frozen=True):
    """A problem code. `at_creation` is its status where it concerns what a request for something new asks for."""

    status: int
    meaning: str
    at_creation: int | None = None

    def status_in(self, *, creation: bool) -> int:
        return self.at_creation if creation and self.at_creation is not None else self.status


IDENTITY: Final = ("token_required", "token_expired", "invalid_token", "scope_required", "issuer_unreachable")
"""Codes of every operation that needs a token."""

CODES: Final[dict[str, Code]] = {
    "already_accepted": Code(409, "the invitation was accepted; the game runs"),
    "already_played": Code(409, "another move was played for this ply"),
    "body_too_large": Code(413, "the body is longer than this operation takes"),
    "busy": Code(503, "the game kept changing under other hands; nothing was done, try again"),
    "clock_suspended": Code(503, "the server's clock is suspended while a silence is settled; try again later"),
    "game_over": Code(409, "the game has ended"),
    "game_paused": Code(409, "a referee has paused the game"),
    "idempotency_key_invalid": Code(400, "the Idempotency-Key is too long or not printable ASCII"),
    "idempotency_key_required": Code(400, "the header Idempotency-Key is missing"),
    "idempotency_key_reused": Code(422, "the Idempotency-Key was used for another request"),
    "illegal_move": Code(422, "the move cannot be played in this position"),
    "illegal_setup": Code(422, "no game can start from this position"),
    "impossible_pairing": Code(422, "a board pairs a player with themselves"),
    "impossible_range": Code(422, "the rating range ends below its beginning"),
    "internal_error": Code(500, "something went wrong in the server"),
    "invalid_body": Code(400, "the body is not JSON of the shape that this operation takes"),
    "invalid_cursor": Code(400, "the cursor is not one that this list gave out"),
    "invalid_query": Code(400, "a query parameter has a value that it cannot have"),
    "invalid_token": Code(401, "the token is not one that this server accepts"),
    "issuer_unreachable": Code(503, "the keys of the token issuer cannot be fetched"),
    "no_claim": Code(409, "the position does not give this draw"),
    "no_offer": Code(409, "the opponent has no draw offer open"),
    "not_a_player": Code(403, "this is not for the caller to do"),
    "not_abortable": Code(409, "players cannot abort a game that an event paired"),
    "not_exportable": Code(409, "the game has not begun or was aborted, and has no record"),
    "not_started": Code(409, "the game has not started"),
    "not_your_turn": Code(409, "it is the opponent's turn"),
    "offer_too_soon": Code(409, "more own moves are needed between two draw offers"),
    "own_invitation": Code(409, "nobody can play against themselves", at_creation=422),
    "profile_required": Code(400, "the body needs one profile for both sides, or one for each"),
    "scope_required": Code(403, "the token lacks the scope of this operation"),
    "store_unavailable": Code(503, "the database did not answer; try again"),
    "token_expired": Code(401, "the token has expired"),
    "token_required": Code(401, "the header Authorization is missing"),
    "too_late_to_abort": Code(409, "too much has been played to abort"),
    "unknown_game": Code(404, "there is no such game"),
    "unknown_kind": Code(422, "there is no such kind of game"),
    "unknown_profile": Code(404, "there is no such profile", at_creation=422),
    "unknown_player": Code(404, "this cannot be a player id"),
    "wrong_ply": Code(409, "the game stands at another ply"),
}
