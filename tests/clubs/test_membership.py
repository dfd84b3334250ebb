"""Who may be what in a club, and whom a guest turns out to be."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clubs import membership
from chalicelib.clubs.model import Club, Event, Guest, LastAdmin, LinkedElsewhere, Member, StaleVersion

CLUB = Club("c", "TAC", "UTC", admins=1)
ADMIN = Member("c", "anna", "Anna", ("club_admin",), version=3)
RECORDER = Member("c", "bert", "Bert", ("recorder",))
GUEST = Guest("c", "g", "Max")


def test_everybody_in_a_club_is_a_member_and_no_more_than_their_roles_say() -> None:
    assert membership.has_role(RECORDER, ("member",))
    assert membership.has_role(RECORDER, ("recorder", "club_admin"))
    assert not membership.has_role(RECORDER, ("club_admin",))
    assert not membership.has_role(ADMIN, ("recorder",))
    assert not membership.has_role(ADMIN, ())


def test_the_last_admin_can_neither_go_nor_lose_the_role() -> None:
    demoted = replace(ADMIN, roles=("member",))
    for after in (None, demoted):
        with pytest.raises(LastAdmin):
            membership.admins_after(CLUB, ADMIN, after)
        assert membership.admins_after(replace(CLUB, admins=2), ADMIN, after) == 1
    assert membership.admins_after(CLUB, RECORDER, None) == 1
    assert membership.admins_after(CLUB, None, ADMIN) == 2
    assert membership.admins_after(CLUB, ADMIN, replace(ADMIN, name="A")) == 1


def test_a_member_is_new_without_a_version_and_edited_with_the_one_that_stands() -> None:
    wanted = Member("c", "anna", "Anna", ("recorder",))
    assert membership.enrolled(None, wanted, None) == wanted
    assert membership.enrolled(ADMIN, wanted, 3) == replace(wanted, version=4)
    for before, version, current in ((None, 1, None), (ADMIN, None, 3), (ADMIN, 2, 3), (ADMIN, 4, 3)):
        with pytest.raises(StaleVersion) as stale:
            membership.enrolled(before, wanted, version)
        assert stale.value.current == current


@pytest.mark.parametrize("version", [None, 1, 3, 9])
def test_the_same_member_again_changes_nothing(version: int | None) -> None:
    assert membership.enrolled(ADMIN, replace(ADMIN, version=1), version) is ADMIN


def test_roles_are_a_set() -> None:
    assert membership.roles_of(["recorder", "member", "recorder"]) == ("member", "recorder")


def test_names_change_on_the_version_that_stands() -> None:
    event = Event("e", "c", "Open", True, 5)
    assert membership.renamed(event, "Cup", 1) == replace(event, name="Cup", version=2)
    assert membership.renamed(event, "Open", 9) is event
    for named in (event, GUEST):
        with pytest.raises(StaleVersion):
            membership.renamed(named, "Cup", 2)


def test_a_guest_is_linked_once() -> None:
    linked = membership.linked(GUEST, "max")
    assert linked == replace(GUEST, linked_to="max", version=2)
    assert membership.linked(linked, "max") is linked
    with pytest.raises(LinkedElsewhere) as refused:
        membership.linked(linked, "moritz")
    assert refused.value.guest == linked
