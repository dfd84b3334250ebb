"""The scan fell silent: nobody is flagged until the silence has been settled, and then everybody has the same back."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.core.settings import settings
from chalicelib.core.sides import Side
from chalicelib.core.signing import Admin
from chalicelib.desk import closing
from chalicelib.games import flagfall, shifting, store
from chalicelib.games.act import act, carry_out
from chalicelib.games.commands import Pause, Resume
from chalicelib.watch import store as watch_store
from chalicelib.watch.model import Window
from chalicelib.watch.watching import silence_now
from tests.faults.test_flagfall import Door, broken, due_ms
from tests.faults.wire import Line
from tests.games.conftest import Hand, Time
from tests.games.test_api import start
from tests.races.conftest import together

TEN_MINUTES = 10 * MINUTE


def game_at_the_end(door: Door, alone: Time, left_ms: int) -> tuple[str, Hand, Hand]:
    """A game in which White has so much time left; a scan has just run."""
    game, white, black = start(door, profile="T3_1")
    alone.pass_by(3 * DAY - left_ms)
    flagfall.scan(alone.ms)
    return game, white, black


def white_has(game: str, at_ms: int) -> int:
    """White's live balance, exact."""
    clock = store.load(game).clock
    assert clock is not None
    return clocks.live_remaining(clock, Side.WHITE, at_ms)


OTTO = Admin("key", "otto", "operator", frozenset(), "nonce")


def settle(alone: Time) -> int:
    """Settle the silence, and one that has begun since it was closed; how many clocks were shifted at the end."""
    silence = silence_now()
    assert silence is not None
    count = settled(silence, alone)
    return settle(alone) if silence_now() else count


def settled(silence: Window, alone: Time) -> int:
    record = closing.settle(closing.close_at_rest(OTTO, silence.id, alone.ms))
    assert record.work is not None
    return record.work.shifted


@pytest.mark.parametrize(("gap", "is_flagged"), [(TEN_MINUTES, True), (TEN_MINUTES + 1, False)])
def test_ten_minutes_are_no_silence_and_one_ms_more_is(door: Door, alone: Time, gap: int, is_flagged: bool) -> None:
    game, white, _ = game_at_the_end(door, alone, 5 * MINUTE)
    alone.pass_by(gap)
    seen = white.get(f"/v1/games/{game}").json_body
    assert seen["status"] == ("finished" if is_flagged else "active")
    report = flagfall.scan(alone.ms)
    assert (report.standing == ()) is is_flagged
    assert store.load(game).is_over is is_flagged


def test_nobody_is_flagged_in_a_silence_and_the_shift_is_exact(door: Door, alone: Time) -> None:
    game, white, black = game_at_the_end(door, alone, 5 * MINUTE)
    before_ms = due_ms(game)
    alone.pass_by(5 * HOUR)
    assert flagfall.scan(alone.ms).flagged == 0
    assert flagfall.timer(f'{{"game": "{game}", "due_ms": {before_ms}}}') is False
    assert white.get(f"/v1/games/{game}").json_body["status"] == "active"
    assert [card["id"] for card in white.get("/v1/games").json_body["my_turn"]] == [game]
    assert black.move(game, 0, "e2e4").json_body["code"] == "not_your_turn"
    assert store.load(game).version == 1

    assert settle(alone) == 1
    assert due_ms(game) == before_ms + 5 * HOUR
    assert white_has(game, alone.ms) == 5 * MINUTE
    alone.ms = due_ms(game) - 1
    flagfall.scan(alone.ms)
    assert not store.load(game).is_over
    alone.pass_by(1)
    assert flagfall.scan(alone.ms).flagged == 1
    result = store.load(game).result
    assert result is not None
    assert result.at_ms == before_ms + 5 * HOUR - 1_500


@pytest.mark.parametrize(("left_ms", "is_lost"), [(-1_500, True), (1, False)])
def test_what_was_lost_before_the_silence_stays_lost(door: Door, alone: Time, left_ms: int, is_lost: bool) -> None:
    """The last scan, which could not read the game, came when the grace was over, or 1 ms before the deadline."""
    game, _, _ = start(door, profile="T3_1")
    deadline_ms = alone.ms + 3 * DAY
    alone.ms = deadline_ms - left_ms
    with broken(game):
        flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    assert flagfall.scan(alone.ms).standing
    assert settle(alone) == (0 if is_lost else 1)
    flagfall.scan(alone.ms)
    result = store.load(game).result
    assert (result and result.at_ms) == (deadline_ms if is_lost else None)


def test_a_move_in_the_silence_by_who_was_due_is_not_charged_for_it(door: Door, alone: Time) -> None:
    game, white, black = game_at_the_end(door, alone, 5 * MINUTE)
    alone.pass_by(5 * HOUR)
    moved = white.move(game, 0, "e2e4")
    assert moved.status_code == 200
    assert moved.json_body["used_ms"] == 3 * DAY - 5 * MINUTE
    assert white.move(game, 0, "e2e4").body == moved.body
    alone.pass_by(HOUR)
    flagfall.scan(alone.ms)
    settle(alone)
    clock = store.load(game).clock
    assert clock is not None
    assert clocks.live_remaining(clock, Side.BLACK, alone.ms) == 3 * DAY, "Black's turn lay in the silence"
    assert black.move(game, 1, "e7e5").json_body["used_ms"] == 0


@pytest.mark.parametrize("is_noted", [True, False])
def test_a_move_before_its_deadline_is_charged_for_a_silence_only_while_no_scan_has_noted_it(
    door: Door, alone: Time, is_noted: bool
) -> None:
    game, white, _ = game_at_the_end(door, alone, 5 * HOUR)
    alone.pass_by(HOUR)
    if is_noted:
        flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    charged = 3 * DAY - 5 * HOUR + (0 if is_noted else 2 * HOUR)
    assert white.move(game, 0, "e2e4").json_body["used_ms"] == charged


def test_moves_read_the_watch_once_in_three_seconds(door: Door, alone: Time, line: Line) -> None:
    game, white, black = game_at_the_end(door, alone, DAY)
    line.is_mended()
    white.move(game, 0, "e2e4")
    assert line.seen == ["GetItem", "GetItem", "UpdateItem"]
    line.is_mended()
    alone.pass_by(2_999)
    black.move(game, 1, "e7e5")
    assert line.seen == ["GetItem", "UpdateItem"]
    line.is_mended()
    alone.pass_by(1)
    white.move(game, 2, "g1f3")
    assert line.seen == ["GetItem", "GetItem", "UpdateItem"]


def test_a_silence_that_no_scan_has_met_can_be_settled(door: Door, alone: Time) -> None:
    game, _, _ = game_at_the_end(door, alone, 5 * MINUTE)
    alone.pass_by(HOUR)
    settle(alone)
    assert silence_now() is None
    assert not flagfall.scan(alone.ms).standing
    assert white_has(game, alone.ms) == 5 * MINUTE


def test_scanning_again_does_not_end_a_silence(door: Door, alone: Time) -> None:
    game_at_the_end(door, alone, 5 * MINUTE)
    alone.pass_by(HOUR)
    seen = []
    for _ in range(3):
        seen.append(flagfall.scan(alone.ms).standing)
        alone.pass_by(MINUTE)
    assert seen[0]
    assert seen == [seen[0]] * 3


def test_the_silence_is_one_of_real_time(door: Door, alone: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a hundredfold speed nine minutes are fifteen hours of play, and yet no silence."""
    anchor = {"TIME_SPEED": "100", "TIME_ANCHOR_REAL_MS": str(alone.ms), "TIME_ANCHOR_MS": str(alone.ms)}
    for name, value in anchor.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    try:
        game, _, _ = start(door, profile="T1_1")
        flagfall.scan(settings().time.now_ms())
        alone.pass_by(9 * MINUTE)
        assert not flagfall.scan(settings().time.now_ms()).standing
        alone.pass_by(9 * MINUTE)
        assert flagfall.scan(settings().time.now_ms()).flagged == 1
        assert store.load(game).is_over
    finally:
        settings.cache_clear()


def test_settling_cut_short_and_repeated_gives_nobody_time_twice(
    door: Door, alone: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [start(door, profile="T3_1")[0] for _ in range(8)]
    begun_ms = alone.ms
    alone.pass_by(DAY)
    flagfall.scan(alone.ms)
    alone.pass_by(5 * HOUR)
    flagfall.scan(alone.ms)

    met: list[Any] = []

    def killed_at_the_fifth(*arguments: Any) -> Any:
        met.append(arguments)
        if len(met) == 5:
            raise SystemExit
        return carry_out(*arguments)

    monkeypatch.setattr(shifting, "carry_out", killed_at_the_fifth)
    with pytest.raises(SystemExit):
        settle(alone)
    monkeypatch.setattr(shifting, "carry_out", carry_out)
    assert len({white_has(game, alone.ms) for game in games}) == 2, "some have it back, some have not"

    alone.pass_by(HOUR)
    assert flagfall.scan(alone.ms).standing
    assert settle(alone) == 8
    assert {white_has(game, alone.ms) for game in games} == {2 * DAY}
    shifts = [store.load(game).clock.turn_started_at_ms - begun_ms for game in games]  # type: ignore[union-attr]
    assert shifts == [6 * HOUR] * 8
    assert silence_now() is None


def test_two_who_settle_at_once_give_nobody_time_twice(door: Door, alone: Time) -> None:
    games = [start(door, profile="T3_1")[0] for _ in range(6)]
    alone.pass_by(DAY)
    flagfall.scan(alone.ms)
    alone.pass_by(5 * HOUR)
    silence = silence_now()
    assert silence is not None

    def try_to_settle() -> int:
        try:
            return settled(silence, alone)
        except closing.Busy:
            return 0

    together([try_to_settle] * 2)
    assert {white_has(game, alone.ms) for game in games} == {2 * DAY}
    assert silence_now() is None


def test_a_silence_stands_while_one_clock_cannot_be_given_it_back(door: Door, alone: Time) -> None:
    games = [start(door, profile="T3_1")[0] for _ in range(5)]
    alone.pass_by(DAY)
    flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    with broken(games[2]), pytest.raises(closing.NotSettled):
        settle(alone)
    assert flagfall.scan(alone.ms).standing
    alone.pass_by(HOUR)
    settle(alone)
    assert {white_has(game, alone.ms) for game in games} == {2 * DAY}


@pytest.mark.parametrize("resumed", [False, True])
def test_a_game_paused_in_the_silence_has_its_time_back(door: Door, alone: Time, resumed: bool) -> None:
    game, _, _ = start(door, profile="T3_1")
    flagfall.scan(alone.ms)
    alone.pass_by(2 * HOUR)
    act(game, Pause("illness"), alone.ms)
    alone.pass_by(2 * HOUR)
    if resumed:
        act(game, Resume("illness"), alone.ms)
    alone.pass_by(HOUR)
    settle(alone)
    if not resumed:
        act(game, Resume("illness"), alone.ms)
    assert white_has(game, alone.ms) == 3 * DAY


def test_a_game_made_in_the_silence_is_charged_from_its_end_only(door: Door, alone: Time) -> None:
    game_at_the_end(door, alone, DAY)
    alone.pass_by(HOUR)
    game, _, _ = start(door, profile="T3_1")
    alone.pass_by(HOUR)
    settle(alone)
    assert white_has(game, alone.ms) == 3 * DAY
    alone.pass_by(MINUTE)
    assert white_has(game, alone.ms) == 3 * DAY - MINUTE


def test_a_scan_that_comes_late_does_not_bring_a_settled_silence_back(door: Door, alone: Time) -> None:
    """It read the watch before the silence was settled, and writes after it."""
    game_at_the_end(door, alone, 5 * MINUTE)
    alone.pass_by(HOUR)
    silence = silence_now()
    assert silence is not None
    settle(alone)
    watch_store.note(silence)
    assert silence_now() is None
    alone.pass_by(MINUTE)
    assert not flagfall.scan(alone.ms).standing


def test_what_changes_its_place_in_the_index_while_a_silence_is_settled_is_not_missed(
    door: Door, alone: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The walk over the index takes time; games are resumed, paused and played meanwhile."""
    games = [start(door, profile="T3_1")[0] for _ in range(4)]
    flagfall.scan(alone.ms)
    alone.pass_by(2 * HOUR)
    act(games[0], Pause("illness"), alone.ms)
    alone.pass_by(HOUR)
    met: list[Any] = []

    def resumed_at_the_last_moment(*arguments: Any) -> Any:
        met.append(arguments)
        if len(met) == 3:
            act(games[0], Resume("illness"), alone.ms)
        return carry_out(*arguments)

    monkeypatch.setattr(shifting, "carry_out", resumed_at_the_last_moment)
    settle(alone)
    assert {white_has(game, alone.ms) for game in games} == {3 * DAY}
