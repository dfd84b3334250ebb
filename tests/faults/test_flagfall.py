"""Scan, timers and repair: whatever comes late, twice, in disorder, broken or never."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError
from chalice.test import Client

from chalicelib.clock.profiles import named
from chalicelib.core.durations import DAY, MINUTE, SECOND
from chalicelib.core.ids import derived_id
from chalicelib.core.settings import settings
from chalicelib.games import flagfall, pairings, rows, store
from chalicelib.games.bodies import Board, PairingsBody
from chalicelib.games.due import due
from chalicelib.games.item import ENDED, RUNNING, GameItem
from chalicelib.games.pairings import PairingItem
from chalicelib.games.worker import SomeFailed
from chalicelib.watch.store import WatchItem
from infra.local.client import client
from tests.faults.events import MINUTE_SCHEDULE, image, messages, stream, timer
from tests.faults.wire import IS_SOAK, Line
from tests.games.conftest import Hand, Time
from tests.games.test_api import start

Door = Callable[..., Hand]
GRACE = 1_500


@pytest.fixture
def deliver(door: Door, alone: Time) -> Callable[[str, dict[str, Any]], Any]:
    """Hand an event to an event function of the app: `deliver("timer", messages([...]))`."""
    from app import app

    invoke = Client(app).lambda_.invoke
    return lambda function, event: invoke(function, event).payload


def due_ms(game: str) -> int:
    """When the game ends on time, grace included."""
    reached = due(store.load(game))
    assert reached is not None
    return reached.effective_ms


def shown_as(game: str) -> set[str]:
    """The stages under which the deadline index shows a game."""
    stages = (stage for stage in (RUNNING, ENDED) for found, _ in store.due_before(stage, 10**15) if found == game)
    return set(stages)


def listed(hand: Hand, game: str) -> tuple[int, int]:
    """How many rows of a player lead to the game: as running, and as ended."""
    return rows.running_of(hand.player).count(game), rows.ended_of(hand.player, 100).game_ids.count(game)


@contextmanager
def broken(game: str) -> Iterator[None]:
    """A game of a kind that nobody knows: it cannot be decided any more."""
    GameItem(game).update([GameItem.kind.set("shogi")])
    try:
        yield
    finally:
        GameItem(game).update([GameItem.kind.set("chess")])


# --- the stream


def test_a_lost_batch_is_made_up_for_a_minute_later(door: Door, alone: Time) -> None:
    game, white, black = start(door)
    assert white.post(f"/v1/games/{game}/resign").status_code == 200
    assert [listed(hand, game) for hand in (white, black)] == [(1, 0), (1, 0)]
    alone.pass_by(MINUTE - 1)
    assert flagfall.scan(alone.ms).repaired == 0
    assert shown_as(game) == {ENDED}
    alone.pass_by(1)
    assert flagfall.scan(alone.ms).repaired == 1
    assert [listed(hand, game) for hand in (white, black)] == [(0, 1), (0, 1)]
    assert shown_as(game) == set()
    assert flagfall.scan(alone.ms).repaired == 0


def test_records_twice_and_in_disorder_come_to_the_same(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    for seed in range(4):
        game, white, black = start(door, profile="T3_1")
        images = [image(game)]
        for ply, move in enumerate(["f2f3", "e7e5", "g2g4", "d8h4"]):
            (white, black)[ply % 2].move(game, ply, move)
            images.append(image(game))
        records = images * 2
        random.Random(seed).shuffle(records)
        deliver("fan_out", stream(records))
        deliver("fan_out", stream(images[:3]))
        assert [listed(hand, game) for hand in (white, black)] == [(0, 1), (0, 1)]
        assert shown_as(game) == set()
        assert store.load(game).version == 5
        assert white.get("/v1/games").json_body["finished"][0]["id"] == game


def test_an_aborted_game_leaves_every_list(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    game, white, black = start(door)
    assert white.post(f"/v1/games/{game}/abort").status_code == 200
    deliver("fan_out", stream([image(game)] * 2))
    assert [listed(hand, game) for hand in (white, black)] == [(0, 0), (0, 0)]
    assert shown_as(game) == set()


def test_one_broken_record_holds_up_no_other(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    games = [start(door) for _ in range(3)]
    for game, white, _ in games:
        white.post(f"/v1/games/{game}/resign")
    images = [image(game) for game, _, _ in games]
    del images[1]["profiles"]
    with pytest.raises(SomeFailed):
        deliver("fan_out", stream(images))
    assert [listed(white, game) for game, white, _ in games] == [(0, 1), (1, 0), (0, 1)]
    deliver("fan_out", stream([image(game) for game, _, _ in games]))
    assert [listed(white, game) for game, white, _ in games] == [(0, 1)] * 3


# --- timers


def test_bad_messages_are_given_back_and_no_others(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    game, _, _ = start(door, profile="T3_1")
    alone.ms = due_ms(game)
    bad = [
        "",
        "{",
        "[]",
        "{}",
        "null",
        '{"game": "abcdefghjkmn"}',
        '{"due_ms": 5}',
        f'{{"game": "{game}", "due_ms": "soon"}}',
        f'{{"game": "{game}", "due_ms": NaN}}',
        '{"game": "", "due_ms": 1}',
        "[" * 100_000,
    ]
    good = [timer(game, alone.ms), timer("nosuchgame23", alone.ms)]
    answer = deliver("timer", messages([*bad[:5], *good, *bad[5:]]))
    failed = [entry["itemIdentifier"] for entry in answer["batchItemFailures"]]
    assert failed == [str(number) for number in range(len(bad) + 2) if number not in (5, 6)]
    assert store.load(game).is_over


@pytest.mark.parametrize("claimed", ["the deadline", "the end of time"])
def test_a_timer_that_comes_early_flags_nobody(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any], claimed: str
) -> None:
    game, _, _ = start(door)
    due_at = {"the deadline": due_ms(game), "the end of time": 10**15}[claimed]
    assert deliver("timer", messages([timer(game, due_at)])) == {"batchItemFailures": []}
    assert (store.load(game).version, store.load(game).result) == (1, None)


def test_a_timer_waits_for_the_last_second(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, _, _ = start(door, profile="T3_1")
    begun_ms = alone.ms
    alone.ms = due_ms(game) - 999
    monkeypatch.setattr("chalicelib.games.flagfall.time.sleep", lambda seconds: alone.pass_by(round(seconds * SECOND)))
    deliver("timer", messages([timer(game, due_ms(game))]))
    result = store.load(game).result
    assert result is not None
    assert (result.reason, result.at_ms) == ("time", begun_ms + 3 * DAY)


def test_a_timer_for_a_deadline_that_has_moved_on_does_nothing(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    game, white, _ = start(door, profile="T3_1")
    alone.ms = stale_ms = due_ms(game) - 1
    assert white.move(game, 0, "e2e4").status_code == 200
    alone.pass_by(1)
    assert deliver("timer", messages([timer(game, stale_ms + 1)] * 2)) == {"batchItemFailures": []}
    assert (store.load(game).version, store.load(game).result) == (2, None)


def test_a_timer_for_a_game_that_is_over_changes_nothing(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    game, white, _ = start(door, profile="T3_1")
    flag_ms = due_ms(game)
    white.post(f"/v1/games/{game}/resign")
    before = image(game)
    alone.ms = flag_ms
    assert deliver("timer", messages([timer(game, flag_ms)])) == {"batchItemFailures": []}
    assert image(game) == before


def test_the_scan_sends_timers_for_the_next_minute_only(door: Door, alone: Time) -> None:
    game, _, _ = start(door, profile="T3_1")
    queue = client("sqs", None)
    url = settings().timers_queue_url
    queue.purge_queue(QueueUrl=url)
    alone.ms = due_ms(game) - MINUTE - 1
    assert flagfall.scan(alone.ms).timers == 0
    alone.ms = due_ms(game) - 900
    assert flagfall.scan(alone.ms).timers == 1
    received = queue.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
    assert [json.loads(message["Body"]) for message in received] == [{"game": game, "due_ms": due_ms(game)}]


def test_timers_are_counted_and_sent_before_anybody_is_flagged(door: Door, alone: Time, line: Line) -> None:
    for _ in range(2):
        start(door, profile="T3_1")
    alone.pass_by(30 * SECOND)
    later = [start(door, profile="T3_1")[0] for _ in range(11)]
    alone.ms = due_ms(later[0]) - 29 * SECOND
    line.is_mended()
    report = flagfall.scan(alone.ms)
    assert (report.flagged, report.timers, report.failed) == (2, 11, 0)
    timers = [number for number, seen in enumerate(line.seen) if seen == "SendMessageBatch"]
    flags = [number for number, seen in enumerate(line.seen) if seen == "GetItem"][1:]
    assert len(timers) == len(flags) == 2
    assert max(timers) < min(flags)


# --- the scan


def test_a_scan_reads_the_watch_once(door: Door, alone: Time, line: Line) -> None:
    games = [start(door, profile="T3_1")[0] for _ in range(3)]
    alone.ms = due_ms(games[-1])
    line.is_mended()
    assert flagfall.scan(alone.ms).flagged == 3
    assert line.seen.count("GetItem") == 1 + 3


def test_a_game_that_cannot_be_decided_stops_no_other(
    door: Door, alone: Time, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    games = [start(door, profile="T3_1")[0] for _ in range(6)]
    alone.ms = max(due_ms(game) for game in games)
    with broken(games[0]):
        with pytest.raises(SomeFailed):
            deliver("flagfall", MINUTE_SCHEDULE)
        assert [store.load(game).is_over for game in games] == [False] + [True] * 5
    flagfall.scan(alone.ms)
    assert store.load(games[0]).is_over


def test_an_ended_game_that_cannot_be_read_stops_no_repair(door: Door, alone: Time) -> None:
    games = [start(door) for _ in range(5)]
    for game, white, _ in games:
        white.post(f"/v1/games/{game}/resign")
    profiles = GameItem.get(games[0][0]).profiles
    GameItem(games[0][0]).update([GameItem.profiles.set("[[]]")])
    alone.pass_by(MINUTE)
    report = flagfall.scan(alone.ms)
    assert (report.repaired, report.failed) == (4, 1)
    assert [listed(white, game) for game, white, _ in games] == [(1, 0)] + [(0, 1)] * 4
    GameItem(games[0][0]).update([GameItem.profiles.set(profiles)])
    assert flagfall.scan(alone.ms).repaired == 1


def test_a_queue_that_takes_nothing_stops_no_flag(door: Door, alone: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    late, _, _ = start(door, profile="T3_1")
    alone.pass_by(30 * SECOND)
    soon, _, _ = start(door, profile="T3_1")
    alone.ms = due_ms(late)
    monkeypatch.setenv("TIMERS_QUEUE_URL", settings().timers_queue_url + "-gone")
    settings.cache_clear()
    report = flagfall.scan(alone.ms)
    settings.cache_clear()
    assert (report.flagged, report.failed) == (1, 1)
    assert (store.load(late).is_over, store.load(soon).is_over) == (True, False)


@pytest.mark.parametrize("index", ["ended", "pending"])
def test_a_repair_that_cannot_begin_stops_no_flag(door: Door, alone: Time, index: str) -> None:
    game, _, _ = start(door, profile="T3_1")
    alone.ms = due_ms(game)
    with unreachable(index):
        report = flagfall.scan(alone.ms)
    assert report.flagged == 1
    assert report.failed > 0


@contextmanager
def unreachable(partition: str) -> Iterator[None]:
    """No query of an index whose partition begins so gets through."""

    def refuse(request: Any, **_: Any) -> None:
        if f'"{partition}'.encode() in request.body:
            raise EndpointConnectionError(endpoint_url=request.url)

    sources = [model._get_connection().connection.client.meta.events for model in (GameItem, PairingItem)]
    for source in sources:
        source.register("before-send.dynamodb.Query", refuse)
    try:
        yield
    finally:
        for source in sources:
            source.unregister("before-send.dynamodb.Query", refuse)


# --- faults at every request


@dataclass(frozen=True)
class Evening:
    """Work of every kind: a game that is due, one that has ended, and a pairing whose arbiter's process died."""

    due: str
    ended: str
    winner: Hand
    paired: list[str]

    def assert_done_once(self) -> None:
        assert [words(self.due), words(self.ended)] == [["Ab", "Etime:b:-"], ["Ab", "Eresignation:b:w"]]
        assert listed(self.winner, self.ended) == (0, 1)
        assert shown_as(self.ended) == set()
        assert len(store.load_many(self.paired)) == len(self.paired)
        assert list(pairings.unfinished(10**15)) == []


def words(game: str) -> list[str]:
    return [word.partition("@")[0] for word in store.load(game).log.text.split()]


def an_evening(door: Door, alone: Time) -> Evening:
    """Days after the last one, so it begins without a heartbeat."""
    WatchItem("scan").delete()
    due, _, _ = start(door, profile="T3_1")
    alone.ms = due_ms(due) - 2 * MINUTE
    ended, white, black = start(door)
    white.post(f"/v1/games/{ended}/resign")
    asked = pairings.Pairing(
        id=derived_id("evening", due),
        body=PairingsBody("Open", "T3_1", [Board("carl", "dora"), Board("emil", "fritz")]),
        fingerprint="",
        created_at_ms=alone.ms,
        profiles=(named("T3_1"),),
    )
    pairings.decide_pairing(asked)
    alone.ms = due_ms(due)
    return Evening(due, ended, black, asked.game_ids)


def test_a_scan_that_fails_anywhere_is_made_up_for_by_the_next(door: Door, alone: Time, line: Line) -> None:
    evening = an_evening(door, alone)
    line.is_mended()
    flagfall.scan(alone.ms)
    requests = len(line.seen)
    line.is_asked_again = False
    for number in range(1, requests + 1, 1 if IS_SOAK else 3):
        evening = an_evening(door, alone)
        line.breaks("answer lost" if number % 2 else "throttled", first=number)
        with suppress(Exception):
            flagfall.scan(alone.ms)
        line.is_mended()
        alone.pass_by(MINUTE)
        assert flagfall.scan(alone.ms).failed == 0, number
        alone.pass_by(MINUTE)
        flagfall.scan(alone.ms)
        evening.assert_done_once()


def test_a_batch_that_fails_anywhere_is_delivered_again(
    door: Door, alone: Time, line: Line, deliver: Callable[[str, dict[str, Any]], Any]
) -> None:
    line.is_asked_again = False
    for fault in ("answer lost", "throttled"):
        for number in (1, 2):
            game, white, black = start(door)
            white.post(f"/v1/games/{game}/resign")
            batch = stream([image(game)])
            line.breaks(fault, first=number)
            with pytest.raises(SomeFailed):
                deliver("fan_out", batch)
            assert len(line.seen) == number
            line.is_mended()
            deliver("fan_out", batch)
            assert [listed(hand, game) for hand in (white, black)] == [(0, 1), (0, 1)]
            assert shown_as(game) == set()
