"""What clients see of results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from chalicelib.results.model import Result, Seat, Seats, Status
from chalicelib.results.rules import counts

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SeatView(msgspec.Struct):
    """One seat. A guest who turned out to be a member names both, and counts as the member."""

    member: str | None
    guest: str | None


class ClubResultView(msgspec.Struct):
    """A result as it stands. `rated` says whether it counts for ratings; `winner` empty is a draw if it is finished."""

    id: str
    version: int
    club: str
    event: str | None
    played_at: str
    played_at_ms: int
    a: list[SeatView]
    b: list[SeatView]
    winner: str
    status: Status
    score: str
    exclude_from_rating: bool
    rated: bool
    deleted: bool


class ResultList(msgspec.Struct):
    """A page of results, newest first. `next` is the cursor of the next page, null on the last."""

    results: list[ClubResultView]
    next: str | None


class LinkView(msgspec.Struct):
    """A guest and the member they are. `rewritten` results count anew; send the request again while `left` is not 0."""

    guest: str
    member: str
    rewritten: int
    left: int


def result_view(result: Result) -> ClubResultView:
    return ClubResultView(
        id=result.id,
        version=result.version,
        club=result.club,
        event=result.event,
        played_at=written(result.played_at_ms),
        played_at_ms=result.played_at_ms,
        a=_seats(result.a),
        b=_seats(result.b),
        winner=result.winner,
        status=result.status,
        score=result.score,
        exclude_from_rating=result.exclude_from_rating,
        rated=counts(result),
        deleted=result.deleted,
    )


def written(at_ms: int) -> str:
    """An instant as RFC 3339 text.

    >>> written(-1)
    '1969-12-31T23:59:59.999Z'
    """
    at = _EPOCH + timedelta(milliseconds=at_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _seats(seats: Seats) -> list[SeatView]:
    return [_seat(seat) for seat in seats]


def _seat(seat: Seat) -> SeatView:
    return SeatView(seat.member or None, seat.guest or None)
