"""What a result may say, whether it counts, and for which logs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.ratings.edits import Rated, edits_between
from chalicelib.ratings.model import Change, Edit, Partition, Played
from chalicelib.results.model import Result, Seat, Seats

GLOBAL: Final = Partition("GLOBAL")


class Invalid(ValueError):
    """A result says what it cannot say; `code` is that of the problem, `field` names the place in the body."""

    def __init__(self, code: str, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.code = code
        self.field = field


def seated(result: Result) -> Iterator[tuple[str, Seat]]:
    """The seats of both sides, each with its name in a body: a[0], a[1], b[0] ..."""
    for name, side in (("a", result.a), ("b", result.b)):
        for number, seat in enumerate(side):
            yield f"{name}[{number}]", seat


def members(side: Seats) -> tuple[str, ...]:
    """The members of a side, guests removed; a guest who is linked to a member is that member."""
    return tuple(seat.member for seat in side if seat.member)


def sat_twice(result: Result) -> tuple[str, str] | None:
    """The second seat of whoever sits in two, and who that is; None if nobody does."""
    known: set[tuple[str, str]] = set()
    for field, seat in seated(result):
        who = ("member", seat.member) if seat.member else ("guest", seat.guest)
        if who in known:
            return field, who[1]
        known.add(who)
    return None


def check_seats(result: Result) -> None:
    """Raises Invalid if somebody sits in two seats."""
    if twice := sat_twice(result):
        field, who = twice
        raise Invalid("member_twice", field, f"{who} sits in two seats")


def with_links(result: Result, links: Mapping[str, str | None]) -> Result:
    """The result with the members whom its guests turned out to be; guests that `links` does not name stay.

    >>> with_links(Result("r", "c", 0, (Seat(guest="g"),), ()), {"g": "anna"}).a
    (Seat(member='anna', guest='g'),)
    """

    def seats(side: Seats) -> Seats:
        return tuple(Seat(links[seat.guest] or "", seat.guest) if seat.guest in links else seat for seat in side)

    return replace(result, a=seats(result.a), b=seats(result.b))


def as_event_says(before: Result | None, after: Result, rated: bool | None) -> Result:
    """The result as its event fixes it: all of its results are rated, or none; None leaves it to each result.

    Raises Invalid if this version asks for the contrary.
    """
    if rated is None or after.exclude_from_rating is not rated:
        return after
    if after.exclude_from_rating != (before.exclude_from_rating if before else False):
        raise Invalid("rated_by_event", "exclude_from_rating", "the event fixes whether its results are rated")
    return replace(after, exclude_from_rating=not rated)


def counts(result: Result) -> bool:
    """Whether it is rated: finished, not excluded, seats on both sides, nobody in two of them."""
    is_shown = result.status == "finished" and not result.exclude_from_rating and not result.deleted
    return is_shown and bool(result.a) and bool(result.b) and sat_twice(result) is None


def played(result: Result) -> Played:
    """The result as a log has it."""
    return Played(result.played_at_ms, result.id, members(result.a), members(result.b), result.winner)


def rated(result: Result, seasons: tuple[Partition, ...]) -> Rated | None:
    """What the logs are told of a result; `seasons` are those of its club that contain its instant. None: nothing."""
    if not counts(result):
        return None
    event = (Partition("EVENT", result.event),) if result.event else ()
    return Rated((GLOBAL, Partition("CLUB", result.club), *event, *seasons), played(result))


def changes_of(edits: Iterable[Mapping[Partition, Edit]], change_id: str) -> dict[Partition, Change]:
    """One change a partition with all edits that are committed together."""
    together: dict[Partition, list[Edit]] = {}
    for of_result in edits:
        for partition, edit in of_result.items():
            together.setdefault(partition, []).append(edit)
    return {partition: Change(change_id, tuple(waiting)) for partition, waiting in together.items()}


class Version(Struct, frozen=True):
    """A version of a result with the seasons that contain it."""

    result: Result
    seasons: tuple[Partition, ...]

    @property
    def rated(self) -> Rated | None:
        return rated(self.result, self.seasons)


def edits(old: Version | None, new: Version) -> dict[Partition, Edit]:
    """What the new version of a result means for every log that it, or the old one, is in."""
    return edits_between(new.result.id, new.result.version, old.rated if old else None, new.rated)
