"""Imports: checked as a whole, cut short anywhere, run again."""

from __future__ import annotations

import argparse
import os
import signal
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clubs import lookup
from chalicelib.clubs.store import EntryItem
from chalicelib.core import aws as clients
from chalicelib.core.ids import derived_id
from chalicelib.ratings import marking
from chalicelib.ratings.edits import normalised
from chalicelib.ratings.model import Partition, Played
from chalicelib.results import bulk, recording, store, truth
from chalicelib.results.model import Result, Seat
from chalicelib.results.rules import Version
from infra.local.import_results import Plan, Wishes, carry_out, planned, register
from infra.local.results_file import Row, read, with_scopes
from tests.races.processes import die_at
from tests.results.conftest import Club

HEAD = "id,timestamp,a1,a2,b1,b2,winner\n"
SCOPES = "id,club,event,season,exclude_from_rating\n"


def wishes(club: str = "", *, creates: bool = True) -> Wishes:
    return Wishes(club, creates, creates, "importer", "UTC")


def history(mark: str, length: int = 150) -> list[Row]:
    """Results of two clubs named after the mark, over the end of a year, some of them excluded."""
    results, scopes = [HEAD], [SCOPES]
    for number in range(length):
        day = f"20{14 + number % 2}-12-{1 + number % 28:02}"
        names = ",".join(f"{mark}p{(number * step) % 11 + 11 * side}" for side, step in enumerate((1, 3, 5, 7)))
        results.append(f"{mark}-{number},{day}T10:00:00Z,{names},{'AB'[number % 2]}\n")
        event = f"{mark} Open {day[:4]}"
        scopes.append(f"{mark}-{number},{mark}{number % 3 % 2},{event},{day[:4]},{int(number % 10 == 0)}\n")
    rows, faults = read("".join(results))
    rows, more = with_scopes(rows, "".join(scopes))
    assert faults == more == []
    return rows


def logs(rows: list[Row]) -> dict[Partition, list[Played]]:
    """What the waiting changes of every log of the rows come to."""
    plan = planned(rows, wishes())
    results = [*plan.results, *plan.standing]
    calendars = bulk.calendars_of(result.club for result in results)
    versions = [bulk.version_of(result, calendars) for result in results]
    partitions = {log for version in versions if version.rated for log in version.rated.partitions}
    return {log: waiting(log) for log in partitions if log.scope != "GLOBAL"}


def waiting(partition: Partition) -> list[Played]:
    edits = normalised(edit for change in marking.waiting(partition) for edit in change.edits)
    return sorted((edit.played for edit in edits if edit.played), key=lambda game: game.place)


def test_an_import_makes_clubs_events_seasons_members_and_results(club: Club) -> None:
    rows = history(club.id)
    plan = planned(rows, wishes())
    assert (plan.faults, len(plan.results), len(plan.standing)) == ([], 150, 0)
    assert (sorted(plan.clubs.values()), len(plan.events), len(plan.seasons)) == ([f"{club.id}0", f"{club.id}1"], 4, 4)
    carry_out(plan, wishes())
    ids = {derived_id("import", "club", f"{club.id}{number}") for number in range(2)}
    stored = {result.id: result for club_id in ids for result in store.of_club(club_id)}
    assert stored.keys() == {row.result.id for row in rows}
    assert sum(result.exclude_from_rating for result in stored.values()) == 15
    assert lookup.unknown_members(f"{club.id}p{number}" for number in range(44)) == []
    for club_id in ids:
        names = [(season.name, season.first_day.isoformat()) for season in lookup.seasons(club_id).seasons]
        assert names == [("2014", "2014-01-01"), ("2015", "2015-01-01")]
        assert lookup.require_role(club_id, "importer", ("club_admin",)) is None  # type: ignore[func-returns-value]
    for log, games in logs(rows).items():
        if log.scope != "SEASON":  # a new season is reloaded as a whole
            assert games == list(truth.played_in(log)) != []


def test_what_stands_is_passed_over_and_what_differs_is_a_fault(club: Club) -> None:
    rows = history(club.id, 40)
    carry_out(planned(rows, wishes()), wishes())
    before = logs(rows)
    again = planned(rows, wishes())
    assert (again.faults, again.results, len(again.standing)) == ([], [], 40)
    carry_out(again, wishes())
    assert logs(rows) == before
    changed = [replace(rows[7], result=replace(rows[7].result, winner="")), *rows[:7], *rows[8:]]
    faults = planned(changed, wishes()).faults
    assert [(fault.row, fault.field) for fault in faults] == [(9, "id")]


def test_an_import_meets_what_was_corrected_since(club: Club) -> None:
    rows = history(club.id, 3)
    carry_out(planned(rows, wishes()), wishes())
    at = derived_id("import", "club", f"{club.id}0")
    first = recording.change(at, rows[0].result.id, "importer", lambda now: replace(now, score="9-0"))
    assert [(fault.row, fault.field) for fault in planned(rows, wishes()).faults] == [(2, "id")]
    with pytest.raises(bulk.Differs):
        bulk.enter_group([replace(first, score="", version=1, requests=())])


@pytest.mark.parametrize(
    ("field", "name"),
    [("club", "nowhere"), ("event", "Open"), ("season", "2013")],
)
def test_without_leave_to_create_everything_must_be_known(club: Club, field: str, name: str) -> None:
    (row,) = history(club.id, 1)
    known = replace(row, club=club.id, event="", season="", result=replace(row.result, a=(Seat(club.name("anna")),)))
    known = replace(known, result=replace(known.result, b=(Seat(club.name("bert")),)))
    assert planned([known], wishes(creates=False)).faults == []
    faults = planned([replace(known, **{field: name})], wishes(creates=False)).faults
    assert [(fault.row, fault.field) for fault in faults] == [(2, field)]
    strangers = planned([replace(known, result=row.result)], wishes(creates=False)).faults
    assert [(fault.row, fault.field) for fault in strangers] == [(2, f"{side}[{n}]") for side in "ab" for n in range(2)]


def test_a_result_outside_of_the_season_that_it_names_is_a_fault(club: Club) -> None:
    (row,) = history(club.id, 1)
    faults = planned([replace(row, season="2015")], wishes()).faults
    assert [(fault.row, fault.field) for fault in faults] == [(2, "season")]


@pytest.mark.parametrize("field", ["club", "event"])
@pytest.mark.parametrize("name", ["n" * 3_000, "a\x00b", "a\tb", "  "], ids=["long", "null", "tab", "blank"])
def test_what_cannot_be_a_name_is_a_fault(club: Club, field: str, name: str) -> None:
    (row,) = history(club.id, 1)
    faults = planned([replace(row, **{field: name})], wishes()).faults
    assert [(fault.row, fault.field) for fault in faults] == [(2, field)]


@pytest.mark.parametrize("year", ["0000", "1799", "3000", "9999", "201", "٢٠١٤"])
def test_years_in_which_no_season_can_be(club: Club, year: str) -> None:
    (row,) = history(club.id, 1)
    faults = planned([replace(row, season=year)], wishes()).faults
    assert [(fault.row, fault.field) for fault in faults] == [(2, "season")]


def test_more_seasons_than_a_club_can_have_are_faults(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.clubs.calendar.MOST_SEASONS", 1)
    rows = history(club.id, 8)
    faults = planned(rows, wishes()).faults
    assert {fault.field for fault in faults} == {"season"}
    assert len(planned(rows, wishes()).seasons) == 2


@pytest.mark.parametrize("option", [["--time-zone", "Europe/Atlantis"], ["--admin", "anna bert"]])
def test_options_that_cannot_be(option: list[str]) -> None:
    parser = argparse.ArgumentParser(exit_on_error=False)
    register(parser.add_subparsers())
    with pytest.raises(SystemExit):
        parser.parse_args(["import", "results.csv", *option])


def test_a_row_without_club_takes_that_of_the_command(club: Club) -> None:
    (row,) = history(club.id, 1)
    bare = replace(row, club="", event="", season="")
    assert planned([bare], wishes(club.id)).results[0].club == club.id
    assert [fault.field for fault in planned([bare], wishes()).faults] == ["club"]


def killed_at(step: str, plan: Plan) -> None:
    """Carry out a plan in a process that gets killed at a step; see `tests.races.processes`."""
    child = os.fork()
    if child == 0:
        for model in (EntryItem, store.ResultItem, marking.ChangeItem):
            model._connection = None  # those of the parent are its own
        clients._of_thread = threading.local()
        die_at(step)
        carry_out(plan, wishes())
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_an_import_that_is_killed_is_run_again(club: Club) -> None:
    """It dies between clubs, events, seasons, members and groups of results: each of them is one transaction."""
    rows = history(club.id)
    for when, number in (("after", 1), ("after", 4), ("after", 7), ("before", 1), ("after", 1)):
        killed_at(f"{when} TransactWriteItems {number}", planned(rows, wishes()))
    standing = len(planned(rows, wishes()).standing)
    carry_out(planned(rows, wishes()), wishes())
    for log, games in logs(rows).items():
        if log.scope != "SEASON":
            assert games == list(truth.played_in(log)) != []
    after = planned(rows, wishes())
    assert (after.faults, after.results, len(after.standing)) == ([], [], 150)
    assert 0 < standing < 150


def test_an_id_that_stands_in_another_club_is_a_fault(club: Club, another: Club) -> None:
    (row,) = history(club.id, 1)
    bare = replace(row, club="", event="", season="")
    carry_out(planned([bare], wishes(club.id)), wishes())
    faults = planned([bare], wishes(another.id)).faults
    assert [(fault.row, fault.field) for fault in faults] == [(2, "id")]


# --- packing

VERSIONS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 60), st.integers(0, 3), st.booleans()), max_size=250
).map(
    lambda some: [
        Version(
            Result(f"r{n}", f"c{club}", n, (Seat("a"),), (Seat("b"),), event=f"e{event}", exclude_from_rating=excluded),
            tuple(Partition("SEASON", f"c{club}/{season}") for season in range(seasons)),
        )
        for n, (club, event, seasons, excluded) in enumerate(some)
    ]
)


@settings(max_examples=40, deadline=None)
@given(VERSIONS)
def test_every_group_fits_into_a_transaction(versions: list[Version]) -> None:
    groups = list(bulk.packed(versions))
    assert [result for group in groups for result in group] == [version.result for version in versions]
    by_id = {version.result.id: version for version in versions}
    for group in groups:
        rated = [by_id[result.id].rated for result in group]
        touched = {log for one in rated if one for log in one.partitions}
        assert 0 < len(group) + len(touched) + len({result.club for result in group}) <= store.MOST_ITEMS
