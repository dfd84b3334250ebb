"""Messages wake partitions; changes are the truth. The sweep, poison, and the ledger of decay runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from chalice.app import SQSEvent

from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.core.settings import settings
from chalicelib.ratings import ledger, marking, reading, store, worker
from chalicelib.ratings.marking import ChangeItem, Undecodable
from chalicelib.ratings.model import Change, Line, Partition, Played, Snapshot, Standing
from chalicelib.ratings.replay import NotFinite
from chalicelib.ratings.store import RatingItem
from infra.local.client import client
from tests.faults.events import messages
from tests.faults.stores import Tables
from tests.ratings.club import Club, waits
from tests.ratings.wire import Wire

pytestmark = pytest.mark.engine

NOW = 1_772_323_200_000


class Queue:
    """The queue of wake-ups, empty at first."""

    def __init__(self) -> None:
        self._sqs = client("sqs", None)
        self._url = settings().recompute_queue_url
        self._sqs.purge_queue(QueueUrl=self._url)

    def receive(self) -> dict[str, Any] | None:
        """The next messages as the function gets them; they are gone from the queue."""
        got = self._sqs.receive_message(QueueUrl=self._url, MaxNumberOfMessages=10).get("Messages", [])
        for message in got:
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        return messages([message["Body"] for message in got]) if got else None

    def bodies(self) -> list[dict[str, Any]]:
        event = self.receive() or {"Records": []}
        return [json.loads(record["body"]) for record in event["Records"]]


@pytest.fixture
def queue(club: Club) -> Queue:
    return Queue()


@pytest.fixture(scope="session")
def own_tables(storage: dict[str, str]) -> Tables:
    """Tables for what scans all changes, or keeps the one ledger."""
    return Tables(storage["AWS_ENDPOINT_URL"], "ratings-alone")


@pytest.fixture
def alone(own_tables: Tables, club: Club, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    with monkeypatch.context() as patch:
        own_tables.take(patch)
        yield club


@pytest.fixture
def hidden(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Receipts of the messages that are to be shown again, and after how many seconds."""
    found: list[tuple[str, int]] = []
    monkeypatch.setattr(worker, "show_again", lambda url, receipt, seconds: found.append((receipt, seconds)))
    return found


def consume(event: dict[str, Any], club: Club) -> list[str]:
    """Ids of the messages that were given back."""
    answer = worker.consume(SQSEvent(event, {}), club.truth)
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def wakeups(*partitions: Partition, **more: Any) -> dict[str, Any]:
    return messages([json.dumps({"partition": partition.key, **more}) for partition in partitions])


# ---- waking


def test_each_change_wakes_its_partition_once(club: Club, queue: Queue) -> None:
    first, second = (club.enters(club.game(hour)) for hour in (1, 2))
    for change in (first, first, second):
        marking.wake({club.partition: change})
    assert queue.bodies() == [{"partition": club.partition.key}] * 2


def test_a_queue_that_does_not_answer_is_no_error(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    change = club.enters(club.game(1))
    monkeypatch.setenv("RECOMPUTE_QUEUE_URL", "http://127.0.0.1:9/nowhere")
    settings.cache_clear()
    monkeypatch.setattr("botocore.retries.standard.time.sleep", lambda seconds: None, raising=False)
    marking.wake({club.partition: change})
    assert waits(club) == 1


def test_several_messages_of_a_partition_are_one_pass(club: Club, hidden: list[Any]) -> None:
    other = Club()
    for some in (club, other):
        some.enters(some.game(1))
        some.enters(some.game(2))
    answer = worker.consume(SQSEvent(wakeups(club.partition, other.partition, club.partition), {}), _nothing)
    assert (answer, hidden) == ({"batchItemFailures": []}, [])
    assert [store.control(some.partition).generation for some in (club, other)] == [1, 1]
    club.check()
    other.check()


def test_the_same_message_again_writes_nothing(club: Club, wire: Wire) -> None:
    club.enters(club.game(1))
    assert consume(wakeups(club.partition), club) == []
    wire.expects()
    assert consume(wakeups(club.partition), club) == []
    assert wire.writes == []


def test_twenty_continuations_all_run(club: Club, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 2)
    monkeypatch.setenv("REPLAY_BUDGET_MS", "0")
    settings.cache_clear()
    for hour in range(42):
        club.change(f"r{hour:05}", club.game(hour))
    marking.rebuild(club.partition, "anna")
    invocations = 0
    while event := queue.receive():
        assert consume(event, club) == []
        invocations += 1
    # Twenty-one parts, and one that finds that nothing is left and commits.
    assert invocations == 22
    assert waits(club) == 0
    club.check()


def test_what_came_during_a_long_replay_is_taken_in_after_it(
    club: Club, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    club.has(20)
    club.moves("r00015", 0)
    assert club.passes(is_spent=lambda: True).outcome == "continues"
    club.enters(club.game(7, "new"))
    while event := queue.receive():
        assert consume(event, club) == []
    assert waits(club) == 0
    club.check()


# ---- the sweep


def test_a_lost_wakeup_is_made_up_for_after_a_minute(
    alone: Club, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = NOW
    monkeypatch.setattr("chalicelib.core.time.real_ms", lambda: now_ms)
    alone.enters(alone.game(1))
    alone.enters(alone.game(2))
    now_ms += MINUTE
    assert _sweep() == 0
    now_ms += 1
    assert _sweep() == 1
    event = queue.receive()
    assert event is not None
    assert consume(event, alone) == []
    alone.check()
    now_ms += MINUTE
    assert _sweep() == 0


def test_the_sweep_calls_again_every_minute(alone: Club, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    now_ms = NOW
    monkeypatch.setattr("chalicelib.core.time.real_ms", lambda: now_ms)
    change = alone.enters(alone.game(1))
    marking.wake({alone.partition: change})
    for _ in range(3):
        now_ms += MINUTE + 1
        assert _sweep() == 1
        assert _sweep() == 1
    assert [body.get("again", False) for body in queue.bodies()] == [False, True, True, True]


def _sweep() -> int:
    from app import app  # noqa: F401

    found: int = worker.sweep(_SCHEDULED, None)["woken"]
    return found


_SCHEDULED: dict[str, Any] = {
    "version": "0",
    "account": "0",
    "region": "us-east-1",
    "detail": {},
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "time": "2026-03-01T00:00:00Z",
    "id": "1",
    "resources": [],
}


# ---- poison


def nan_in_a_batch(club: Club) -> None:
    (name,) = store.control(club.partition).batches
    (line,) = club.lines()
    bad = Standing((float("nan"), 8.0), 1, 1, 0, 1, 0)
    lines = [Line(line.played, tuple(Snapshot(s.subject, bad, bad.values, 1.0) for s in line.individual), line.pair)]
    RatingItem(club.partition.key, f"batch#{name}", lines=store.encoded(lines)).save()
    again = Played(1, "again", line.played.a, line.played.b, "A")
    club.enters(again)


def an_undecodable_batch(club: Club) -> None:
    (name,) = store.control(club.partition).batches
    RatingItem(club.partition.key, f"batch#{name}", lines=b"\x93what").save()
    club.enters(club.game(5))


def an_undecodable_change(club: Club) -> None:
    ChangeItem(club.partition.key, "bad", edits=b"\xc1", marked_ms=0).save()


@pytest.mark.parametrize(
    ("poison", "reason"),
    [(nan_in_a_batch, NotFinite), (an_undecodable_batch, store.Corrupt), (an_undecodable_change, Undecodable)],
)
def test_poison_stops_no_other_partition_and_a_reload_heals_it(
    club: Club, hidden: list[tuple[str, int]], poison: Callable[[Club], None], reason: type[Exception]
) -> None:
    club.enters(club.game(0))
    club.passes()
    other = Club()
    other.enters(other.game(1))
    poison(club)
    before = store.control(club.partition)
    with pytest.raises(reason):
        club.passes()

    event = wakeups(club.partition, other.partition)
    event["Records"][0]["attributes"]["ApproximateReceiveCount"] = "3"
    assert consume(event, other) == ["0"]
    assert hidden == [("handle", 135)]
    other.check()
    after = store.control(club.partition)
    assert (after.generation, after.batches, after.lease_until_ms) == (before.generation, before.batches, 0)
    assert consume(wakeups(club.partition, again=True), club) == [], "the sweep's own message is not kept"

    marking.rebuild(club.partition, "anna")
    assert consume(wakeups(club.partition), club) == []
    club.check()
    assert waits(club) == 0


def test_unreadable_messages_are_given_back(club: Club, hidden: list[Any]) -> None:
    club.enters(club.game(1))
    event = messages(["", "{}", "[]", '{"partition": 5}', json.dumps({"partition": club.partition.key})])
    assert consume(event, club) == ["0", "1", "2", "3"]
    club.check()


def _nothing(partition: Partition) -> Iterator[Played]:
    raise AssertionError("no reload was ordered")


# ---- decay


def test_a_run_is_entered_once_a_date(alone: Club) -> None:
    begin = 1_769_911_200_000  # 2026-02-01T02:00Z, 03:00 in Berlin
    first = ledger.tick(begin)
    assert first == (date(2026, 1, 31),)
    assert ledger.tick(begin + HOUR - 1) == ()
    assert ledger.tick(begin + HOUR) == (date(2026, 2, 1),)
    for hours in (1, 5, 23):
        assert ledger.tick(begin + hours * HOUR) == ()
    assert ledger.runs().last == date(2026, 2, 1)


def test_missed_dates_are_caught_up_one_run_each(alone: Club, wire: Wire) -> None:
    begin = 1_769_918_400_000  # 2026-02-01T04:00Z
    ledger.tick(begin)
    wire.expects()
    assert [day.day for day in ledger.tick(begin + 4 * DAY)] == [2, 3, 4, 5]
    assert len(wire.writes) == 4
    assert (ledger.runs().first, ledger.runs().last) == (date(2026, 2, 1), date(2026, 2, 5))
    assert [run.caught_up for run in ledger.newest(10)] == [False, True, True, True, False]
    assert ledger.tick(begin + 4 * DAY) == ()


def test_two_ticks_at_once_enter_a_date_once(alone: Club, wire: Wire) -> None:
    begin = 1_769_918_400_000
    ledger.tick(begin)
    added: list[tuple[date, ...]] = []
    wire.expects(1, lambda: added.append(ledger.tick(begin + 2 * DAY)))
    assert ledger.tick(begin + 2 * DAY) == ()
    assert added == [(date(2026, 2, 2), date(2026, 2, 3))]


# ---- reading


def test_the_history_of_a_subject_newest_first(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    club.has(20)
    for hour in (30, 31):
        club.enters(club.game(hour))
        club.passes()
    lines = club.lines()
    for projection in club.partition.projections:
        for subject in sorted(reading.board(club.partition, projection))[:4]:
            expected = [
                (no, snapshot)
                for no, line in reversed(list(enumerate(lines)))
                for snapshot in (line.individual if projection == "individual" else line.pair)
                if snapshot.subject == subject
            ]
            found = reading.history(club.partition, projection, subject, limit=100)
            assert [(entry.no, entry.snapshot) for entry in found] == expected
            for cut in (3, 11, 99):
                page = reading.history(club.partition, projection, subject, cut, 2)
                assert [entry.no for entry in page] == [no for no, _ in expected if no < cut][:2]
    assert reading.history(club.partition, "individual", "nobody") == []
    assert reading.standing(club.partition, "individual", "nobody") is None


def test_progress_says_what_waits(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    assert reading.progress(club.partition).waiting == 0
    club.has(20)
    club.moves("r00019", 0)
    marking.put({club.partition: Change("nothing")})
    club.passes(is_spent=lambda: True)
    progress = reading.progress(club.partition)
    assert (progress.generation, progress.lines, progress.waiting) == (1, 20, 2)
    assert (progress.done, progress.total) == (8, 20)
    assert progress.oldest_ms is not None
