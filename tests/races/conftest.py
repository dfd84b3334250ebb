"""Games on the engine, and many hands that reach for them in the same instant."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

import pytest
from chalice.local import LocalChalice
from chalice.test import Client

from chalicelib.clock.profiles import named
from chalicelib.core.sides import Side
from chalicelib.games import rows, store
from chalicelib.games.commands import Accept
from chalicelib.games.decide import decide
from chalicelib.games.invariants import faults
from chalicelib.games.item import GameItem
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game
from chalicelib.rules import referee
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from tests.faults.stores import Tables
from tests.games.conftest import Hand, door, issuer, now
from tests.races.door import Gateway
from tests.races.processes import Processes, processes

__all__ = ["door", "issuer", "now"]

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
def crowd(
    door: Callable[..., Hand], issuer: tuple[Issuer, str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Hand]:
    """As `door`, for players whose requests come in threads: `crowd("anna")`."""
    from app import app

    # The class that `chalice local` uses: it keeps the current request for each thread.
    monkeypatch.setattr(app, "__class__", LocalChalice)
    gateway = cast(Client, Gateway(app))
    return lambda player, scope="read play": Hand(gateway, player, issuer[0].token(player, scope))


@pytest.fixture(scope="session")
def forks(storage: dict[str, str], issuer: tuple[Issuer, str]) -> Iterator[Processes]:
    """The app in processes of its own."""
    with processes({**storage, "JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": issuer[1]}) as ready:
        yield ready


@pytest.fixture(scope="session")
def tables(storage: dict[str, str]) -> Tables:
    """Tables for races with the scan, which walks over all games."""
    return Tables(storage["AWS_ENDPOINT_URL"], "races")


@pytest.fixture
def alone(tables: Tables, on_engine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty tables, on which no scan ever ran."""
    tables.take(monkeypatch)


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


def sound(game_id: str) -> Game:
    """The stored game, after making sure that it agrees with its own log, board, balances and place in the index."""
    item = GameItem.get(game_id, consistent_read=True)
    game, shown = store.load(game_id), (item.shard, int(item.deadline_ms)) if item.shard else None
    assert list(faults(game, shown, referee(game.kind))) == []
    return game


def codes(outcomes: Sequence[Any]) -> list[str]:
    """Codes of the outcomes, "done" for what was done."""
    return sorted(outcome.refusal.code if outcome.refusal else "done" for outcome in outcomes)
