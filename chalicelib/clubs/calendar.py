"""Seasons of a club: changing them, and which of them contain an instant. Pure."""

from __future__ import annotations

from datetime import date
from typing import Final

from msgspec.structs import replace

from chalicelib.clubs.days import ordered, span_ms, zone
from chalicelib.clubs.model import Club, Season, Seasons, StaleVersion, TooManySeasons, UnknownSeason
from chalicelib.ratings.model import Partition

MOST_SEASONS: Final = 45
"""A result that moves from a club, an event and all of its seasons to others is one transaction of 100 items: twice
these, two of the result, two of clubs, and the logs of everybody, two clubs and two events."""


def partition(club: str, season: str) -> Partition:
    """The log of a season.

    >>> partition("c", "s").key
    'SEASON#c/s'
    """
    return Partition("SEASON", f"{club}/{season}")


def season_span(seasons: Seasons, season_id: str) -> tuple[int, int] | None:
    """The half-open span of a season in ms; None if the club has no such season."""
    found = next((season for season in seasons.seasons if season.id == season_id), None)
    return span_ms(found.first_day, found.last_day, seasons.time_zone) if found else None


def season_partitions(seasons: Seasons, at_ms: int) -> tuple[Partition, ...]:
    """The logs of all seasons that contain an instant: from 00:00 of the first day to the end of the last."""
    return tuple(partition(seasons.club, season.id) for season in seasons.seasons if _contains(seasons, season, at_ms))


def _contains(seasons: Seasons, season: Season, at_ms: int) -> bool:
    start, end = span_ms(season.first_day, season.last_day, seasons.time_zone)
    return start <= at_ms < end


def with_season(club: Club, season: Season) -> Club:
    """The club with one more season, in the order of their days. Raises TooManySeasons, SeasonEndsBeforeItStarts."""
    ordered(season.first_day, season.last_day)
    if len(club.seasons) >= MOST_SEASONS:
        raise TooManySeasons(f"a club has up to {MOST_SEASONS} seasons")
    return _having(club, (*club.seasons, season))


def with_season_edited(club: Club, season_id: str, name: str, days: tuple[date, date], version: int) -> Club:
    """The club with a season of another name or other days; the club itself if nothing changes.

    Raises UnknownSeason, StaleVersion, SeasonEndsBeforeItStarts.
    """
    before = season_of(club, season_id)
    first_day, last_day = ordered(*days)
    after = replace(before, name=name, first_day=first_day, last_day=last_day)
    if after == before:
        return club
    if before.version != version:
        raise StaleVersion(before.version)
    others = tuple(season for season in club.seasons if season.id != season_id)
    return _having(club, (*others, replace(after, version=version + 1)))


def without_season(club: Club, season_id: str) -> Club:
    """The club without a season; the club itself if it has none such."""
    kept = tuple(season for season in club.seasons if season.id != season_id)
    return club if len(kept) == len(club.seasons) else _having(club, kept)


def with_club_edited(club: Club, name: str, time_zone: str, version: int) -> Club:
    """The club with another name or time zone; the club itself if nothing changes.

    Raises UnknownTimeZone, StaleVersion.
    """
    zone(time_zone)
    after = replace(club, name=name, time_zone=time_zone)
    if after == club:
        return club
    if club.version != version:
        raise StaleVersion(club.version)
    return replace(after, version=version + 1)


def season_of(club: Club, season_id: str) -> Season:
    """A season of the club. Raises UnknownSeason."""
    found = next((season for season in club.seasons if season.id == season_id), None)
    if found is None:
        raise UnknownSeason(season_id)
    return found


def to_reload(before: Club, after: Club) -> tuple[Partition, ...]:
    """The logs of the seasons that begin or end elsewhere after a change, those that came and those that went too."""
    spans = _spans(before), _spans(after)
    ids = sorted({*spans[0], *spans[1]})
    return tuple(partition(after.id, season) for season in ids if spans[0].get(season) != spans[1].get(season))


def _spans(club: Club) -> dict[str, tuple[int, int]]:
    return {season.id: span_ms(season.first_day, season.last_day, club.time_zone) for season in club.seasons}


def _having(club: Club, seasons: tuple[Season, ...]) -> Club:
    in_order = sorted(seasons, key=lambda season: (season.first_day, season.last_day, season.id))
    return replace(club, seasons=tuple(in_order), version=club.version + 1)
