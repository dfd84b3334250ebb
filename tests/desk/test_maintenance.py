"""A maintenance window: what is charged and flagged while it is open and while it is closed, and what it leaves."""

from __future__ import annotations

import json

import pytest

from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.core.sides import Side
from chalicelib.desk import audit, closing
from chalicelib.desk.windows import LONGEST_REQUEST
from chalicelib.games import flagfall, store
from chalicelib.games.act import act
from chalicelib.games.act import settled as looked_at
from chalicelib.games.commands import Move, Pause, Resume
from chalicelib.games.events import Shifted
from chalicelib.watch.model import AHEAD
from chalicelib.watch.watching import silence_now, window_now
from tests.desk.maintenance import OTTO, closed, due_ms, left, opened, settled, shifts, stored
from tests.desk.table import sound
from tests.games.conftest import Time

pytestmark = pytest.mark.engine


def used_by_move(game: str, player: str, ply: int, move: str, at_ms: int) -> int:
    outcome = act(game, Move(player, ply, move), at_ms)
    assert outcome.entry is not None, outcome.refusal
    return outcome.entry.used_ms


def test_every_running_clock_is_shifted_by_what_of_the_window_lay_in_its_turn(alone: Time) -> None:
    (game,) = stored(alone)
    alone.pass_by(HOUR)
    record = opened(alone)
    begun = alone.ms
    alone.pass_by(HOUR)
    (young,) = stored(alone)
    alone.pass_by(3 * HOUR)
    record = settled(alone, record)
    (younger,) = stored(alone)
    until = begun + 4 * HOUR + AHEAD
    assert (record.from_ms, record.until_ms, record.state_at(alone.ms)) == (begun, until, "closed")
    assert left(game, alone.ms) == 3 * DAY - HOUR - AHEAD - (alone.ms - until)
    assert [left(young, until), left(younger, alone.ms)] == [3 * DAY, 3 * DAY]
    assert shifts(game) == shifts(young) == [Shifted(until, record.id, begun)]
    assert shifts(younger) == []
    for one in (game, young, younger):
        sound(one)


def test_full_accounts_lose_nothing_and_the_idle_side_keeps_what_it_has(alone: Time) -> None:
    (game,) = stored(alone, "30-30-1")
    act(game, Move("anna", 0, "e2e4"), alone.ms)
    begun = due_ms(game)
    record = opened(alone)
    alone.pass_by(4 * HOUR)
    record = settled(alone, record)
    length = 4 * HOUR + AHEAD
    assert due_ms(game) == begun + length
    clock = store.load(game).clock
    assert clock is not None
    assert (clock.white.remaining_ms, clock.black.remaining_ms) == (30 * DAY, 30 * DAY)


def test_moves_are_charged_for_nothing_but_what_lies_outside(alone: Time) -> None:
    (game,) = stored(alone)
    alone.pass_by(HOUR)
    record = closing.open_window(OTTO, "k", "new disks", None, alone.ms)
    act(stored(alone)[0], Move("anna", 0, "e2e4"), alone.ms)  # this process has heard of it
    alone.pass_by(AHEAD + HOUR)
    assert used_by_move(game, "anna", 0, "e2e4", alone.ms) == HOUR + AHEAD
    alone.pass_by(HOUR)
    assert used_by_move(game, "bert", 1, "e7e5", alone.ms) == 0
    alone.pass_by(HOUR)
    closed(alone, record)
    alone.pass_by(MINUTE)
    assert used_by_move(game, "anna", 2, "g1f3", alone.ms) == MINUTE
    alone.pass_by(HOUR)
    assert used_by_move(game, "bert", 3, "b8c6", alone.ms) == HOUR
    sound(game)


def test_what_a_process_remembers_is_never_wrong_at_beginning_and_end(alone: Time) -> None:
    """It read the watch at the last moment before the window was opened, and before it was closed."""
    games = stored(alone, count=6)
    act(games[0], Move("anna", 0, "e2e4"), alone.ms)
    record = closing.open_window(OTTO, "k", "new disks", None, alone.ms)
    alone.pass_by(AHEAD - 1)
    assert used_by_move(games[1], "anna", 0, "e2e4", alone.ms) == AHEAD - 1
    alone.pass_by(1 + HOUR)
    assert used_by_move(games[2], "anna", 0, "e2e4", alone.ms) == AHEAD
    closing.close(OTTO, record.id, alone.ms)
    alone.pass_by(AHEAD)
    assert used_by_move(games[3], "anna", 0, "e2e4", alone.ms) == AHEAD
    alone.pass_by(1)
    assert used_by_move(games[4], "anna", 0, "e2e4", alone.ms) == AHEAD + 1
    alone.pass_by(LONGEST_REQUEST)
    closing.settle(closing.unsettled()[0])
    assert used_by_move(games[5], "anna", 0, "e2e4", alone.ms) == AHEAD + 1 + LONGEST_REQUEST


def test_nothing_is_flagged_until_the_window_is_settled(alone: Time) -> None:
    (game,) = stored(alone)
    alone.pass_by(3 * DAY - MINUTE)
    assert flagfall.scan(alone.ms).standing == ()
    record = opened(alone)

    def nothing_ends() -> None:
        assert flagfall.scan(alone.ms).flagged == 0
        assert flagfall.timer(json.dumps({"game": game, "due_ms": due_ms(game)})) is False
        assert not looked_at(store.load(game), alone.ms).is_over

    for _ in range(3):
        alone.pass_by(MINUTE)
        nothing_ends()
    ended = closed(alone, record)
    alone.pass_by(LONGEST_REQUEST + MINUTE)
    nothing_ends()
    closing.settle(ended)
    assert due_ms(game) == record.from_ms + 3 * MINUTE + AHEAD + MINUTE - AHEAD
    assert flagfall.scan(alone.ms).flagged == 1
    result = store.load(game).result
    assert result is not None
    assert result.at_ms == due_ms(game)


def test_who_had_lost_before_the_window_has_lost(alone: Time) -> None:
    (game,) = stored(alone)
    deadline = due_ms(game)
    alone.ms = deadline - AHEAD + 1
    record = opened(alone)
    alone.pass_by(HOUR)
    settled(alone, record)
    assert flagfall.scan(alone.ms).flagged == 1
    result = store.load(game).result
    assert result is not None
    assert result.at_ms == deadline


@pytest.mark.parametrize("resumed_in", [True, False])
def test_a_game_that_is_paused_in_the_window_has_back_what_ran_before(alone: Time, resumed_in: bool) -> None:
    (game,) = stored(alone)
    record = opened(alone)
    alone.pass_by(HOUR)
    act(game, Pause("illness"), alone.ms)
    alone.pass_by(HOUR)
    if resumed_in:
        act(game, Resume("illness"), alone.ms)
    alone.pass_by(HOUR)
    record = settled(alone, record)
    if not resumed_in:
        act(game, Resume("illness"), alone.ms)
    assert left(game, alone.ms) == 3 * DAY - AHEAD - (LONGEST_REQUEST if resumed_in else 0)
    sound(game)


def test_a_scan_that_is_silent_because_of_the_window_makes_no_silence(alone: Time) -> None:
    (game,) = stored(alone)
    flagfall.scan(alone.ms)
    alone.pass_by(9 * MINUTE)
    record = opened(alone)
    alone.pass_by(5 * HOUR)
    assert silence_now() is None
    settled(alone, record)
    assert (silence_now(), window_now()) == (None, None)
    assert left(game, alone.ms) == 3 * DAY - 9 * MINUTE - AHEAD - LONGEST_REQUEST
    assert flagfall.scan(alone.ms).standing == ()
    alone.pass_by(10 * MINUTE + 1)
    assert silence_now() is not None


def test_a_silence_and_a_window_that_overlap_are_given_back_once(alone: Time) -> None:
    """The scan had been silent for long when the window began; it goes on to be silent when that ends."""
    (game,) = stored(alone)
    flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    record = opened(alone)
    alone.pass_by(HOUR)
    silence = silence_now()
    assert silence is not None
    assert flagfall.scan(alone.ms).standing == (silence, record.window)
    assert used_by_move(stored(alone)[0], "anna", 0, "e2e4", alone.ms) == 0
    settled(alone, record)
    assert flagfall.scan(alone.ms).standing == (silence,)
    silence_record = settled(alone, closing._found(silence.id, alone.ms))
    assert silence_record.until_ms is not None
    assert left(game, silence_record.until_ms) == 3 * DAY
    assert silence_now() is None
    sound(game)


def test_a_window_that_is_called_off_touches_nothing(alone: Time) -> None:
    (game,) = stored(alone)
    record = closing.open_window(OTTO, "k", "new disks", alone.ms + DAY, alone.ms)
    assert flagfall.scan(alone.ms).standing == ()
    alone.pass_by(HOUR)
    off = closing.close(OTTO, record.id, alone.ms)
    assert (off.state_at(alone.ms), off.until_ms) == ("closed", record.from_ms)
    assert (window_now(), shifts(game)) == (None, [])
    alone.pass_by(DAY)
    assert used_by_move(game, "anna", 0, "e2e4", alone.ms) == DAY + HOUR
    opened(alone, "another")


def test_opening_and_closing_are_each_done_once_and_stand_in_the_audit_log(alone: Time) -> None:
    record = opened(alone)
    assert closing.open_window(OTTO, "k", "new disks", None, alone.ms) == record
    with pytest.raises(closing.KeyReused):
        closing.open_window(OTTO, "k", "other disks", None, alone.ms)
    with pytest.raises(closing.WindowStands, match=record.id):
        closing.open_window(OTTO, "other", "new disks", None, alone.ms)
    with pytest.raises(closing.TooSoon):
        closing.open_window(OTTO, "third", "new disks", alone.ms + AHEAD - 1, alone.ms)
    with pytest.raises(closing.UnknownWindow):
        closing.close(OTTO, "silence-12", alone.ms)
    ended = closing.close(OTTO, record.id, alone.ms)
    alone.pass_by(SECOND)
    assert closing.close(OTTO, record.id, alone.ms) == ended
    acts = audit.of_subject(f"window#{record.id}", 10).acts
    assert [(act.kind, act.actor, act.reason) for act in acts] == [
        ("close_window", "otto", "new disks"),
        ("open_window", "otto", "new disks"),
    ]


def test_a_silence_is_closed_by_an_operator(alone: Time) -> None:
    (game,) = stored(alone)
    flagfall.scan(alone.ms)
    alone.pass_by(HOUR)
    silence = silence_now()
    assert silence is not None
    ended = closing.close(OTTO, silence.id, alone.ms)
    alone.pass_by(AHEAD + LONGEST_REQUEST)
    assert closing.unsettled() == [ended]
    record = closing.work_on(ended, lambda: False)
    assert record.settled_ms == alone.ms
    assert left(game, alone.ms) == 3 * DAY - LONGEST_REQUEST
    assert [act.kind for act in audit.of_subject(f"window#{silence.id}", 10).acts] == ["close_window"]


def test_the_work_is_done_in_steps_of_which_each_goes_on_where_the_last_one_ended(
    alone: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.games.shifting.PAGE", 2)
    games = stored(alone, count=9)
    act(games[0], Pause("illness"), alone.ms)
    record = opened(alone)
    alone.pass_by(HOUR)
    act(games[1], Move("anna", 0, "e2e4"), alone.ms)
    record = closed(alone, record)
    assert closing.work_on(record, lambda: False) == record, "not before every request is answered"
    alone.pass_by(LONGEST_REQUEST)
    steps = 0
    while record.settled_ms is None:
        once = iter((False, True))
        (record,) = [closing.work_on(one, lambda: next(once)) for one in closing.unsettled()]  # noqa: B023
        steps += 1
        assert record.work is not None
        assert record.work.total == 9
    assert steps > 2 * 9 / 2
    assert record.work is not None
    assert (record.work.walk, record.work.done, record.work.failed, record.work.shifted) == (2, 9, 0, 8)
    assert closing.unsettled() == []
    assert [len(shifts(game)) for game in games] == [0, 2, 1, 1, 1, 1, 1, 1, 1], "Anna's turn, and Bert's"
    assert due_ms(games[1]) == record.from_ms + HOUR + AHEAD + 3 * DAY
    assert left(games[1], alone.ms, Side.BLACK) == 3 * DAY - LONGEST_REQUEST
