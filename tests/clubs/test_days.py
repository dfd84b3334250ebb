"""Where days begin: the edges of seasons in zones that shift, jump over midnight, repeat it, or skip a day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.clubs.days import day, span_ms, starts_at_ms, zone
from chalicelib.clubs.model import InvalidDate, UnknownTimeZone

HOUR = 3_600_000
ZONES = [
    "Europe/Berlin",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "America/St_Johns",
    "America/Sao_Paulo",
    "America/Toronto",
    "America/Havana",
    "Asia/Beirut",
    "Asia/Kolkata",
    "Pacific/Kiritimati",
    "UTC",
]


def at(text: str) -> int:
    """The instant in ms of a time in UTC."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000


def hours(first: str, last: str, time_zone: str) -> float:
    start, end = span_ms(date.fromisoformat(first), date.fromisoformat(last), time_zone)
    return (end - start) / HOUR


@pytest.mark.parametrize(
    ("beginning", "time_zone", "instant"),
    [
        ("2026-01-01", "Europe/Berlin", "2025-12-31T23:00"),
        ("2026-07-01", "Europe/Berlin", "2026-06-30T22:00"),
        ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00"),
        ("2026-10-26", "Europe/Berlin", "2026-10-25T23:00"),
        ("2026-01-01", "Australia/Lord_Howe", "2025-12-31T13:00"),
        ("2026-07-01", "Australia/Lord_Howe", "2026-06-30T13:30"),
        ("2011-12-29", "Pacific/Apia", "2011-12-29T10:00"),
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00"),
        ("2011-12-31", "Pacific/Apia", "2011-12-30T10:00"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00"),
        ("2018-02-18", "America/Sao_Paulo", "2018-02-18T03:00"),
        ("2010-11-07", "America/St_Johns", "2010-11-07T02:30"),
        ("2026-11-01", "America/Havana", "2026-11-01T04:00"),
        ("1919-03-31", "America/Toronto", "1919-03-31T04:30"),
        ("1872-07-01", "UTC", "1872-07-01T00:00"),
    ],
)
def test_a_day_begins_when_its_date_first_shows(beginning: str, time_zone: str, instant: str) -> None:
    assert starts_at_ms(date.fromisoformat(beginning), time_zone) == at(instant)


def test_days_have_the_hours_that_their_zone_gives_them() -> None:
    assert hours("2026-03-29", "2026-03-29", "Europe/Berlin") == 23
    assert hours("2026-10-25", "2026-10-25", "Europe/Berlin") == 25
    assert hours("2026-04-05", "2026-04-05", "Australia/Lord_Howe") == 24.5
    assert hours("2026-10-04", "2026-10-04", "Australia/Lord_Howe") == 23.5
    assert hours("2011-12-30", "2011-12-30", "Pacific/Apia") == 0
    assert hours("2011-12-29", "2011-12-31", "Pacific/Apia") == 48


DAYS = st.dates(date(1872, 1, 1), date(2099, 12, 31))


@given(DAYS, st.sampled_from(ZONES))
@settings(max_examples=300, deadline=None)
def test_before_a_day_begins_no_clock_has_shown_its_date(beginning: date, time_zone: str) -> None:
    start = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=starts_at_ms(beginning, time_zone))
    local = ZoneInfo(time_zone)
    assert start.astimezone(local).date() >= beginning
    for minutes in (1, 15, 29, 31, 59, 61, 119, 600, 1_440):
        earlier = start - timedelta(minutes=minutes)
        assert earlier.astimezone(local).date() < beginning
    assert (start - timedelta(seconds=1)).astimezone(local).date() < beginning


@given(DAYS, st.integers(0, 400), st.sampled_from(ZONES))
@settings(max_examples=100, deadline=None)
def test_a_season_ends_where_the_next_begins(first: date, length: int, time_zone: str) -> None:
    last = first + timedelta(days=length)
    start, end = span_ms(first, last, time_zone)
    assert end == starts_at_ms(last + timedelta(days=1), time_zone)
    assert (end - start) / HOUR == pytest.approx(24 * (length + 1), abs=26)
    assert start <= end


@pytest.mark.parametrize(
    "name",
    [
        *("", "Berlin", "europe/berlin", "Europe", "Europe/", "Europe/Berlin/x", "/etc/localtime", "../Berlin"),
        *("right/Europe/Berlin", "posix/Europe/Berlin", "posixrules", "localtime", "Europe\0Berlin", "Zürich"),
        *("Europe/Berlin\n", "+02:00", "A" * 300, "Etc/GMT+99", "tzdata.zi", "Europe/../Europe/Berlin", "\ud800"),
    ],
)
def test_names_that_are_no_time_zones(name: str) -> None:
    with pytest.raises(UnknownTimeZone):
        zone(name)


@pytest.mark.parametrize(
    "name", [*ZONES, "Etc/GMT+12", "America/Argentina/Buenos_Aires", "GMT", "America/Port-au-Prince"]
)
def test_names_that_are(name: str) -> None:
    assert zone(name).key == name


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026", "2026-1-1", "20260101", "2026-W01-1", "2026-02-30", "2026-13-01", "2026-00-01", "0000-01-01"),
        *("2026-01-01T00:00", " 2026-01-01", "2026-01-01\n", "٢٠٢٦-٠١-٠١", "yesterday", "-026-01-01"),
        *("1799-12-31", "2999-12-31", "9999-12-31"),
    ],
)
def test_texts_that_are_no_days_of_a_season(text: str) -> None:
    with pytest.raises(InvalidDate) as refused:
        day(text, "last_day")
    assert refused.value.field == "last_day"


def test_the_first_and_the_last_day_of_all_can_be_a_season() -> None:
    first, last = day("1800-01-01", "first_day"), day("2999-12-30", "last_day")
    for time_zone in ZONES:
        start, end = span_ms(first, last, time_zone)
        assert start < at("1800-01-02T00:00") < at("2999-12-30T00:00") < end
