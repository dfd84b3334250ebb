"""The AWS glue in this process, on moto: one thread only, since moto is not atomic (races run on the engine)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from chalicelib.clock.profiles import named
from chalicelib.core import aws as clients
from chalicelib.core import queues
from chalicelib.core.durations import DAY
from chalicelib.core.settings import settings
from chalicelib.core.sides import Side
from chalicelib.desk.audit import AuditItem
from chalicelib.desk.ledger import WindowItem
from chalicelib.games import flagfall, pairings, rows, store
from chalicelib.games.act import act
from chalicelib.games.bodies import Board, PairingsBody
from chalicelib.games.commands import Accept, Look, Move, Resign
from chalicelib.games.item import ENDED, RUNNING, GameItem
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game
from chalicelib.ratings.marking import ChangeItem
from chalicelib.rules import referee
from chalicelib.watch.store import WatchItem
from infra.local.storage import create_queues, create_tables

T0 = 1_772_323_200_000
MODELS: tuple[Any, ...] = (
    *(GameItem, rows.PlayerGameItem, pairings.PairingItem, WatchItem, ChangeItem),
    *(WindowItem, AuditItem),
)


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty AWS in memory, and no connection to any other."""
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    for name, value in {
        "AWS_ACCESS_KEY_ID": "moto",
        "AWS_SECRET_ACCESS_KEY": "moto",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        for model in MODELS:
            monkeypatch.setattr(model, "_connection", None)
        for name, value in {**create_tables(None), **create_queues(None)}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(clients, "_of_thread", threading.local())
        _forget()
        yield
    _forget()


def _forget() -> None:
    settings.cache_clear()
    queues._client.cache_clear()


def seek() -> Game:
    both = named("30-30-1")
    match = Match("chess", None, (both, both), rated=True)
    sent = invitation(match, T0, challenger="anna", opponent=None, colour="white")
    game = invite("seek00000001", match, referee("chess"), sent, T0)
    store.create([game], [("anna", game.id), (rows.LOBBY, game.id)])
    return game


def test_what_is_created_is_loaded_and_listed() -> None:
    game = seek()
    assert store.load(game.id) == game
    assert rows.running_of("anna") == rows.open_invitations(10).game_ids == [game.id]
    with pytest.raises(store.AlreadyCreated) as earlier:
        store.create([game], [])
    assert earlier.value.game == game
    with pytest.raises(store.UnknownGame):
        store.load("nosuchgame00")


def test_a_commit_on_an_old_version_brings_the_game_as_it_stands() -> None:
    before = seek()
    begun = act(before.id, Accept("bert", Side.BLACK), T0).game
    resigned = act(before.id, Resign("bert"), T0 + 1).game
    with pytest.raises(store.Stale) as stale:
        store.commit(begun, resigned)
    assert stale.value.current == resigned == store.load(before.id)


def test_an_accepted_seek_leaves_the_lobby_and_an_ended_game_moves_in_the_lists() -> None:
    game = seek()
    act(game.id, Accept("bert", Side.BLACK), T0)
    assert rows.open_invitations(10).game_ids == []
    act(game.id, Resign("bert"), T0 + 5)
    assert [found for found, _ in store.due_before(ENDED, T0 + 5)] == [game.id]
    assert flagfall.repair(T0 + DAY).done == 1
    assert rows.running_of("bert") == []
    assert rows.ended_of("bert", 10).game_ids == rows.ended_of("anna", 10).game_ids == [game.id]
    assert list(store.due_before(ENDED, T0 + DAY)) == []


def test_the_scan_ends_what_is_due_and_sets_timers_for_what_soon_is() -> None:
    game = seek()
    act(game.id, Accept("bert", Side.BLACK), T0)
    limit_ms = T0 + 7 * DAY
    soon = flagfall.scan(limit_ms - 30_000)
    assert (soon.flagged, soon.timers) == (0, 1)
    sqs = boto3.client("sqs", region_name="us-east-1")
    waiting = sqs.get_queue_attributes(QueueUrl=settings().timers_queue_url, AttributeNames=["All"])["Attributes"]
    assert waiting["ApproximateNumberOfMessagesDelayed"] == "1"
    assert flagfall.scan(limit_ms).flagged == 1
    ended = store.load(game.id)
    assert ended.result is not None
    assert (ended.result.reason, ended.result.winner, ended.result.at_ms) == ("no_start", Side.BLACK, limit_ms)
    assert act(game.id, Look(), limit_ms + 1).game == ended


def test_a_pairing_cut_short_is_completed_and_made_once() -> None:
    body = PairingsBody(event="club", profile="T3_1", boards=[Board(f"w{n}", f"b{n}") for n in range(40)])
    pairing = pairings.Pairing("pairing00001", body, "mark", T0, (named("T3_1"),))
    pairings.decide_pairing(pairing)
    store.create(pairings.games(pairing)[:33], [])
    assert flagfall.repair(T0 + DAY).done == 1
    assert len(store.load_many(pairing.game_ids)) == 40
    assert flagfall.repair(T0 + DAY).done == 0
    pairings.make(pairing)
    assert len(list(store.due_before(RUNNING, T0 + 10 * DAY))) == 40


def test_a_move_is_written_as_it_is_read() -> None:
    game = seek()
    act(game.id, Accept("bert", Side.BLACK), T0)
    moved = act(game.id, Move("anna", 0, "e2e4"), T0 + 1_000).game
    assert store.load(game.id) == moved
