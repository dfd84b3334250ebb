"""Recorders, workers that steal each other's lease, and readers, all at once on one partition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.ratings import reading, store
from chalicelib.ratings.generation import Generation
from chalicelib.ratings.replay import States, rebuild, rules_of
from tests.faults.wire import IS_SOAK
from tests.ratings.club import WINNERS, Club, waits

pytestmark = pytest.mark.engine

EDITS = 200 if IS_SOAK else 15
RECORDERS = 3


@pytest.mark.parametrize("lease_ms", [20, store.LEASE_MS], ids=["stolen leases", "kept leases"])
def test_everybody_at_once(club: Club, monkeypatch: pytest.MonkeyPatch, lease_ms: int) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    monkeypatch.setattr("chalicelib.ratings.recompute.MOST_BATCHES", 3)
    monkeypatch.setattr(store, "LEASE_MS", lease_ms)
    # Connections are made once, before anybody needs them at the same time.
    club.enters(club.game(0, "first"))
    club.passes()
    still_recording = [True] * RECORDERS
    outcomes: Counter[str] = Counter()

    def record(number: int) -> None:
        for turn in range(EDITS):
            _edit(club, random.Random(EDITS * number + turn), f"{number}-{turn % 5}")
        still_recording[number] = False

    def work() -> None:
        while any(still_recording):
            outcomes[club.passes().outcome] += 1

    def read() -> None:
        while any(still_recording):
            reading.read(club.partition, is_whole)

    _together([*(lambda n=n: record(n) for n in range(RECORDERS)), work, work, read])  # type: ignore[misc]
    monkeypatch.setattr(store, "LEASE_MS", 0)
    while waits(club):
        club.passes()
    club.check()
    assert outcomes["committed"]
    assert lease_ms == store.LEASE_MS or outcomes["busy"] + outcomes["overtaken"] or not IS_SOAK


def _edit(club: Club, lots: random.Random, name: str) -> None:
    """Do anything that can be done with a result."""
    if name not in club.results or club.results[name][1] is None:
        club.enters(club.game(lots.randrange(40), name))
    else:
        act = lots.choice(("correct", "move", "exclude"))
        if act == "correct":
            club.corrects(name, lots.choice(WINNERS))
        elif act == "move":
            club.moves(name, lots.randrange(40))
        else:
            club.excludes(name)


def is_whole(seen: Generation) -> None:
    """Log and boards belong together: whoever replays the one gets the other."""
    lines = list(seen.since((-1, "")))
    states: States = {}
    rules = rules_of(seen.control.partition, "incomplete", None)
    assert list(rebuild((line.played for line in lines), states, 0, rules)) == lines
    for projection, standings in states.items():
        assert seen.standings(projection) == {name: row for name, row in standings.items() if row.games}


def _together(acts: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()
