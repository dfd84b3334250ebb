"""From the errors of the slice to what the API says: one table, used by every endpoint that is about clubs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from chalicelib.clubs.acts import Busy, KeyReused
from chalicelib.clubs.model import (
    InvalidDate,
    LastAdmin,
    LinkedElsewhere,
    SeasonEndsBeforeItStarts,
    StaleVersion,
    TooManySeasons,
    UnknownClub,
    UnknownEvent,
    UnknownGuest,
    UnknownMember,
    UnknownSeason,
    UnknownTimeZone,
)
from chalicelib.clubs.views import View
from chalicelib.core.endpoint import Answer
from chalicelib.core.problems import Problem

_PROBLEMS: Final[dict[type[Exception], tuple[int, str, str]]] = {
    Busy: (503, "busy", "the club is changing under many hands; try again"),
    InvalidDate: (422, "invalid_date", "{}"),
    KeyReused: (422, "idempotency_key_reused", "this Idempotency-Key was used for another request; take a new one"),
    LastAdmin: (409, "last_club_admin", "{}; make somebody else club_admin first"),
    LinkedElsewhere: (409, "guest_linked_elsewhere", "{}"),
    SeasonEndsBeforeItStarts: (422, "season_ends_before_it_starts", "last_day: {}"),
    StaleVersion: (409, "stale_version", "{}; read it again"),
    TooManySeasons: (422, "too_many_seasons", "{}"),
    UnknownClub: (404, "unknown_club", "there is no club {}"),
    UnknownEvent: (404, "unknown_event", "there is no event {}"),
    UnknownGuest: (404, "unknown_guest", "the club has no guest {}"),
    UnknownMember: (404, "unknown_member", "the club has no member {}"),
    UnknownSeason: (404, "unknown_season", "the club has no season {}"),
    UnknownTimeZone: (422, "unknown_time_zone", "time_zone: {}"),
}


@contextmanager
def problems() -> Iterator[None]:
    """Turn the errors of the slice into Problems."""
    try:
        yield
    except tuple(_PROBLEMS) as error:
        status, code, detail = _PROBLEMS[type(error)]
        headers = {"Retry-After": "1"} if isinstance(error, Busy) else {}
        raise Problem(status, code, detail.format(error), _members(error), headers) from error


def _members(error: Exception) -> dict[str, Any]:
    """What a program learns beyond the code: the field that is wrong, or the version that stands."""
    match error:
        case InvalidDate(field=field):
            return {"field": field}
        case SeasonEndsBeforeItStarts():
            return {"field": "last_day"}
        case UnknownTimeZone():
            return {"field": "time_zone"}
        case StaleVersion(current=current):
            return {"current_version": current}
    return {}


def shown(view: View) -> Answer:
    """200 with the view and its version as the ETag."""
    return Answer(view, headers={"ETag": f'"{view.version}"'})


def made(view: View, location: str | None = None) -> Answer:
    """201 with the view, its version as the ETag, and the address of its own, if it has one."""
    own = {"Location": location} if location else {}
    return Answer(view, status=201, headers={"ETag": f'"{view.version}"', **own})
