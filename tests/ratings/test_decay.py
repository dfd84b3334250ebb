"""Decay: the ledger, thirty days and not an hour less, the cap, and clocks that change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.durations import DAY, HOUR
from chalicelib.ratings.board import board
from chalicelib.ratings.decay import CAP, REST, Runs, decays, due_dates, shown_ordinal, shown_sigma
from chalicelib.ratings.model import Partition, Standing

ZONES = ("Europe/Berlin", "UTC", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia")
days = st.dates(date(1990, 1, 1), date(2035, 1, 1))
runs = st.builds(
    lambda first, count, hour, zone: Runs(first, first + timedelta(days=count), hour, zone),
    days,
    st.integers(0, 60),
    st.integers(0, 23),
    st.sampled_from(ZONES),
)


def utc(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1_000)


@given(runs, st.integers(-100 * DAY, 100 * DAY), st.integers(-5 * DAY, 70 * DAY))
def test_runs_are_counted_as_the_ledger_has_them(ledger: Runs, offset: int, later: int) -> None:
    """The count is what looking at every date of the ledger says."""
    assert ledger.first and ledger.last
    last_at = ledger.at_ms(ledger.first) - REST + offset
    until = last_at + REST + later
    dates = [ledger.first + timedelta(days=number) for number in range((ledger.last - ledger.first).days + 1)]

    assert ledger.since(last_at) == sum(ledger.at_ms(day) > last_at + REST for day in dates)
    assert ledger.since(last_at, until) == sum(last_at + REST < ledger.at_ms(day) <= until for day in dates)


def test_thirty_days_are_strict() -> None:
    ledger = Runs(date(2026, 2, 1), date(2026, 2, 1))
    run = utc("2026-02-01T03:00")
    assert ledger.at_ms(date(2026, 2, 1)) == run

    assert ledger.since(run - 30 * DAY) == 0
    assert ledger.since(run - 30 * DAY - 1) == 1


def test_the_hour_is_that_of_the_clocks_there() -> None:
    ledger = Runs(hour=4)

    assert ledger.at_ms(date(2026, 1, 15)) == utc("2026-01-15T03:00")
    assert ledger.at_ms(date(2026, 7, 15)) == utc("2026-07-15T02:00")
    assert Runs(hour=23, zone="America/New_York").at_ms(date(2026, 7, 15)) == utc("2026-07-16T03:00")


def test_an_hour_that_does_not_exist_or_comes_twice_is_one_run() -> None:
    at_two, at_three = Runs(hour=2), Runs(hour=3)

    assert at_two.at_ms(date(2026, 3, 29)) == utc("2026-03-29T01:00") == at_three.at_ms(date(2026, 3, 29))
    assert at_two.at_ms(date(2026, 10, 25)) == utc("2026-10-25T00:00")


def test_nothing_decays_without_a_run_or_a_game() -> None:
    ledger = Runs(date(2026, 2, 1), date(2026, 3, 1))

    assert Runs().since(0) == 0
    assert ledger.since(None) == 0


def test_the_ledger_starts_with_the_first_run_ever() -> None:
    assert due_dates(Runs(), utc("2026-02-01T03:30")) == (date(2026, 2, 1),)


@given(runs, st.integers(-3, 400), st.integers(0, 23))
def test_missed_dates_are_due_oldest_first_and_once(ledger: Runs, days_later: int, hours: int) -> None:
    assert ledger.last
    now = ledger.at_ms(ledger.last) + days_later * DAY + hours * HOUR

    due = due_dates(ledger, now)

    assert list(due) == [ledger.last + timedelta(days=number + 1) for number in range(len(due))]
    assert all(ledger.at_ms(day) <= now for day in due)
    last = due[-1] if due else ledger.last
    assert ledger.at_ms(last + timedelta(days=1)) > now
    assert due_dates(Runs(ledger.first, last, ledger.hour, ledger.zone), now) == ()


def test_a_tick_acts_on_the_date_of_the_zone() -> None:
    """An hourly tick at 23:30 UTC is already the next day in Berlin, but not yet four o'clock."""
    ledger = Runs(date(2026, 7, 1), date(2026, 7, 1))

    assert due_dates(ledger, utc("2026-07-01T23:30")) == ()
    assert due_dates(ledger, utc("2026-07-02T02:00")) == (date(2026, 7, 2),)
    assert datetime.fromtimestamp(utc("2026-07-02T02:00") / 1_000, ZoneInfo("Europe/Berlin")).hour == 4


@given(st.floats(0.1, 12), st.integers(0, 1_000))
def test_sigma_rises_to_the_cap_and_what_is_above_stays(sigma: float, count: int) -> None:
    seen = shown_sigma(sigma, count)

    if sigma >= CAP:
        assert seen == sigma
    else:
        assert sigma <= seen <= CAP
        assert seen == pytest.approx(min(sigma + 0.05 * count, CAP))
    assert shown_ordinal(25.0, sigma, count) == 25.0 - 3 * seen


@pytest.mark.parametrize(
    ("partition", "wanted"),
    [
        (Partition("GLOBAL"), True),
        (Partition("CLUB", "c"), True),
        (Partition("SEASON", "c/s"), True),
        (Partition("EVENT", "e"), False),
    ],
)
def test_events_do_not_decay(partition: Partition, wanted: bool) -> None:
    ledger = Runs(date(2026, 2, 1), date(2026, 2, 10))
    standing = Standing((28.0, 5.0), 20, 10, 0, utc("2026-01-01T20:00"), 19)

    (row,) = board(partition, {"anna": standing}, ledger, utc("2026-02-10T12:00"))

    assert decays(partition) is wanted
    assert row.shown.values == (28.0, 5.5 if wanted else 5.0)
    assert row.shown.value == pytest.approx(28.0 - 3 * row.shown.values[1])
