"""A guest turns out to be a member: their results count for the member, from the first one on."""

from __future__ import annotations

from itertools import islice
from typing import Final

from msgspec import Struct

from chalicelib.clubs import acts
from chalicelib.clubs.model import ADMIN, Role
from chalicelib.results import recording, store
from chalicelib.results.model import Result
from chalicelib.results.rules import Invalid, sat_twice, with_links

MAY_LINK: Final[tuple[Role, ...]] = (ADMIN,)

RESULTS_AT_ONCE: Final = 200
"""How many results are rewritten by one request, so that it ends in time; the next one goes on from there."""


class Linked(Struct, frozen=True):
    """How many results count anew now, and how many are left to do."""

    rewritten: int
    left: int


def link(club: str, guest: str, member: str, by: str) -> Linked:
    """Link a guest to a member and rewrite the results of the guest, one by one; may be repeated, also after a crash.

    New results and edits see the link from its first moment on, so nothing is missed. Raises Invalid if the two sit in
    one result, and what `clubs.acts.link_guest` and `recording.change` raise.
    """
    for result in store.of_club(club):
        _check(result, guest, member)
    acts.link_guest(club, guest, member)
    waiting = [result for result in store.of_club(club) if _waits(result, guest, member)]
    for result in islice(waiting, RESULTS_AT_ONCE):
        recording.change(club, result.id, by, lambda current: with_links(current, {guest: member}))
    return Linked(min(len(waiting), RESULTS_AT_ONCE), max(len(waiting) - RESULTS_AT_ONCE, 0))


def _waits(result: Result, guest: str, member: str) -> bool:
    return guest in result.guests and not result.deleted and with_links(result, {guest: member}) != result


def _check(result: Result, guest: str, member: str) -> None:
    """Raises Invalid if guest and member sit in one result: they cannot be one person."""
    if _waits(result, guest, member) and sat_twice(with_links(result, {guest: member})):
        raise Invalid("member_twice", "member", f"{member} and the guest sit in one result, {result.id}")
