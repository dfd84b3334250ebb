"""A club on the engine, with members, a guest and seasons, and results in it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from chalice.test import HTTPResponse

from chalicelib.clubs import acts
from chalicelib.clubs.model import Event, Guest, Season
from chalicelib.core.ids import derived_id
from chalicelib.core.settings import settings
from chalicelib.ratings import marking
from chalicelib.ratings.model import Change, Partition
from chalicelib.results import recording, store
from chalicelib.results.model import Result, Seat
from tests.games.conftest import Hand, door, issuer, now

__all__ = ["door", "issuer", "now"]

NOON = 1_768_075_200_000  # 2026-01-10T20:00Z


@dataclass
class Club:
    """A club of its own for each test. `anna` is its admin, `rita` its recorder; all names are those of its members."""

    id: str = field(default_factory=lambda: derived_id(uuid.uuid4().hex))

    def __post_init__(self) -> None:
        acts.create_club(self.id, "Club", "Europe/Berlin", self.name("anna"), "test")
        for name in ("rita", "bert", "carl", "dora", "emil"):
            acts.enrol(self.id, self.name(name), name, ["recorder"] if name == "rita" else ["member"], None)

    def name(self, member: str) -> str:
        return f"{member}-{self.id}"

    def guest(self, name: str = "gast") -> str:
        guest_id = derived_id(name, self.id)
        acts.create_guest(Guest(self.id, guest_id, name), "test")
        return guest_id

    def event(self, name: str, rated: bool | None = None) -> str:
        return acts.create_event(Event(derived_id(name, self.id), self.id, name, rated, NOON), "test").id

    def season(self, name: str, first: date, last: date) -> Partition:
        """A new season, whose log has been reloaded."""
        season_id = derived_id(name, self.id)
        acts.create_season(self.id, Season(season_id, name, first, last), "test")
        season = Partition("SEASON", f"{self.id}/{season_id}")
        self.let_go(season)
        return season

    def result(self, number: int = 1, **more: Any) -> Result:
        """A stored result: anna and bert beat carl and dora."""
        sides = {name: tuple(Seat(self.name(member)) for member in members) for name, members in SIDES.items()}
        wanted = {"played_at_ms": NOON, "winner": "A", **sides, **more}
        return recording.enter(Result(f"r{number}{self.id}", self.id, **wanted), "test")

    def waiting(self, partition: Partition | None = None) -> list[Change]:
        """The changes that wait in a log, by default that of the club."""
        return marking.waiting(partition or Partition("CLUB", self.id))

    def widen(self, season: Partition, days: tuple[date, date]) -> None:
        """Give a season, as it was made, other days."""
        season_id = season.ref.partition("/")[2]
        acts.edit_season(self.id, season_id, season_id, days, 1)

    def let_go(self, *partitions: Partition) -> None:
        """As if a pass had taken in what waits in these logs."""
        for partition in partitions:
            marking.let_go(partition, [[change.id for change in self.waiting(partition)]])

    def body(self, **more: Any) -> dict[str, Any]:
        sides = {side: [{"member": self.name(member)} for member in members] for side, members in SIDES.items()}
        return {"played_at": "2026-01-10T20:00:00Z", "winner": "A", **sides, **more}


SIDES = {"a": ("anna", "bert"), "b": ("carl", "dora")}


@pytest.fixture
def club(on_engine: dict[str, str]) -> Iterator[Club]:
    settings.cache_clear()
    yield Club()
    settings.cache_clear()


@pytest.fixture
def another(club: Club) -> Club:
    return Club()


@dataclass
class Recorder:
    """A caller at the door of a club."""

    hand: Hand
    club: Club

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HTTPResponse:
        known = {"Authorization": f"Bearer {self.hand.token}", "Idempotency-Key": "key"}
        sent = known | {name.replace("_", "-"): value for name, value in headers.items()}
        whole = path if path.startswith("/") else f"/v1/clubs/{self.club.id}/{path}"
        raw = b"" if body is None else json.dumps(body).encode()
        return self.hand.client.http.request(method, whole, headers=sent, body=raw)

    def record(self, key: str = "key", **more: Any) -> HTTPResponse:
        return self.send("POST", "results", self.club.body(**more), Idempotency_Key=key)

    def correct(self, result: str, version: int | None = 1, **changes: Any) -> HTTPResponse:
        said = {} if version is None else {"version": version}
        return self.send("PATCH", f"results/{result}", said | changes)


@pytest.fixture
def enter(door: Callable[..., Hand]) -> Callable[..., Recorder]:
    """A way in: `enter(club)` for its recorder, `enter(club, "anna")` for its admin."""

    def at(club: Club, name: str = "rita", scope: str = "read record") -> Recorder:
        return Recorder(door(club.name(name), scope=scope), club)

    return at


def stored(club: str, result_id: str) -> Result | None:
    return store.find(club, result_id)
