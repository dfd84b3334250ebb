"""Results as frozen values."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from chalicelib.core.ids import RESULT_ID
from chalicelib.ratings.model import Winner

Status = Literal["finished", "unfinished"]

EARLIEST_MS: Final = -5_364_662_400_000
"""1800-01-01; the oldest real results are of 1872."""
LATEST_MS: Final = 32_503_680_000_000
"""3000-01-01."""

_PLACES_BEGIN: Final = 10_000_000_000_000
"""Added to the instants in places, so that those before 1970 are not negative and text order is time order."""


class Seat(Struct, frozen=True, omit_defaults=True):
    """One seat of a side: a member, or a guest. A guest who is linked to a member names both, and counts as that."""

    member: str = ""
    guest: str = ""


Seats = tuple[Seat, ...]


class Result(Struct, frozen=True, omit_defaults=True):
    """A result as its last version says. `version` counts the edits from 1, whatever club the result is in.

    `winner` empty is a draw if the result is finished. `requests` are the marks of the requests that made it, the
    creating one first: a repeated request finds its own.
    """

    id: str
    club: str
    played_at_ms: int
    a: Seats
    b: Seats
    winner: Winner = ""
    status: Status = "finished"
    event: str | None = None
    score: str = ""
    exclude_from_rating: bool = False
    deleted: bool = False
    version: int = 1
    requests: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """Where it stands in lists: text whose order is that of (instant, id).

        >>> Result("r1", "c1", -3_000_000_000_000, (), ()).place
        '007000000000000#r1'
        """
        return f"{self.played_at_ms + _PLACES_BEGIN:015d}#{self.id}"

    @property
    def guests(self) -> frozenset[str]:
        """Ids of the guests in its seats, linked or not."""
        return frozenset(seat.guest for seat in (*self.a, *self.b) if seat.guest)


PLACE: Final = rf"[0-9]{{15}}#{RESULT_ID}"
"""What the place of a result looks like."""
