"""Bulk pairing over HTTP, for organisers."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from chalicelib.core.endpoint import Answer, Endpoints, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.ids import derived_id, fingerprint
from chalicelib.core.problems import Problem
from chalicelib.games import pairings
from chalicelib.games.answers import problems
from chalicelib.games.bodies import PairingsBody
from chalicelib.games.views import PairedView
from chalicelib.profiles.known import for_new_game

endpoints: Final = Endpoints(__name__)

_BODY_LIMIT: Final = 256 * 1024


@endpoints.add(
    Operation(
        "POST",
        "/v1/pairings",
        "record",
        {201: PairedView},
        body=PairingsBody,
        needs_key=True,
        body_limit=_BODY_LIMIT,
        codes=(
            "idempotency_key_required",
            "idempotency_key_reused",
            "illegal_setup",
            "impossible_pairing",
            "profile_retired",
            "unknown_kind",
            "unknown_profile",
        ),
    )
)
def pair(request: Request[PairingsBody, NoQuery]) -> Answer:
    """Pair the boards of an event, all or none; the same request again gives the same games."""
    asked = pairings.Pairing(
        id=derived_id("pairing", request.player, idempotency_key(request.headers)),
        body=request.body,
        fingerprint=fingerprint(msgspec.json.encode(request.body).decode()),
        created_at_ms=request.now_ms,
    )
    decided = pairings.find(asked.id) or _decided(asked)
    if decided.fingerprint != asked.fingerprint:
        raise Problem(422, "idempotency_key_reused", "this Idempotency-Key was used for another request")
    pairings.make(decided)
    view = PairedView(decided.id, decided.body.event, decided.release_at_ms, decided.game_ids)
    return Answer(view, status=201)


def _decided(asked: pairings.Pairing) -> pairings.Pairing:
    """Make the pairing a fact if every board of it can be played. Raises a 422 Problem if not."""
    body = asked.body
    for number, board in enumerate(body.boards, 1):
        if board.white == board.black:
            raise _impossible(f"board {number} pairs {board.white} with themselves")
    if asked.release_at_ms < asked.created_at_ms:
        raise _impossible(f"release_at_ms {asked.release_at_ms} has passed; it is {asked.created_at_ms}")
    if body.guillotine_at_ms is not None and body.guillotine_at_ms <= asked.release_at_ms:
        raise _impossible(f"guillotine_at_ms {body.guillotine_at_ms} is not after the release {asked.release_at_ms}")
    with problems():
        playable = replace(asked, profiles=tuple(for_new_game(code) for code in asked.profile_codes))
        pairings.games(playable)
    return pairings.decide_pairing(playable)


def _impossible(detail: str) -> Problem:
    return Problem(422, "impossible_pairing", detail)
