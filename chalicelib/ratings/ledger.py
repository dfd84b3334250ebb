"""The ledger of decay runs: one item a date. What follows from it is in `decay`; no rating is ever written for it."""

from __future__ import annotations

from datetime import date
from typing import Final

from msgspec import Struct
from pynamodb.exceptions import PutError

from chalicelib.core.settings import settings
from chalicelib.ratings.decay import Runs, due_dates
from chalicelib.ratings.store import RatingItem

_LEDGER: Final = "DECAY"


class Run(Struct, frozen=True):
    """A run as it was entered: its date, the instant of the entry, and whether that came later than on its day."""

    day: date
    ran_ms: int
    caught_up: bool


def runs() -> Runs:
    """The runs so far, by strongly consistent reads of the first and the last date."""
    known = settings()
    return Runs(_date(newest=False), _date(newest=True), known.decay_hour, known.decay_zone)


def newest(limit: int, before: date | None = None) -> list[Run]:
    """Runs of the newest dates first; only those before a date, if given."""
    wanted = RatingItem.entry < before.isoformat() if before else None
    found = RatingItem.query(_LEDGER, wanted, consistent_read=True, scan_index_forward=False, limit=limit)
    return [Run(date.fromisoformat(item.entry), int(item.ran_ms or 0), bool(item.caught_up)) for item in found]


def tick(now_ms: int) -> tuple[date, ...]:
    """Run for every date that is due, the oldest first; the dates that this tick has added.

    A date is added once, however often and by however many it is tried. The ledger begins with the first tick ever.
    """
    due = due_dates(runs(), now_ms)
    return tuple(day for day in due if _add(day, now_ms, caught_up=day != due[-1]))


def _add(day: date, now_ms: int, *, caught_up: bool) -> bool:
    item = RatingItem(_LEDGER, day.isoformat(), ran_ms=now_ms, caught_up=caught_up)
    try:
        item.save(RatingItem.entry.does_not_exist())
    except PutError as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise
        return False
    return True


def _date(*, newest: bool) -> date | None:
    found = RatingItem.query(_LEDGER, consistent_read=True, scan_index_forward=not newest, limit=1)
    item = next(iter(found), None)
    return date.fromisoformat(item.entry) if item else None
