"""Seasons of a club: which contain an instant, and which logs a change of the club reloads."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clubs import calendar
from chalicelib.clubs.days import starts_at_ms
from chalicelib.clubs.model import (
    Club,
    Season,
    SeasonEndsBeforeItStarts,
    StaleVersion,
    TooManySeasons,
    UnknownSeason,
    UnknownTimeZone,
)
from chalicelib.ratings.model import Partition

SPRING = Season("spring", "Spring", date(2026, 1, 1), date(2026, 3, 31))
MARCH = Season("march", "March", date(2026, 3, 1), date(2026, 3, 31))
SUMMER = Season("summer", "Summer", date(2026, 4, 1), date(2026, 9, 30))
CLUB = Club("club", "TAC", "Europe/Berlin", version=7, seasons=(SPRING, MARCH, SUMMER))


def at(club: Club, at_ms: int) -> list[str]:
    """The seasons that contain an instant."""
    return [part.ref for part in calendar.season_partitions(club.calendar, at_ms)]


def reloaded(after: Club, before: Club = CLUB) -> list[str]:
    return [part.key for part in calendar.to_reload(before, after)]


def test_a_result_counts_in_every_season_that_contains_it() -> None:
    edge = starts_at_ms(date(2026, 4, 1), "Europe/Berlin")
    assert at(CLUB, edge - 1) == ["club/spring", "club/march"]
    assert at(CLUB, edge) == ["club/summer"]
    assert at(CLUB, starts_at_ms(date(2026, 1, 1), "Europe/Berlin")) == ["club/spring"]
    assert at(CLUB, starts_at_ms(date(2026, 1, 1), "Europe/Berlin") - 1) == []
    assert at(CLUB, starts_at_ms(date(2026, 10, 1), "Europe/Berlin")) == []


def test_the_edges_are_those_of_the_club_s_time_zone() -> None:
    edge = starts_at_ms(date(2026, 4, 1), "Europe/Berlin")
    assert at(replace(CLUB, time_zone="Pacific/Apia"), edge) == ["club/summer"]
    assert at(replace(CLUB, time_zone="America/Havana"), edge) == ["club/spring", "club/march"]


DAYS = st.dates(date(2000, 1, 1), date(2040, 1, 1))
SPANS = st.tuples(DAYS, st.integers(0, 500)).map(lambda span: (span[0], span[0] + timedelta(days=span[1])))
ZONES = st.sampled_from(["Europe/Berlin", "Pacific/Apia", "Australia/Lord_Howe", "America/St_Johns", "Asia/Beirut"])


@given(SPANS, ZONES, st.integers(-3, 3), st.sampled_from(["start", "end"]))
@settings(max_examples=100, deadline=None)
def test_both_edges_are_half_open(span: tuple[date, date], time_zone: str, off: int, edge: str) -> None:
    club = Club("c", "C", time_zone, seasons=(Season("s", "S", *span),))
    start, end = calendar.season_span(club.calendar, "s") or (0, 0)
    at_ms = (start if edge == "start" else end) + off
    assert at(club, at_ms) == (["c/s"] if start <= at_ms < end else [])


@given(SPANS, st.integers(1, 300), ZONES, st.integers(0, 10**12))
@settings(max_examples=100, deadline=None)
def test_seasons_that_follow_each_other_share_no_instant_and_leave_none_out(
    span: tuple[date, date], length: int, time_zone: str, place: int
) -> None:
    first, last = span
    following = last + timedelta(days=1)
    club = Club(
        "c",
        "C",
        time_zone,
        seasons=(Season("one", "", first, last), Season("two", "", following, following + timedelta(days=length))),
    )
    start = starts_at_ms(first, time_zone)
    end = starts_at_ms(following + timedelta(days=length + 1), time_zone)
    assert len(at(club, start + place % (end - start))) == 1


def test_seasons_stand_in_the_order_of_their_days() -> None:
    empty = replace(CLUB, seasons=())
    full = calendar.with_season(calendar.with_season(calendar.with_season(empty, SUMMER), MARCH), SPRING)
    assert full.seasons == (SPRING, MARCH, SUMMER)
    assert full.version == 10


def test_a_new_season_is_reloaded_and_a_deleted_one_too() -> None:
    autumn = Season("autumn", "Autumn", date(2026, 10, 1), date(2026, 12, 31))
    after = calendar.with_season(CLUB, autumn)
    assert reloaded(after) == ["SEASON#club/autumn"]
    assert reloaded(calendar.without_season(after, "autumn"), after) == ["SEASON#club/autumn"]
    assert calendar.without_season(CLUB, "autumn") is CLUB
    assert calendar.season_span(CLUB.calendar, "autumn") is None


def test_other_days_reload_a_season_and_another_name_does_not() -> None:
    days = (date(2026, 3, 1), date(2026, 3, 30))
    moved = calendar.with_season_edited(CLUB, "march", "March", days, version=1)
    assert reloaded(moved) == ["SEASON#club/march"]
    assert (moved.version, calendar.season_of(moved, "march").version) == (8, 2)
    named = calendar.with_season_edited(CLUB, "march", "Third", (MARCH.first_day, MARCH.last_day), version=1)
    assert reloaded(named) == []
    assert named.version == 8


def test_another_time_zone_reloads_the_seasons_whose_edges_move() -> None:
    after = calendar.with_club_edited(CLUB, "TAC", "America/Havana", version=7)
    assert reloaded(after) == ["SEASON#club/march", "SEASON#club/spring", "SEASON#club/summer"]
    assert reloaded(calendar.with_club_edited(CLUB, "TAC", "Europe/Paris", version=7)) == []
    assert reloaded(calendar.with_club_edited(CLUB, "Other", "Europe/Berlin", version=7)) == []


def test_an_edit_of_a_version_that_has_passed_is_refused_unless_nothing_changes() -> None:
    for version in (6, 8):
        with pytest.raises(StaleVersion) as stale:
            calendar.with_club_edited(CLUB, "Other", "Europe/Berlin", version)
        assert stale.value.current == 7
    assert calendar.with_club_edited(CLUB, "TAC", "Europe/Berlin", version=1) is not None
    same = (MARCH.first_day, MARCH.last_day)
    assert calendar.with_season_edited(CLUB, "march", "March", same, version=99) is CLUB
    with pytest.raises(StaleVersion):
        calendar.with_season_edited(CLUB, "march", "Other", same, version=2)


def test_seasons_that_cannot_be() -> None:
    backwards = (date(2026, 3, 2), date(2026, 3, 1))
    with pytest.raises(SeasonEndsBeforeItStarts):
        calendar.with_season(CLUB, Season("x", "X", *backwards))
    with pytest.raises(SeasonEndsBeforeItStarts):
        calendar.with_season_edited(CLUB, "march", "March", backwards, version=1)
    with pytest.raises(UnknownSeason):
        calendar.with_season_edited(CLUB, "autumn", "Autumn", (MARCH.first_day, MARCH.last_day), version=1)
    with pytest.raises(UnknownTimeZone):
        calendar.with_club_edited(CLUB, "TAC", "Europe/Atlantis", version=7)


def test_a_club_has_room_for_so_many_seasons_and_no_more() -> None:
    club = replace(CLUB, seasons=())
    for number in range(calendar.MOST_SEASONS):
        club = calendar.with_season(club, replace(SPRING, id=f"s{number}"))
    with pytest.raises(TooManySeasons):
        calendar.with_season(club, SUMMER)


def test_the_log_of_a_season_is_named_by_club_and_season() -> None:
    assert calendar.partition("club", "spring") == Partition("SEASON", "club/spring")
