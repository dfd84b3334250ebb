"""The problem codes of the API: with which status they come, and what they mean to a client."""

from __future__ import annotations

from typing import Final

from msgspec import Struct


class Code(Struct, frozen=True):
    """A problem code. `at_creation` is its status where it is about what the body of a creation, or a PATCH, names."""

    status: int
    meaning: str
    at_creation: int | None = None

    def status_in(self, *, creation: bool) -> int:
        return self.at_creation if creation and self.at_creation is not None else self.status


IDENTITY: Final = ("token_required", "token_expired", "invalid_token", "scope_required", "issuer_unreachable")
"""Codes of every operation that needs a token."""

SIGNED: Final = (
    *("signature_required", "malformed_signature", "wrong_components", "wrong_algorithm", "signature_invalid"),
    *("signature_stale", "signature_from_the_future", "signature_replayed"),
    *("content_digest_required", "content_digest_mismatch"),
    *("unknown_key", "key_expired", "key_revoked", "role_required"),
)
"""Codes of every operation that needs a signature."""

CODES: Final[dict[str, Code]] = {
    "already_accepted": Code(409, "the invitation was accepted; the game runs"),
    "already_played": Code(409, "another move was played for this ply"),
    "body_too_large": Code(413, "the body is longer than this operation takes"),
    "busy": Code(503, "what it is about kept changing under other hands; nothing was done, try again"),
    "change_required": Code(400, "exactly one of `delta_ms`, `to_ms`, `reset` and `snapshot` says what to do"),
    "clock_suspended": Code(503, "the clocks are suspended until a maintenance window or an outage is settled"),
    "content_digest_mismatch": Code(401, "the body is not the one that the signed Content-Digest names"),
    "content_digest_required": Code(401, "the body has no Content-Digest"),
    "foreign_event": Code(403, "the director does not direct this event"),
    "deadline_passed": Code(409, "the deadline has passed and the grace runs; nothing can move it any more"),
    "filter_required": Code(400, "the list is by one of `game`, `profile`, `actor` and `day`"),
    "game_over": Code(409, "the game has ended"),
    "game_paused": Code(409, "a referee has paused the game"),
    "guest_linked_elsewhere": Code(409, "the guest is linked to another member"),
    "idempotency_key_invalid": Code(400, "the Idempotency-Key is too long or not printable ASCII"),
    "idempotency_key_required": Code(400, "the header Idempotency-Key is missing"),
    "idempotency_key_reused": Code(422, "the Idempotency-Key was used for another request"),
    "illegal_move": Code(422, "the move cannot be played in this position"),
    "illegal_setup": Code(422, "no game can start from this position"),
    "impossible_pairing": Code(422, "a board pairs a player with themselves"),
    "impossible_profile": Code(422, "the numbers of the profile contradict each other"),
    "impossible_range": Code(422, "the rating range ends below its beginning"),
    "internal_error": Code(500, "something went wrong in the server"),
    "invalid_body": Code(400, "the body is not JSON of the shape that this operation takes"),
    "invalid_cursor": Code(400, "the cursor is not one that this list gave out"),
    "invalid_date": Code(422, "a day is none, or lies before 1800 or after 2999"),
    "invalid_query": Code(400, "a query parameter has a value that it cannot have"),
    "invalid_token": Code(401, "the token is not one that this server accepts"),
    "issuer_unreachable": Code(503, "the keys of the token issuer cannot be fetched"),
    "last_club_admin": Code(409, "a club cannot be without a member with the role club_admin"),
    "key_expired": Code(401, "the key has expired"),
    "key_revoked": Code(401, "the key was revoked"),
    "malformed_signature": Code(401, "the signature has another form or other parameters than this server takes"),
    "member_twice": Code(400, "somebody sits in two seats of one result"),
    "no_claim": Code(409, "the position does not give this draw"),
    "no_offer": Code(409, "the opponent has no draw offer open"),
    "no_pair": Code(422, "a side of one member forms no pair"),
    "not_a_player": Code(403, "this is not for the caller to do"),
    "not_abortable": Code(409, "players cannot abort a game that an event paired"),
    "not_ended_on_time": Code(409, "the game did not end on time"),
    "not_exportable": Code(409, "the game has not begun or was aborted, and has no record"),
    "not_in_game": Code(422, "this player does not play in the game"),
    "not_started": Code(409, "the game has not started"),
    "not_your_turn": Code(409, "the ply is the opponent's to play"),
    "nothing_to_do": Code(409, "it is so already"),
    "nothing_to_undo": Code(409, "no act of the desk that can be undone has been done since the last ply"),
    "offer_too_soon": Code(409, "more own moves are needed between two draw offers"),
    "operator_only": Code(403, "only an operator of the server may do this"),
    "own_invitation": Code(409, "nobody can play against themselves", at_creation=422),
    "profile_exists": Code(409, "there is a profile of this code"),
    "profile_required": Code(400, "the body needs one profile for both sides, or one for each"),
    "profile_retired": Code(422, "the profile is retired; new games need another"),
    "rated_by_event": Code(422, "the event fixes whether its results are rated"),
    "rating_out_of_range": Code(403, "the seek wants an opponent of another rating"),
    "reason_required": Code(400, "the act needs a reason"),
    "result_deleted": Code(410, "the result was deleted"),
    "role_required": Code(403, "the caller lacks the role"),
    "scope_required": Code(403, "the token lacks the scope of this operation"),
    "season_ends_before_it_starts": Code(422, "the last day of the season lies before its first"),
    "side_required": Code(400, "exactly one of `player` and `side` says whose account is meant"),
    "single_players_only": Code(422, "pools rate one player against one other, no pairs"),
    "signature_from_the_future": Code(401, "the signature says that it was made later than now"),
    "signature_invalid": Code(401, "the key has not signed this request as it arrived"),
    "signature_replayed": Code(401, "the signature was used before"),
    "signature_required": Code(401, "the request is not signed"),
    "signature_stale": Code(401, "the signature has expired"),
    "stale_version": Code(409, "the edit was made on another version than `current_version`; read it again"),
    "store_unavailable": Code(503, "the database did not answer; try again"),
    "token_expired": Code(401, "the token has expired"),
    "token_required": Code(401, "the header Authorization is missing"),
    "too_late_to_abort": Code(409, "too much has been played to abort"),
    "too_many_seasons": Code(422, "the club has as many seasons as a club can have"),
    "unknown_club": Code(404, "there is no such club"),
    "unknown_event": Code(404, "there is no such event", at_creation=422),
    "unknown_game": Code(404, "there is no such game"),
    "unknown_key": Code(401, "no key has this keyid"),
    "unknown_guest": Code(404, "the club has no such guest", at_creation=422),
    "unknown_kind": Code(422, "there is no such kind of game"),
    "unknown_member": Code(404, "there is no such member", at_creation=422),
    "unknown_partition": Code(404, "this can be the address of no partition"),
    "unknown_profile": Code(404, "there is no such profile", at_creation=422),
    "unknown_player": Code(404, "this cannot be a player id"),
    "unknown_result": Code(404, "the club has no such result"),
    "unknown_season": Code(404, "the club has no such season"),
    "unknown_time_zone": Code(422, "the IANA database has no such time zone"),
    "unrated": Code(404, "there is no rated game of this member or pair in the partition"),
    "unknown_version": Code(422, "the game has no such version, or had no accounts then"),
    "unknown_window": Code(404, "there is no such window"),
    "version_required": Code(400, "neither the body nor If-Match names the version that the sender has seen"),
    "window_stands": Code(409, "another window was opened and is not settled"),
    "window_too_soon": Code(422, "a window has to begin later, so that every process has heard of it"),
    "wrong_algorithm": Code(401, "the key signs with another algorithm"),
    "wrong_components": Code(401, "the signature does not cover what it has to, or covers more"),
    "would_expire": Code(409, "the act would leave no time, and so end the game"),
    "wrong_ply": Code(409, "the game stands at another ply"),
}
