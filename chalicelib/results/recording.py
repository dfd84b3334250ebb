"""Recording, correcting and deleting results: load, decide, write conditionally, wake the ratings.

Every write is one transaction with the marks of all logs that it touches, on the condition that the result, the seasons
and the links of its clubs are as they were read; whoever loses such a race decides anew.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from chalicelib.clubs import lookup
from chalicelib.clubs.model import RECORDING, Role, Seasons, UnknownEvent
from chalicelib.ratings import marking
from chalicelib.results import store
from chalicelib.results.model import Result, Seat
from chalicelib.results.rules import Invalid, Version, as_event_says, changes_of, check_seats, edits, seated, with_links

ATTEMPTS: Final = 20
"""How often a change is decided anew before it is given up."""

_LONGEST_PAUSE: Final = 0.2

REQUESTS_KEPT: Final = 16
"""How many requests a result remembers besides the one that made it."""


class Busy(Exception):
    """The result, or its club, kept changing under other hands; nothing was written."""


def enter(draft: Result, request: str) -> Result:
    """Store a new result, made by the request with this mark; returns the one that is, which may be an earlier one.

    Raises Invalid, Busy.
    """
    for attempt in range(ATTEMPTS):
        existing = store.find(draft.club, draft.id)
        if existing is not None:
            return existing
        try:
            return _committed(None, replace(draft, requests=(request,)))
        except store.Stale:
            pause(attempt)
    raise Busy(f"result {draft.id} met too many others")


def change(
    club: str, result_id: str, by: str, decide: Callable[[Result], Result], request: str | None = None
) -> Result:
    """Make of a result what `decide` says, unless the request with this mark did; returns it as it stands then.

    `by` must be allowed to record in its club, and in the one that it moves to. Raises UnknownResult, Invalid, Busy and
    what `decide` raises.
    """
    for attempt in range(ATTEMPTS):
        before = store.load(club, result_id)
        if before.club != club:
            require_recorder(before.club, by)
        if request is not None and request in before.requests[1:]:
            return before
        after = decide(before)
        if after == before:
            return before
        if after.club != before.club:
            require_recorder(after.club, by)
        try:
            return _committed(before, _next(after, request))
        except store.Stale:
            pause(attempt)
    raise Busy(f"result {result_id} met too many others")


def pause(attempt: int) -> None:
    """Let the others finish: transactions that merely read the same club get in each other's way too."""
    time.sleep(random.uniform(0, min(0.01 * 2**attempt, _LONGEST_PAUSE)))


def require_recorder(club: str, by: str, roles: tuple[Role, ...] = RECORDING) -> None:
    """Raises a Problem unless `by` may record results of the club, which must exist."""
    lookup.require_role(club, by, roles)


def _next(after: Result, request: str | None) -> Result:
    made, *changed = after.requests or ("",)
    kept = (*changed, request)[-REQUESTS_KEPT:] if request is not None else changed
    return replace(after, version=after.version + 1, requests=(made, *kept))


def _committed(before: Result | None, after: Result) -> Result:
    """Write one step of one result. Raises Invalid, Stale."""
    clubs = {after.club, before.club if before else after.club}
    calendars = {club: lookup.seasons(club) for club in sorted(clubs)}
    new = _checked(before, after)
    step_edits = edits(_version(before, calendars) if before else None, _version(new, calendars))
    changes = changes_of([step_edits], f"{new.id}@{new.version}")
    store.commit([store.Step(before, new)], changes, _versions(calendars))
    marking.wake(changes)
    return new


def _version(result: Result, calendars: Mapping[str, Seasons]) -> Version:
    return Version(result, lookup.season_partitions(calendars[result.club], result.played_at_ms))


def _versions(calendars: Mapping[str, Seasons]) -> dict[str, int]:
    return {club: seasons.version for club, seasons in calendars.items()}


# --- who and what it names


def _checked(before: Result | None, after: Result) -> Result:
    """The new version, its guests counted as the members they are linked to. Raises Invalid.

    What the version before named already is not asked for again: it may have gone since, or, a guest and a member at
    first, have turned out to be one person.
    """
    if after.deleted:
        return after
    known = before if before is not None and before.club == after.club else None
    links = links_of(known, after)
    _check_members(before, after)
    new = with_links(as_event_says(before, after, _event_rates(before, after)), links)
    if before is None or _names(before) != _names(after):
        check_seats(new)
    return new


def _names(result: Result) -> list[tuple[str, Seat]]:
    """Who sits where, as the recorder named them: without the members whom guests turned out to be."""
    return [(field, Seat(guest=seat.guest) if seat.guest else seat) for field, seat in seated(result)]


def links_of(known: Result | None, after: Result) -> dict[str, str | None]:
    """The members to whom the guests of a result are linked. Raises Invalid for one whom the club does not know."""
    if not after.guests:
        return {}
    found = lookup.guests(after.club, after.guests)
    for field, seat in seated(after):
        if seat.guest and seat.guest not in found and (known is None or seat.guest not in known.guests):
            raise Invalid("unknown_guest", f"{field}.guest", f"club {after.club} has no guest {seat.guest}")
    return {guest: entry.linked_to for guest, entry in found.items()}


def _check_members(before: Result | None, after: Result) -> None:
    known = {seat.member for _, seat in seated(before)} if before else set()
    named = {seat.member: field for field, seat in seated(after) if seat.member and not seat.guest}
    for member in lookup.unknown_members(sorted(named.keys() - known)):
        raise Invalid("unknown_member", f"{named[member]}.member", f"{member} is no member of any club")


def _event_rates(before: Result | None, after: Result) -> bool | None:
    """Whether the event of a result fixes that its results are rated, or are not. Raises Invalid if it is unknown."""
    is_asked = before is None or (before.event, before.exclude_from_rating) != (after.event, after.exclude_from_rating)
    if after.event is None or not is_asked:
        return None
    try:
        return lookup.event(after.event).rated
    except UnknownEvent as error:
        raise Invalid("unknown_event", "event", f"there is no event {after.event}") from error
