"""Clients of AWS: what the functions of the app have in common, they make once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from botocore.session import Session

from chalicelib.core import queues
from chalicelib.games import pairings, rows
from chalicelib.games.item import GameItem
from chalicelib.ratings.marking import ChangeItem
from chalicelib.watch.store import WatchItem

MODELS: tuple[Any, ...] = (GameItem, rows.PlayerGameItem, pairings.PairingItem, WatchItem, ChangeItem)


def make_clients() -> list[Any]:
    tables = [model._get_connection().connection.client for model in MODELS]
    return [*tables, queues._client()]


def in_a_new_thread(made: list[Any]) -> None:
    thread = threading.Thread(target=lambda: made.extend(make_clients()))
    thread.start()
    thread.join()


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> list[Session]:
    """The sessions that are made from now on; no client is left from before."""
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    made: list[Session] = []
    begin = Session.__init__

    def count(session: Session, *given: Any, **named: Any) -> None:
        made.append(session)
        begin(session, *given, **named)

    monkeypatch.setattr(Session, "__init__", count)
    for model in MODELS:
        monkeypatch.setattr(model, "_connection", None)
    monkeypatch.setattr(queues, "_client", queues._client.__wrapped__)
    return made


def test_the_clients_of_a_thread_are_made_from_one_session(sessions: list[Session]) -> None:
    made: list[Any] = []
    in_a_new_thread(made)
    assert len({id(client) for client in made}) == len(MODELS) + 1
    assert len(sessions) == 1


def test_threads_make_clients_from_sessions_of_their_own(
    sessions: list[Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_a_new_thread([])
    for model in MODELS:
        monkeypatch.setattr(model, "_connection", None)
    in_a_new_thread([])
    assert len(sessions) == 2
