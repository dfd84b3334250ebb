"""Rebuilds of a club's partitions: who may order one, and that it waits then."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from msgspec.structs import replace

from chalicelib import recomputing
from chalicelib.clubs import acts
from chalicelib.core.database import Table
from chalicelib.core.durations import DAY
from chalicelib.ratings import addresses, marking
from chalicelib.ratings.edits import normalised
from chalicelib.ratings.model import Partition
from chalicelib.results import recording, store, truth
from tests.games.conftest import Hand
from tests.results.conftest import NOON, Club

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


def laid_over(season: Partition) -> list[tuple[str, int]]:
    """Which results a reload puts into a season, with the edits that wait in it, and when they were played."""
    edits = normalised(edit for change in marking.waiting(season) for edit in change.edits)
    return [(game.id, game.at_ms) for game in truth.played_in(season, edits)]


def test_edits_that_are_older_than_the_days_of_a_season(club: Club) -> None:
    january = (date(2026, 1, 1), date(2026, 1, 31))
    season = club.season("season", *january)
    stays, leaves = club.result(1), club.result(2)
    recording.change(club.id, leaves.id, club.name("rita"), lambda now: replace(now, played_at_ms=NOON + 30 * DAY))
    assert laid_over(season) == [(stays.id, NOON)]
    acts.edit_season(club.id, season.ref.partition("/")[2], "season", (january[0], date(2026, 2, 28)), 1)
    assert laid_over(season) == [(stays.id, NOON), (leaves.id, NOON + 30 * DAY)]
    acts.edit_season(club.id, season.ref.partition("/")[2], "season", (date(2026, 2, 1), date(2026, 2, 28)), 2)
    assert laid_over(season) == [(leaves.id, NOON + 30 * DAY)]
    acts.delete_season(club.id, season.ref.partition("/")[2])
    assert laid_over(season) == []


def test_edits_that_are_seen_before_their_results(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    season = club.season("season", date(2026, 1, 1), date(2026, 1, 31))
    first, second = club.result(1), club.result(2)
    shown = list(store.of_club(club.id))
    recording.change(club.id, first.id, club.name("rita"), lambda now: replace(now, played_at_ms=NOON + 30 * DAY))
    recording.change(club.id, second.id, club.name("rita"), lambda now: replace(now, played_at_ms=NOON - 1))
    third = club.result(3)
    monkeypatch.setattr(store, "of_club", lambda _: iter(shown))
    for partition in (Partition("CLUB", club.id), season):
        expected = [(second.id, NOON - 1), (third.id, NOON)]
        if partition != season:
            expected.append((first.id, NOON + 30 * DAY))
        assert laid_over(partition) == expected


def test_reading_everything_has_more_time_than_an_answer_at_the_door(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.result()
    at_the_door = 3
    monkeypatch.setattr(Table, "read_timeout_seconds", at_the_door)
    monkeypatch.setattr(store.ResultItem, "_connection", None)
    assert len(list(recomputing.truth(Partition("CLUB", club.id)))) == 1
    client = store.ResultItem._get_connection().connection.client
    assert client.meta.config.read_timeout == recomputing.READ_SECONDS > at_the_door


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
