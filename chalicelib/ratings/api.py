"""Ratings over HTTP: boards, standings, histories, predictions. One set of routes for partitions of every kind.

Everything in one answer is from one generation of the partition, and shown as of one instant, a full minute.
"""

from __future__ import annotations

import re
from datetime import date
from itertools import dropwhile, islice
from typing import Any, Final

from msgspec import Struct

from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request
from chalicelib.core.etags import is_at_hand
from chalicelib.core.paging import PageQuery, cursor_of, entry_of
from chalicelib.core.problems import Problem
from chalicelib.core.settings import settings
from chalicelib.ratings import ledger, reading
from chalicelib.ratings.addresses import address, pools
from chalicelib.ratings.answers import partition_named, problems
from chalicelib.ratings.board import BOOKMARK, Bookmark, Page, page, shown
from chalicelib.ratings.boards import Standings, as_of, runs_of, standings
from chalicelib.ratings.bodies import BoardQuery, HistoryQuery, PredictionQuery
from chalicelib.ratings.generation import Generation
from chalicelib.ratings.model import Partition, Place, Projection, pair_of
from chalicelib.ratings.prediction import SinglePlayersOnly, predicted, subjects_of
from chalicelib.ratings.reading import Entry
from chalicelib.ratings.views import (
    BoardView,
    DecayRunsView,
    HistoryView,
    PlayerPools,
    PoolView,
    PredictionView,
    ProgressView,
    RatingView,
    StandingView,
    game_rated,
    pool_view,
    progress_view,
    row_views,
    run_view,
    standing_view,
)

endpoints: Final = Endpoints(__name__)

_PARTITION: Final = "/v1/ratings/{partition}"
_MEMBER: Final = f"{_PARTITION}/members/{{member}}"
_PAIR: Final = f"{_PARTITION}/pairs/{{member}}/{{partner}}"

_GAME: Final = re.compile(r"([0-9]{1,10}):([0-9]{1,10}):(-?[0-9]{1,15}):([A-Za-z0-9][A-Za-z0-9._-]{0,63})", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _partition(text: str, projection: Projection = "individual") -> Partition:
    """The partition at an address. Raises a Problem if there is none, or if it does not have the projection."""
    partition = partition_named(text)
    with problems():
        if projection not in partition.projections:
            raise SinglePlayersOnly("pools rate single players, no pairs")
    return partition


# --- boards


@endpoints.add(
    Operation(
        "GET",
        f"{_PARTITION}/board",
        "read",
        {200: BoardView, 304: ""},
        query=BoardQuery,
        codes=("invalid_cursor", "single_players_only", "unknown_partition"),
    )
)
def read_board(request: Request[NoBody, BoardQuery], partition: str) -> Answer:
    """A board, best first, as of now; the pages that follow are shown as of the same instant."""
    asked = request.query
    wanted = _partition(partition, asked.projection)
    after = _bookmark(asked.cursor, request.now_ms)
    known = standings(wanted, asked.projection, after.as_of_ms if after else as_of(request.now_ms))
    if is_at_hand(known.mark, request.headers):
        return Answer("", status=304, headers={"ETag": known.mark})
    found = page(known.rows, known.as_of_ms, after, asked.limit)
    return Answer(_board_view(known, found), headers={"ETag": known.mark})


def _bookmark(cursor: str | None, now_ms: int) -> Bookmark | None:
    entry = entry_of(cursor, BOOKMARK)
    if entry is None:
        return None
    bookmark = Bookmark.of_text(entry)
    if not 0 <= bookmark.as_of_ms <= now_ms:
        raise Problem(400, "invalid_cursor", "the cursor is of no board that was shown")
    return bookmark


def _board_view(known: Standings, found: Page) -> BoardView:
    return BoardView(
        partition=address(known.partition),
        projection=known.projection,
        generation=known.generation,
        as_of_ms=known.as_of_ms,
        total=len(known.rows),
        rows=row_views(known.partition, found),
        next=cursor_of(found.next.text if found.next else None),
    )


# --- one subject


def _of_subject(path: str, view: Any, query: Any = NoQuery) -> Operation:
    codes = ("single_players_only",) if "partner" in path else ()
    paged = ("invalid_cursor",) if query is HistoryQuery else ()
    answers = {200: view} if query is HistoryQuery else {200: view, 304: ""}
    return Operation(
        "GET",
        path,
        "read",
        answers,
        query=query,
        codes=(*codes, *paged, "unknown_member", "unknown_partition", "unrated"),
    )


@endpoints.add(_of_subject(_MEMBER, RatingView))
def read_member_rating(request: Request[NoBody, NoQuery], partition: str, member: str) -> Answer:
    """The standing of a member, with the rank on the board."""
    return _rating(request, _partition(partition), "individual", member)


@endpoints.add(_of_subject(_PAIR, RatingView))
def read_pair_rating(request: Request[NoBody, NoQuery], partition: str, member: str, partner: str) -> Answer:
    """The standing of a pair, with the rank on the board; the order of the two does not matter."""
    return _rating(request, _partition(partition, "pair"), "pair", pair_of((member, partner)))


@endpoints.add(_of_subject(f"{_MEMBER}/history", HistoryView, HistoryQuery))
def list_member_history(request: Request[NoBody, HistoryQuery], partition: str, member: str) -> Answer:
    """The rated games of a member and what each of them did, newest first."""
    return _history(request, _partition(partition), "individual", member)


@endpoints.add(_of_subject(f"{_PAIR}/history", HistoryView, HistoryQuery))
def list_pair_history(request: Request[NoBody, HistoryQuery], partition: str, member: str, partner: str) -> Answer:
    """The rated games of a pair and what each of them did, newest first; the order of the two does not matter."""
    return _history(request, _partition(partition, "pair"), "pair", pair_of((member, partner)))


def _rating(request: Request[NoBody, NoQuery], partition: Partition, projection: Projection, subject: str) -> Answer:
    known = standings(partition, projection, as_of(request.now_ms))
    standing = _standing(known, subject)
    if standing is None:
        raise _unrated(partition, subject)
    if is_at_hand(known.mark, request.headers):
        return Answer("", status=304, headers={"ETag": known.mark})
    view = RatingView(address(partition), projection, known.generation, known.as_of_ms, standing)
    return Answer(view, headers={"ETag": known.mark})


def _standing(known: Standings, subject: str) -> StandingView | None:
    if subject not in known.of:
        return None
    rank = next((row.rank for row in known.rows if row.shown.subject == subject), None)
    one = shown(known.partition, subject, known.of[subject], known.runs, known.as_of_ms)
    return standing_view(known.partition, one, rank)


def _unrated(partition: Partition, subject: str) -> Problem:
    return Problem(404, "unrated", f"{subject} has no rated game in {address(partition)}")


class _Place(Struct, frozen=True):
    """Where a page of a history ended. The number is good in its generation only, the place in every one."""

    generation: int
    no: int
    place: Place

    @property
    def text(self) -> str:
        return f"{self.generation}:{self.no}:{self.place[0]}:{self.place[1]}"


def _history(
    request: Request[NoBody, HistoryQuery], partition: Partition, projection: Projection, subject: str
) -> Answer:
    after, limit = _place(request.query.cursor), request.query.limit

    def look(seen: Generation) -> tuple[int, list[Entry]]:
        generation = seen.control.generation
        no = after.no if after and after.generation == generation else None
        newest_first = reading.entries(seen, projection, subject, no)
        rest = dropwhile(lambda entry: after is not None and entry.played.place >= after.place, newest_first)
        return generation, list(islice(rest, limit + 1))

    generation, found = reading.read(partition, look)
    if not found and after is None:
        raise _unrated(partition, subject)
    some, runs = found[:limit], runs_of(partition)
    last = _Place(generation, some[-1].no, some[-1].played.place) if len(found) > limit else None
    view = HistoryView(
        partition=address(partition),
        projection=projection,
        subject=subject,
        generation=generation,
        games=[game_rated(partition, entry.played, entry.snapshot, runs) for entry in some],
        next=cursor_of(last.text if last else None),
    )
    return Answer(view)


def _place(cursor: str | None) -> _Place | None:
    entry = entry_of(cursor, _GAME)
    parts = _GAME.fullmatch(entry) if entry else None
    return _Place(int(parts[1]), int(parts[2]), (int(parts[3]), parts[4])) if parts else None


# --- what may be expected


@endpoints.add(
    Operation(
        "GET",
        f"{_PARTITION}/prediction",
        "read",
        {200: PredictionView},
        query=PredictionQuery,
        codes=("member_twice", "no_pair", "single_players_only", "unknown_partition"),
    )
)
def predict(request: Request[NoBody, PredictionQuery], partition: str) -> Answer:
    """How likely side A beats side B, as they stand now; whoever is unrated stands with the start values."""
    asked = request.query
    wanted = _partition(partition, asked.projection)
    sides = tuple(asked.a.split(",")), tuple(asked.b.split(","))
    with problems():
        a, b = subjects_of(wanted, asked.projection, *sides)
    known = standings(wanted, asked.projection, as_of(request.now_ms))
    found = predicted(wanted, a, b, known.of, known.runs, known.as_of_ms)
    view = PredictionView(
        partition=address(wanted),
        projection=asked.projection,
        generation=known.generation,
        as_of_ms=known.as_of_ms,
        a=list(sides[0]),
        b=list(sides[1]),
        expected_score=found.score,
        unrated=list(found.unrated),
    )
    return Answer(view)


@endpoints.add(Operation("GET", "/v1/players/{player}/pools", "read", {200: PlayerPools}, codes=("unknown_player",)))
def list_player_pools(request: Request[NoBody, NoQuery], player: str) -> Answer:
    """A player's ratings in all pools: every kind of game in every time class."""
    now = as_of(request.now_ms)

    def in_pool(pool: Partition) -> PoolView:
        return pool_view(pool, _standing(standings(pool, "individual", now), player))

    return Answer(PlayerPools(player, now, [in_pool(pool) for pool in pools()]))


# --- how far things are


@endpoints.add(Operation("GET", f"{_PARTITION}/progress", "read", {200: ProgressView}, codes=("unknown_partition",)))
def read_progress(request: Request[NoBody, NoQuery], partition: str) -> Answer:
    """Whether a partition shows all that was entered, and how far a replay is."""
    wanted = _partition(partition)
    return Answer(progress_view(wanted, reading.progress(wanted)))


@endpoints.add(
    Operation(
        "GET", "/v1/ratings/decay-runs", "record", {200: DecayRunsView}, query=PageQuery, codes=("invalid_cursor",)
    )
)
def list_decay_runs(request: Request[NoBody, PageQuery]) -> Answer:
    """The ledger of the daily job by which resting ratings grow uncertain, newest run first."""
    limit, known = request.query.limit, settings()
    found = ledger.newest(limit + 1, _date(request.query.cursor))
    runs = found[:limit]
    following = runs[-1].day.isoformat() if len(found) > limit else None
    view = DecayRunsView(known.decay_hour, known.decay_zone, [run_view(run) for run in runs], cursor_of(following))
    return Answer(view)


def _date(cursor: str | None) -> date | None:
    entry = entry_of(cursor, _DATE)
    try:
        return date.fromisoformat(entry) if entry else None
    except ValueError as error:
        raise Problem(400, "invalid_cursor", "the cursor is not one that this list gave out") from error
