"""Many hands on one club, on the engine."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError
from pynamodb.exceptions import TransactGetError, TransactWriteError
from pynamodb.transactions import TransactGet, TransactWrite

from chalicelib.clubs import acts, lookup, store
from chalicelib.clubs.model import Club, Guest, LastAdmin, Season
from chalicelib.ratings import marking
from chalicelib.ratings.marking import ChangeItem
from chalicelib.ratings.model import Change, Partition
from tests.races.conftest import rounds, together

DAY = date(2026, 1, 1)


@pytest.fixture
def club(on_engine: dict[str, str]) -> Club:
    """A club of "anna"."""
    return acts.create_club(uuid.uuid4().hex[:12], "TAC", "Europe/Berlin", "anna", "mark")


@pytest.fixture
def clubs(on_engine: dict[str, str]) -> Callable[[], Iterator[Club]]:
    """As many clubs as there are rounds."""

    def made() -> Iterator[Club]:
        for _ in range(rounds(5)):
            yield acts.create_club(uuid.uuid4().hex[:12], "TAC", "Europe/Berlin", "anna", "mark")

    return made


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except LastAdmin:
        return "last"
    return "done"


def test_two_admins_who_dismiss_each_other_leave_one(clubs: Callable[[], Iterator[Club]]) -> None:
    for club in clubs():
        acts.enrol(club.id, "bert", "Bert", ["club_admin"], None)
        done = together([partial(outcome, partial(acts.dismiss, club.id, who)) for who in ("anna", "bert")])
        assert sorted(done) == ["done", "last"]
        members, _ = store.members_of(club.id, 10, None)
        assert len(members) == store.load_club(club.id).admins == 1


def test_seasons_made_at_once_are_all_made_and_all_reloaded(clubs: Callable[[], Iterator[Club]]) -> None:
    for club in clubs():
        made = [Season(f"{club.id[:10]}s{number}", "S", DAY, DAY) for number in range(4)]
        together([partial(acts.create_season, club.id, season, "mark") for season in made])
        calendar = lookup.seasons(club.id)
        assert {season.id for season in calendar.seasons} == {season.id for season in made}
        assert calendar.version == 5
        assert all(marking.is_waiting(part) for part in lookup.season_partitions(calendar, 1_767_250_000_000))


def test_one_season_made_twice_at_once_is_one(clubs: Callable[[], Iterator[Club]]) -> None:
    for club in clubs():
        season = Season(f"{club.id[:10]}s0", "S", DAY, DAY)
        one, other = together([partial(acts.create_season, club.id, season, "mark")] * 2)
        assert one == other
        assert lookup.seasons(club.id).seasons == (season,)


def checked(club: str, version: int) -> bool:
    """Whether a transaction that relies on this version of a club comes through."""
    try:
        with TransactWrite(connection=ChangeItem._get_connection().connection) as transaction:
            marking.mark(transaction, {Partition("CLUB", club): Change(uuid.uuid4().hex)})
            lookup.check_unchanged(transaction, club, version)
    except TransactWriteError:
        return False
    return True


def test_what_relies_on_seasons_or_links_as_read_fails_when_they_have_changed(club: Club) -> None:
    season = Season("season000001", "S", DAY, DAY)
    guest = acts.create_guest(Guest(club.id, uuid.uuid4().hex[:12], "Max"), "mark")
    changes: list[Callable[[], object]] = [
        lambda: acts.create_season(club.id, season, "mark"),
        lambda: acts.edit_season(club.id, season.id, "S", (DAY, date(2026, 1, 2)), 1),
        lambda: acts.delete_season(club.id, season.id),
        lambda: acts.edit_club(club.id, "TAC", "Pacific/Apia", store.load_club(club.id).version),
        lambda: acts.link_guest(club.id, guest.id, "anna"),
        lambda: acts.link_guest(club.id, guest.id, "anna"),
    ]
    for change in changes:
        read = lookup.seasons(club.id).version
        assert checked(club.id, read)
        change()
        assert not checked(club.id, read)
        assert checked(club.id, lookup.seasons(club.id).version)
    assert not checked("nosuchclub23", 1)


def test_members_and_guests_who_come_do_not_disturb_those_who_record(club: Club) -> None:
    read = lookup.seasons(club.id).version
    acts.enrol(club.id, "bert", "Bert", ["club_admin"], None)
    acts.create_guest(Guest(club.id, uuid.uuid4().hex[:12], "Max"), "mark")
    assert checked(club.id, read)


def test_a_settled_read_waits_for_the_transaction_under_way(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    acts.create_season(club.id, Season("season000001", "S", DAY, DAY), "mark")
    codes = ["TransactionCanceledException", "TransactionCanceledException", "ThrottlingException"]

    class Disturbed(TransactGet):
        def _commit(self) -> Any:
            if codes:
                error = ClientError({"Error": {"Code": codes.pop(0)}}, "TransactGetItems")
                raise TransactGetError("disturbed", error)
            return super()._commit()

    monkeypatch.setattr(store, "TransactGet", Disturbed)
    season = Partition("SEASON", f"{club.id}/season000001")
    with pytest.raises(TransactGetError):
        lookup.season_span(season)
    assert codes == []
    codes[:] = ["TransactionCanceledException"] * 2
    assert lookup.season_span(season) is not None
    assert lookup.season_span(Partition("SEASON", "nosuchclub23/season000001")) is None


def test_a_link_that_was_cut_short_is_completed_by_the_next_try(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """The link is there before the version moves on, and the version moves on whenever the link is asked for."""
    guest = acts.create_guest(Guest(club.id, uuid.uuid4().hex[:12], "Max"), "mark")
    read = lookup.seasons(club.id).version
    with monkeypatch.context() as patched:
        patched.setattr(store, "count_up", lambda _: (_ for _ in ()).throw(ConnectionError()))
        with pytest.raises(ConnectionError):
            acts.link_guest(club.id, guest.id, "anna")
    assert lookup.guests(club.id, [guest.id])[guest.id].linked_to == "anna"
    assert checked(club.id, read)
    assert acts.link_guest(club.id, guest.id, "anna").version == 2
    assert not checked(club.id, read)


def test_a_season_and_its_reload_are_written_together_or_not_at_all(
    club: Club, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An act whose every write meets a newer club gives up and leaves nothing."""
    season = Season("season000001", "S", DAY, DAY)
    stored = store.load_club(club.id)
    acts.edit_club(club.id, "Other", "Europe/Berlin", stored.version)
    with monkeypatch.context() as patched:
        patched.setattr(store, "load_club", lambda _: stored)
        with pytest.raises(acts.Busy):
            acts.create_season(club.id, season, "mark")
    assert not marking.is_waiting(Partition("SEASON", f"{club.id}/{season.id}"))
    assert store.season_mark(club.id, season.id) is None
    assert acts.create_season(club.id, season, "mark")[1] == season
