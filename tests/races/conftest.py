"""Games on the engine, and many hands that reach for them in the same instant."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from chalicelib.clock.profiles import named
from chalicelib.core.sides import Side
from chalicelib.games import rows, store
from chalicelib.games.commands import Accept
from chalicelib.games.decide import decide
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game
from chalicelib.rules import referee

T0 = 1_772_323_200_000
Result = TypeVar("Result")


def rounds(in_suite: int) -> int:
    """How often a race is run: ZEITNOT_ROUNDS, or few enough for the suite."""
    return int(os.environ.get("ZEITNOT_ROUNDS", in_suite))


def together(acts: Sequence[Callable[[], Result]]) -> list[Result]:
    """Do all acts at once, each in a thread of its own that waits for the others."""
    barrier = threading.Barrier(len(acts))

    def start(act: Callable[[], Result]) -> Result:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(start, acts))


@pytest.fixture
def new_game(on_engine: dict[str, str]) -> Callable[..., Game]:
    """Store a game that has just begun at T0 between "white" and "black"."""

    def make(profile: str = "30-30-1") -> Game:
        waiting = new_invitation(profile=profile, opponent="black")
        begun = decide(waiting, Accept("black", Side.BLACK), T0, referee("chess")).game
        store.commit(waiting, begun)
        return begun

    return make


def new_invitation(profile: str = "30-30-1", opponent: str | None = None) -> Game:
    """Store an invitation by "white", who wants White."""
    both = named(profile)
    match = Match("chess", None, (both, both), rated=True)
    sent = invitation(match, T0, challenger="white", opponent=opponent, colour="white")
    game = invite(uuid.uuid4().hex[:12], match, referee("chess"), sent, T0)
    store.create([game], [("white", game.id), (opponent or rows.LOBBY, game.id)])
    return game


def codes(outcomes: Sequence[Any]) -> list[str]:
    """Codes of the outcomes, "done" for what was done."""
    return sorted(outcome.refusal.code if outcome.refusal else "done" for outcome in outcomes)
