"""A game from challenge to mate through HTTP."""

from __future__ import annotations

import uuid
from collections.abc import Callable

from tests.games.conftest import Hand

FOOLS_MATE = ["f2f3", "e7e5", "g2g4", "d8h4"]


def start(door: Callable[..., Hand], profile: str = "30-30-1", **more: object) -> tuple[str, Hand, Hand]:
    """A game that has just begun: its id, White, Black. Every game has players of its own."""
    white, black = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("white", "black"))
    made = white.post("/v1/challenges", {"opponent": black.player, "profile": profile, "colour": "white", **more})
    assert made.status_code == 201, made.body
    game = made.json_body["id"]
    accepted = black.post(f"/v1/challenges/{game}/accept")
    assert accepted.status_code == 200, accepted.body
    return game, white, black


def test_a_game_from_challenge_to_mate(door: Callable[..., Hand]) -> None:
    game, white, black = start(door)
    for ply, move in enumerate(FOOLS_MATE):
        answer = (white, black)[ply % 2].move(game, ply, move)
        assert answer.status_code == 200, answer.body
    view = white.get(f"/v1/games/{game}").json_body
    result = view["result"]
    assert (result["reason"], result["winner"], result["score"]) == ("checkmate", "black", "0-1")
