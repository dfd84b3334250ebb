"""Rebuilds of a club's partitions: who may order one, and that it waits then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from chalicelib.ratings import addresses, marking
from chalicelib.ratings.model import Partition
from tests.games.conftest import Hand
from tests.results.conftest import Club

pytestmark = pytest.mark.engine

Door = Callable[..., Hand]


def order(door: Door, club: Club, partition: str, name: str = "anna", scope: str = "record") -> tuple[int, str]:
    answer = door(club.name(name), scope=scope).post(f"/v1/ratings/{partition}/rebuild")
    return answer.status_code, answer.json_body.get("code", "")


def reloads(partition: Partition) -> list[str]:
    return [change.id for change in marking.waiting(partition) if change.reload]


def test_an_admin_rebuilds_what_belongs_to_the_club(club: Club, door: Door) -> None:
    season = club.season("season", date(2026, 1, 1), date(2026, 12, 31))
    event = Partition("EVENT", club.event("cup"))
    for partition in (Partition("CLUB", club.id), event, season):
        before, address = reloads(partition), addresses.address(partition)
        answer = door(club.name("anna"), scope="record").post(f"/v1/ratings/{address}/rebuild")
        assert answer.status_code == 202, answer.body
        assert answer.json_body["partition"] == address
        assert answer.headers["Location"] == f"/v1/ratings/{address}/progress"
        assert set(reloads(partition)) - set(before) == {answer.json_body["change"]}


def test_others_do_not(club: Club, door: Door) -> None:
    for name in ("rita", "bert", "nobody"):
        assert order(door, club, f"club:{club.id}", name) == (403, "role_required"), name
    assert order(door, club, f"club:{club.id}", scope="play") == (403, "scope_required")
    assert reloads(Partition("CLUB", club.id)) == []


@pytest.mark.parametrize(
    ("partition", "refusal"),
    [
        ("global", (403, "operator_only")),
        ("pool:chess:blitz", (403, "operator_only")),
        ("club:nosuchclub23", (404, "unknown_club")),
        ("event:nosuchevent2", (404, "unknown_event")),
        ("season:nosuchclub23:nosuchseason", (404, "unknown_season")),
        ("everything", (404, "unknown_partition")),
    ],
)
def test_what_belongs_to_no_club(club: Club, door: Door, partition: str, refusal: tuple[int, str]) -> None:
    assert order(door, club, partition) == refusal
