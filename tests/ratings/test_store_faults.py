"""Passes that die, are overtaken, repeated, or read in the middle: the same bits, and nobody sees half of it.

With ZEITNOT_ROUNDS set, all of this happens at every single write.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, product
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError
from msgspec.structs import replace

from chalicelib.ratings import generation, marking, reading, store
from chalicelib.ratings.generation import Generation
from chalicelib.ratings.model import Played
from tests.faults.wire import IS_SOAK
from tests.ratings.club import Club, waits
from tests.ratings.wire import Killed, Wire

pytestmark = pytest.mark.engine

Seen = dict[str, Any]


class Time:
    """Real time, standing still until moved."""

    ms = 1_772_323_200_000

    def lease_runs_out(self) -> None:
        self.ms += store.LEASE_MS


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr("chalicelib.core.time.real_ms", lambda: time.ms)
    return time


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    monkeypatch.setattr("chalicelib.ratings.recompute._STAGED_LINES", 8)


def a_new_game(club: Club) -> None:
    club.enters(club.game(50))
    club.passes()
    club.enters(club.game(51))


def a_correction_among_batches(club: Club) -> None:
    for hour in (50, 51, 52):
        club.enters(club.game(hour))
        club.passes()
    club.excludes("r00051")


def a_correction_in_the_middle(club: Club) -> None:
    # Twice, so that there is something to clear away.
    club.enters(club.game(50))
    club.passes()
    club.moves("r00004", 9)
    club.passes()
    club.enters(club.game(7, "new"))
    club.corrects("r00010", "A")
    club.corrects("r00010", "B")


def a_reload(club: Club) -> None:
    a_correction_in_the_middle(club)
    marking.rebuild(club.partition, "anna")


WORK: dict[str, Callable[[Club], None]] = {
    name.__name__: name for name in (a_new_game, a_correction_among_batches, a_correction_in_the_middle, a_reload)
}


MIDDLE_IN_PARTS = ("a_correction_in_the_middle", True)


def prepared(name: str) -> Club:
    """A club of twelve games in which something waits; the same for the same name but for its id."""
    club = Club()
    club.has(12)
    WORK[name](club)
    return club


def some(numbers: range, in_suite: int) -> range:
    """All of these numbers in a soak, else every so manieth, the last one included."""
    return numbers if IS_SOAK else range(numbers[-1], numbers.start - 1, -in_suite)


def seen(club: Club) -> Seen:
    """Log and boards as a reader sees them."""

    def look(generation: Generation) -> Seen:
        found: Seen = {projection: generation.standings(projection) for projection in club.partition.projections}
        return found | {"log": list(generation.since((-1, "")))}

    return reading.read(club.partition, look)


def finish(club: Club, is_spent: Callable[[], bool] = lambda: False) -> None:
    while waits(club):
        club.passes(is_spent)


def writes_of(name: str, wire: Wire, is_spent: Callable[[], bool]) -> int:
    club = prepared(name)
    count = 0
    while waits(club):
        wire.expects()
        club.passes(is_spent)
        count += len(wire.writes)
    return count


@pytest.mark.parametrize(("name", "in_parts"), [*((name, False) for name in WORK), ("a_reload", True), MIDDLE_IN_PARTS])
def test_death_at_every_write(club: Club, wire: Wire, now: Time, name: str, in_parts: bool) -> None:
    def is_spent() -> bool:
        return in_parts

    def die() -> None:
        raise Killed

    numbers = some(range(1, writes_of(name, wire, is_spent) + 1), 5 if in_parts else 3)
    for number, late in (
        product(numbers, (False, True)) if IS_SOAK else zip(numbers, cycle((True, False)), strict=False)
    ):
        victim = prepared(name)
        before = seen(victim)
        wire.expects(number, die, late=late)
        with pytest.raises(Killed):
            finish(victim, is_spent)
        wire.expects()
        between = seen(victim)
        now.lease_runs_out()
        finish(victim, is_spent)
        after = seen(victim)
        assert between in (before, after), number
        victim.check()
        assert victim.passes().outcome == "clean"


@pytest.mark.parametrize("name", WORK)
def test_whoever_is_overtaken_commits_nothing(club: Club, wire: Wire, now: Time, name: str) -> None:
    for number in some(range(2, writes_of(name, wire, lambda: False) + 1), 4):
        both = prepared(name)
        generations: list[int] = []

        def overtake(both: Club = both, generations: list[int] = generations) -> None:
            now.lease_runs_out()
            generations.append(store.control(both.partition).generation)
            both.enters(both.game(60))
            assert both.passes().outcome == "committed"
            generations.append(store.control(both.partition).generation)

        before = store.control(both.partition).generation
        wire.expects(number, overtake)
        outcome = both.passes().outcome
        assert outcome == ("committed" if generations[0] > before else "overtaken"), number
        assert store.control(both.partition).generation == generations[1]
        finish(both)
        both.check()


@pytest.mark.parametrize("name", WORK)
def test_an_edit_that_comes_while_a_pass_runs_waits_for_the_next(club: Club, wire: Wire, now: Time, name: str) -> None:
    for number in some(range(2, writes_of(name, wire, lambda: False) + 1), 5):
        busy = prepared(name)

        def edit(busy: Club = busy) -> None:
            busy.corrects("r00002", "B" if busy.results["r00002"][1].winner == "A" else "A")  # type: ignore[union-attr]

        wire.expects(number, edit)
        assert busy.passes().outcome == "committed"
        assert waits(busy) == 1
        finish(busy)
        busy.check()


@pytest.mark.parametrize("name", WORK)
def test_readers_see_one_generation_or_the_next(club: Club, wire: Wire, now: Time, name: str) -> None:
    for number in some(range(1, writes_of(name, wire, lambda: False) + 1), 5):
        read = prepared(name)
        found = [seen(read)]
        wire.expects(number, lambda read=read, found=found: found.append(seen(read)))  # type: ignore[misc]
        read.passes()
        assert found[1] in (found[0], seen(read)), number


def test_a_slow_reader_begins_again(club: Club) -> None:
    club.has(20)
    calls = []

    def look(generation: Generation) -> int:
        calls.append(generation.control.generation)
        if len(calls) == 1:
            for hour in (1, 2, 3):
                club.enters(club.game(hour, f"new{hour}"))
                club.passes()
            store.chunk.cache_clear()
        return len(list(generation.since((-1, ""))))

    assert reading.read(club.partition, look) == 23
    assert calls == [1, 4]


def test_a_reader_of_the_generation_before_is_not_disturbed(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.MOST_BATCHES", 2)
    club.has(12)
    for hour in (20, 21):
        club.enters(club.game(hour))
        club.passes()
    control = store.control(club.partition)
    assert len(control.batches) == 2
    club.enters(club.game(3, "new"))
    assert club.passes().segments > 1
    store.chunk.cache_clear()
    store.board.cache_clear()
    store.manifest.cache_clear()
    before = generation.load(control)
    assert len(list(before.since((-1, "")))) == 14
    assert all(before.standings(projection) for projection in club.partition.projections)


def test_a_lease_is_not_taken_over_a_commit_that_was_not_read(club: Club, now: Time) -> None:
    held = store.take_lease(store.control(club.partition), now.ms)
    with pytest.raises(store.Busy):
        store.take_lease(store.control(club.partition), now.ms)
    now.lease_runs_out()
    read = store.control(club.partition)
    store.commit(held, replace(held, generation=held.generation + 1))
    with pytest.raises(store.Busy):
        store.take_lease(read, now.ms)
    assert store.take_lease(store.control(club.partition), now.ms).fence == 2


def test_a_lost_answer_to_the_lease_is_no_other_holder(club: Club, wire: Wire) -> None:
    club.enters(club.game(1))

    def lose() -> None:
        raise ConnectionClosedError(endpoint_url="http://the.line")

    wire.expects(1, lose, late=True)
    assert club.passes().outcome == "committed"
    club.check()


def test_what_an_overtaken_pass_left_behind_is_invisible_and_goes(club: Club, wire: Wire, now: Time) -> None:
    club.has(20)
    club.enters(club.game(50))

    def die() -> None:
        raise Killed

    wire.expects(2, die, late=True)
    with pytest.raises(Killed):
        club.passes()
    assert len(list(store.batch_names(club.partition))) == 1
    assert store.control(club.partition).batches == ()
    wire.expects()
    now.lease_runs_out()
    club.passes()
    club.check()
    for hour in (1, 2):
        club.enters(club.game(hour, f"new{hour}"))
        club.passes()
    stored = club.stored()
    assert list(store.batch_names(club.partition)) == []
    assert len(list(store.object_names(club.partition))) <= 2 * len(stored.manifest.names) + 2
    club.check()


def test_the_same_message_again_writes_nothing(club: Club, wire: Wire) -> None:
    club.has(20)
    club.enters(club.game(50))
    club.passes()
    before = seen(club)
    wire.expects()
    assert club.passes().outcome == "clean"
    assert wire.writes == []
    assert seen(club) == before


def test_a_stale_edit_beside_a_later_one(club: Club, wire: Wire, now: Time) -> None:
    """Deleted in the middle: of one result, an earlier edit never outlives a later one."""
    club.has(20)
    for hour in (30, 40, 50):
        club.moves("r00003", hour)

    def die() -> None:
        raise Killed

    wire.expects()
    marking_writes = 3
    total = writes_of_moves(wire)
    for number in range(total - marking_writes + 1, total + 1):
        victim = Club()
        victim.has(20)
        for hour in (30, 40, 50):
            victim.moves("r00003", hour)
        wire.expects(number, die)
        with pytest.raises(Killed):
            victim.passes()
        wire.expects()
        now.lease_runs_out()
        finish(victim)
        victim.check()


def writes_of_moves(wire: Wire) -> int:
    club = Club()
    club.has(20)
    for hour in (30, 40, 50):
        club.moves("r00003", hour)
    wire.expects()
    club.passes()
    return len(wire.writes)


def test_a_reload_beside_everything_else(club: Club) -> None:
    club.has(20)
    club.moves("r00003", 30)
    first = marking.waiting(club.partition)
    club.moves("r00003", 40)
    marking.put({club.partition: marking.rebuild(club.partition, "anna")})
    club.passes()
    club.check()
    assert waits(club) == 0
    assert isinstance(first[0].edits[0].played, Played)
