"""Tables besides those of the session: what walks over a whole table meets the games of one test there, no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from chalicelib.desk.signed import NonceItem  # here: it reads real time, which a test may have stopped later on
from infra.local.storage import create_tables

if TYPE_CHECKING:
    import pytest


def _models() -> dict[str, tuple[Any, ...]]:
    """The table models by the variable that names the table; the first one reads every key of it."""
    from chalicelib.desk.audit import AuditItem
    from chalicelib.desk.keys import KeyItem
    from chalicelib.desk.ledger import WindowItem
    from chalicelib.games.item import GameItem
    from chalicelib.games.pairings import PairingItem
    from chalicelib.games.rows import PlayerGameItem
    from chalicelib.ratings.marking import ChangeItem
    from chalicelib.ratings.store import RatingItem
    from chalicelib.watch.store import WatchItem

    return {
        "GAMES_TABLE": (GameItem,),
        "PLAYER_GAMES_TABLE": (PlayerGameItem,),
        "PAIRINGS_TABLE": (PairingItem,),
        "WATCH_TABLE": (WatchItem,),
        "CHANGES_TABLE": (ChangeItem,),
        "RATINGS_TABLE": (RatingItem,),
        "DESK_TABLE": (WindowItem, KeyItem, NonceItem, AuditItem),
    }


@contextmanager
def led_to(names: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lead the stores of this process to what these variables name, and to the endpoint among them."""
    for name, value in names.items():
        monkeypatch.setenv(name, value)
    for variable, models in _models().items():
        for model in models:
            monkeypatch.setattr(model.Meta, "table_name", names[variable])
            monkeypatch.setattr(model, "_connection", None)
    _forget()
    yield
    _forget()


def _forget() -> None:
    from chalicelib.core import queues
    from chalicelib.core.settings import settings
    from chalicelib.ratings import store
    from chalicelib.watch import watching

    queues._client.cache_clear()
    store._s3.cache_clear()
    settings.cache_clear()
    watching.forget()


def reconnect() -> None:
    """Let go of the connections of this process, for a child that must not share them with its parent."""
    for models in _models().values():
        for model in models:
            model._connection = None


class Tables:
    """A set of tables, and the connections of the models to it."""

    def __init__(self, endpoint: str | None, name: str) -> None:
        self._names = create_tables(endpoint, name)
        self._connections: dict[Any, Any] = {}

    def take(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Lead the stores to these tables until the test ends; they are empty then."""
        for variable, models in _models().items():
            for model in models:
                monkeypatch.setattr(model.Meta, "table_name", self._names[variable])
                monkeypatch.setattr(model, "_connection", self._connections.get(model))
                self._connections[model] = model._get_connection()
            with models[0].batch_write() as batch:
                for item in models[0].scan():
                    batch.delete(item)
