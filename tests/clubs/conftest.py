"""Clubs at the app's HTTP door, on the local engine."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from chalice.test import HTTPResponse

from tests.games.conftest import Hand, door, issuer, now

__all__ = ["door", "issuer", "now"]

ORGANISER = "read record"


@dataclass(frozen=True)
class Place:
    """A club, and the hand of its founder."""

    id: str
    admin: Hand

    @property
    def path(self) -> str:
        return f"/v1/clubs/{self.id}"

    def make(self, kind: str, **body: Any) -> dict[str, Any]:
        """Something new in the club: `make("guests", name="Max")`."""
        made = self.admin.post(f"{self.path}/{kind}", body)
        assert made.status_code == 201, made.body
        return dict(made.json_body)

    def season(self, first_day: str, last_day: str) -> dict[str, Any]:
        return self.make("seasons", name="Season", first_day=first_day, last_day=last_day)

    def enrol(self, hand: Hand, *roles: str) -> dict[str, Any]:
        """Make somebody a member with these roles."""
        put = self.admin.put(f"{self.path}/members/{hand.player}", {"name": hand.player, "roles": roles})
        assert put.status_code == 200, put.body
        return dict(put.json_body)


@pytest.fixture
def somebody(door: Callable[..., Hand]) -> Callable[..., Hand]:
    """A person of their own for each call: `somebody("anna")`."""
    return lambda name="anna", scope=ORGANISER: door(f"{name}-{uuid.uuid4().hex[:8]}", scope=scope)


@pytest.fixture
def club(somebody: Callable[..., Hand]) -> Place:
    """A club in Berlin that has just been founded."""
    founder = somebody("founder")
    made = founder.post("/v1/clubs", {"name": "TAC Berlin", "time_zone": "Europe/Berlin"})
    assert made.status_code == 201, made.body
    return Place(made.json_body["id"], founder)


def refused(answer: HTTPResponse) -> tuple[int, str]:
    """Status and code of a refusal."""
    return answer.status_code, answer.json_body["code"]
