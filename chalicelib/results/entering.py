"""From what a recorder sends to the result that it means. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from msgspec import UNSET
from msgspec.structs import asdict, replace

from chalicelib.results.bodies import Instant, ResultBody, ResultChanges, SeatBody
from chalicelib.results.model import EARLIEST_MS, LATEST_MS, Result, Seat, Seats
from chalicelib.results.rules import Invalid

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def instant_ms(at: Instant, field: str = "played_at") -> int:
    """An instant in ms, however it was written. Raises Invalid for one before 1800 or after 2999.

    >>> instant_ms(datetime.fromisoformat("1970-01-01T01:00:00.0009+01:00"))
    0
    """
    at_ms = at if isinstance(at, int) else (at - _EPOCH) // _MILLISECOND
    if not EARLIEST_MS <= at_ms <= LATEST_MS:
        raise Invalid("invalid_body", field, "the instant lies before 1800 or after 2999")
    return at_ms


def seats(side: Sequence[SeatBody], name: str) -> Seats:
    """The seats of side `name`. Raises Invalid unless each names a member or a guest, and not both."""
    return tuple(_seat(seat, f"{name}[{number}]") for number, seat in enumerate(side))


def _seat(seat: SeatBody, field: str) -> Seat:
    if (seat.member is None) == (seat.guest is None):
        raise Invalid("invalid_body", field, "a seat names either a member or a guest")
    return Seat(seat.member or "", seat.guest or "")


def entered(result_id: str, club: str, body: ResultBody) -> Result:
    """A new result as it was sent. Raises Invalid."""
    return Result(
        id=result_id,
        club=club,
        played_at_ms=instant_ms(body.played_at),
        a=seats(body.a, "a"),
        b=seats(body.b, "b"),
        winner=body.winner or "",
        status=body.status,
        event=body.event,
        score=body.score,
        exclude_from_rating=body.exclude_from_rating,
    )


def changed(result: Result, changes: ResultChanges) -> Result:
    """The result with the changes in it, its version still the old one. Raises Invalid."""
    sent: dict[str, Any] = {name: value for name, value in asdict(changes).items() if value is not UNSET}
    sent.pop("version")
    for side in sent.keys() & {"a", "b"}:
        sent[side] = seats(sent[side], side)
    if "played_at" in sent:
        sent["played_at_ms"] = instant_ms(sent.pop("played_at"))
    if "winner" in sent:
        sent["winner"] = sent["winner"] or ""
    return replace(result, **sent)
