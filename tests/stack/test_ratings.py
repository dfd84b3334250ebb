"""Ratings on the deployed stack: the functions that keep them find what they may use, and wake each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from uuid import uuid4

import pytest

from chalicelib.ratings import marking, reading
from chalicelib.ratings.model import Change, Edit, Partition, Played
from infra.local import functions
from infra.local.stack import RunningStack
from tests.faults.stores import led_to
from tests.stack.test_rights import Table, eventually

pytestmark = pytest.mark.stack


@pytest.fixture(autouse=True)
def here(stack: RunningStack, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The stores of this process lead to the stack's own tables."""
    with led_to(stack.environment(), monkeypatch):
        yield


def test_a_game_rates_in_its_pool(stack: RunningStack) -> None:
    table = Table(stack)
    game = table.game()
    table.white.post(f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"})
    table.black.post(f"/v1/games/{game}/resign")
    pool = Partition("POOL", "chess/classical")

    row = eventually(partial(reading.standing, pool, "individual", table.white.name))

    assert (row.games, row.wins) == (1, 1)


def test_a_partition_is_read_again_from_the_truth(stack: RunningStack) -> None:
    for partition in (Partition("POOL", "chess/classical"), Partition("GLOBAL"), Partition("CLUB", "nosuchclub23")):
        marking.rebuild(partition, "test")
        assert eventually(lambda partition=partition: not marking.is_waiting(partition))  # type: ignore[misc]
        assert reading.control(partition).manifest


def test_a_partition_that_was_not_woken_is_swept(stack: RunningStack, monkeypatch: pytest.MonkeyPatch) -> None:
    club = Partition("CLUB", uuid4().hex[:12])
    played = Played(0, "r", ("anna",), ("bert",), "A")
    monkeypatch.setattr("chalicelib.core.time.real_ms", lambda: 0)
    marking.put({club: Change("change", (Edit("r", 1, played=played),))})

    assert functions.on_schedule(stack, "SweepFunction")["woken"] >= 1

    assert eventually(lambda: not marking.is_waiting(club))
    assert set(reading.board(club, "individual")) == {"anna", "bert"}


def test_the_decay_job_enters_its_dates_once(stack: RunningStack) -> None:
    functions.on_schedule(stack, "DecayFunction")

    assert functions.on_schedule(stack, "DecayFunction") == {"dates": []}


def test_a_message_that_nobody_sent_is_given_back_and_stops_no_other(stack: RunningStack) -> None:
    club = Partition("CLUB", uuid4().hex[:12])
    marking.put({club: Change("change", (Edit("r", 1, played=Played(0, "r", ("anna",), ("bert",), "A")),))})
    bodies = ["poison", '{"partition": "%s"}' % club.key]  # noqa: UP031
    records = [
        {"messageId": str(number), "receiptHandle": str(number), "body": body, "attributes": {}}
        for number, body in enumerate(bodies)
    ]

    report = functions.invoke(stack, "RecomputeFunction", {"Records": records})

    assert report == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert not marking.is_waiting(club)
