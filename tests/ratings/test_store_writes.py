"""What a new result costs until it is a rating, as the engine counts it (settled 26: below 100, better below 60)."""

from __future__ import annotations

from datetime import date

import pytest

from bench.capacity import counted
from chalicelib.ratings.model import Partition
from chalicelib.ratings.recompute import recompute
from tests.results.conftest import NOON, club
from tests.results.conftest import Club as RecordingClub

__all__ = ["club"]

pytestmark = pytest.mark.engine


def test_a_result_in_four_partitions(club: RecordingClub) -> None:
    season = club.season("2026", date(2026, 1, 1), date(2026, 12, 31))
    event = club.event("Open")
    # Not GLOBAL, in which the results of all other tests wait.
    logs = (Partition("CLUB", club.id), Partition("EVENT", event), season)

    def play(hour: int) -> None:
        club.result(hour, event=event, played_at_ms=NOON + hour)
        for log in logs:
            assert recompute(log, lambda _: (), lambda: False).outcome == "committed"

    play(1)
    with counted() as spent:
        play(2)

    # Entering: two units for the result and for the check of its club, one for each of its two indexes, and two for
    # each change, of GLOBAL too. Rating, in each log: lease, batch, commit, and the change that goes.
    assert spent.written == {"results": 4, "clubs": 2, "changes": 8 + 3, "ratings": 9}
