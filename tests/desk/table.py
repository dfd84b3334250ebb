"""Games for the desk: played through the app's door, with a referee beside them."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from chalice.test import HTTPResponse

from chalicelib.games import rows, store
from chalicelib.games.invariants import faults
from chalicelib.games.item import GameItem
from chalicelib.games.model import Game
from chalicelib.rules import referee
from tests.games.conftest import Hand

Door = Callable[..., Hand]


def paired(door: Door, event: str = "open", profile: str = "30-30-1", moves: int = 2) -> tuple[str, Hand, Hand]:
    """A game of an event between two new players, after so many plies; White is to move after an even number."""
    white, black = (door(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("anna", "bert"))
    arbiter = door("arbiter", scope="record")
    body = {"event": event, "profile": profile, "boards": [{"white": white.player, "black": black.player}]}
    answer = arbiter.post("/v1/pairings", body, key=uuid.uuid4().hex)
    assert answer.status_code == 201, answer.body
    game: str = answer.json_body["games"][0]
    for ply in range(moves):
        hand = white if ply % 2 == 0 else black
        assert hand.move(game, ply, ("e2e4", "e7e5", "g1f3", "b8c6")[ply]).status_code == 200
    return game, white, black


def sound(game_id: str) -> Game:
    """The stored game, after making sure that it agrees with its own log, balances and place in the index."""
    item = GameItem.get(game_id, consistent_read=True)
    game, shown = store.load(game_id), (item.shard, int(item.deadline_ms)) if item.shard else None
    assert list(faults(game, shown, referee(game.kind))) == []
    return game


def lists(player: str) -> tuple[list[str], list[str]]:
    """Games under way and ended games of a player, as the list rows say."""
    return rows.running_of(player), rows.ended_of(player, 20).game_ids


def code(answer: HTTPResponse) -> str:
    body: dict[str, Any] = answer.json_body
    assert answer.status_code >= 400, body
    return str(body["code"])
