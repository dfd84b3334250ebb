"""The scan, the timers, repair and silences: one broken game stops no other, hints set no time, nobody pays twice."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from chalicelib.clock.profiles import named
from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.core.settings import settings
from chalicelib.core.signing import Admin
from chalicelib.core.time import TimeSource
from chalicelib.desk import closing
from chalicelib.games import flagfall, store
from chalicelib.games.act import act
from chalicelib.games.commands import Look, Move, Pause, Resume
from chalicelib.games.due import due
from chalicelib.games.item import item_of
from chalicelib.games.making import Match, pair
from chalicelib.games.model import Game, Terms
from chalicelib.rules import referee
from chalicelib.watch import store as watch
from chalicelib.watch.model import LONGEST_SILENCE, Window
from chalicelib.watch.watching import silence_now
from tests.games.test_store_moto import aws

__all__ = ["aws"]

T0 = 1_772_323_200_000


@pytest.fixture
def real(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Set real time, which is game time as well."""

    def set_to(ms: int) -> None:
        for module in ("chalicelib.core.time", "chalicelib.watch.watching"):
            monkeypatch.setattr(f"{module}.real_ms", lambda: ms)

    set_to(T0)
    return set_to


def stored(game_id: str, profile: str = "T3_1", released_ms: int = T0) -> Game:
    both = named(profile)
    made = pair(
        game_id,
        Match("chess", None, (both, both), rated=True),
        referee("chess"),
        Terms("pairing", event="e"),
        T0,
        released_ms,
    )
    game = replace(made, white="anna", black="bert")
    store.create([game], [])
    return game


def settled(silence: Window, now_ms: int) -> int:
    """How many clocks were shifted."""
    otto = Admin("key", "otto", "operator", frozenset(), "nonce")
    record = closing.settle(closing.close_at_rest(otto, silence.id, now_ms))
    assert record.work is not None
    return record.work.shifted


def test_a_game_that_cannot_be_decided_stops_no_other(real: Callable[[int], None]) -> None:
    for number in range(5):
        stored(f"game0000000{number}")
    broken = replace(store.load("game00000002"), kind="checkers")
    item_of(broken).save()
    real(T0 + 4 * DAY)
    report = flagfall.scan(T0 + 4 * DAY)
    assert (report.flagged, report.failed) == (4, 1)
    assert [store.load(f"game0000000{n}").is_over for n in range(5)] == [True, True, False, True, True]


@pytest.mark.parametrize("claimed_ms", [T0 + 30 * DAY, 10**15, 0, T0])
def test_a_timer_sets_no_time(real: Callable[[int], None], claimed_ms: int) -> None:
    game = stored("game00000001")
    assert flagfall.timer(json.dumps({"game": game.id, "due_ms": claimed_ms})) is False
    assert store.load(game.id).result is None


def test_a_timer_ends_what_is_due_and_nothing_for_games_that_are_not_there(real: Callable[[int], None]) -> None:
    game = stored("game00000001")
    due_ms = T0 + 3 * DAY + 1_500
    real(due_ms)
    assert flagfall.timer(json.dumps({"game": game.id, "due_ms": due_ms})) is True
    assert flagfall.timer(json.dumps({"game": "nosuchgame00", "due_ms": due_ms})) is False
    with pytest.raises((ValueError, KeyError)):
        flagfall.timer("not a timer")


def test_after_a_silence_nobody_is_flagged_until_it_is_settled_and_then_everybody_gets_it_back_once(
    real: Callable[[int], None],
) -> None:
    running, paused = stored("running00001"), stored("paused000001")
    real(T0 + 2 * DAY)
    assert flagfall.scan(T0 + 2 * DAY).standing == ()
    act(paused.id, Pause("illness"), T0 + 2 * DAY + HOUR)

    later = T0 + 5 * DAY
    real(later)
    (silence,) = flagfall.scan(later).standing
    assert silence.from_ms == T0 + 2 * DAY
    assert act(running.id, Look(), later).game.result is None
    assert flagfall.scan(later + MINUTE).flagged == 0

    assert settled(silence, later) == 2
    assert silence_now() is None
    clock = store.load(running.id).clock
    assert clock is not None
    assert clock.turn_started_at_ms == T0 + 3 * DAY
    act(paused.id, Resume("illness"), later)
    again = store.load(paused.id).clock
    assert again is not None
    assert again.turn_started_at_ms == T0 + 3 * DAY

    assert settled(silence, later) == 2, "as before"
    assert flagfall.scan(later + MINUTE).standing == ()
    reached = due(store.load(running.id))
    assert reached is not None
    assert reached.at_ms == T0 + 6 * DAY


def test_a_silence_that_no_scan_has_noted_can_be_settled(real: Callable[[int], None]) -> None:
    stored("game00000001")
    flagfall.scan(T0)
    real(T0 + HOUR)
    silence = silence_now()
    assert silence is not None
    settled(silence, T0 + HOUR)
    assert silence_now() is None
    assert flagfall.scan(T0 + HOUR).standing == ()


def test_a_silence_stands_while_any_game_failed(real: Callable[[int], None]) -> None:
    game = stored("game00000001")
    flagfall.scan(T0)
    real(T0 + HOUR)
    silence = silence_now()
    assert silence is not None
    item_of(replace(game, kind="checkers")).save()
    with pytest.raises(closing.NotSettled):
        settled(silence, T0 + HOUR)
    assert silence_now() == replace(silence, until_ms=T0 + HOUR)
    item_of(game).save()
    assert settled(silence, T0 + HOUR) == 1


def test_a_scan_that_missed_the_beginning_of_a_silence_flags_nobody(
    real: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It read the watch just before ten minutes were over, and another scan noted the silence just after."""
    game = stored("game00000001")
    due_ms = T0 + 3 * DAY + 1_500
    real(due_ms)
    flagfall.scan(due_ms - 1)
    read_before = watch.load()
    real(due_ms + LONGEST_SILENCE + 1)
    noted = flagfall.scan(due_ms + LONGEST_SILENCE + 1).standing
    real(due_ms + LONGEST_SILENCE)
    monkeypatch.setattr("chalicelib.watch.store.load", lambda: read_before)
    assert flagfall.scan(due_ms + LONGEST_SILENCE).standing == noted != ()
    assert store.load(game.id).result is None


def test_whose_time_ran_out_in_a_silence_may_still_move_and_does_not_pay_for_it(real: Callable[[int], None]) -> None:
    game = stored("game00000001")
    real(T0 + 2 * DAY)
    flagfall.scan(T0 + 2 * DAY)
    later = T0 + 5 * DAY
    real(later)
    moved = act(game.id, Move("anna", 0, "e2e4"), later)
    assert moved.refusal is None and moved.entry is not None
    assert moved.entry.used_ms == 2 * DAY


def test_at_other_speeds_the_scan_sets_no_timers(real: Callable[[int], None], monkeypatch: pytest.MonkeyPatch) -> None:
    stored("game00000001")
    fast = replace(settings(), time=TimeSource(speed=1_000))
    monkeypatch.setattr("chalicelib.games.flagfall.settings", lambda: fast)
    assert flagfall.scan(T0 + 3 * DAY).timers == 0
