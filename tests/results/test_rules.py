"""What a result may say, whether it counts, and which logs an edit of it touches."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.ratings.edits import since
from chalicelib.ratings.model import Partition, Played
from chalicelib.results.bodies import ResultBody, ResultChanges
from chalicelib.results.entering import changed, entered
from chalicelib.results.model import EARLIEST_MS, LATEST_MS, PLACE, Result, Seat
from chalicelib.results.rules import Invalid, Version, changes_of, check_seats, counts, edits, played, with_links
from chalicelib.results.views import result_view, written

NOON = 1_768_075_200_000  # 2026-01-10T20:00Z, as in R26
BODY = {
    "played_at": "2026-01-10T20:00:00Z",
    "a": [{"member": "anna"}, {"member": "bert"}],
    "b": [{"member": "carl"}, {"guest": "gast"}],
    "winner": "A",
}


def sent(**more: Any) -> Result:
    return entered("r1", "c1", msgspec.convert(BODY | more, ResultBody))


def edited(result: Result, **changes: Any) -> Result:
    return changed(result, msgspec.convert(changes, ResultChanges))


def side(*names: str) -> tuple[Seat, ...]:
    """Members by name; guests begin with `?`."""
    return tuple(Seat(guest=name[1:]) if name.startswith("?") else Seat(name) for name in names)


def dirty(old: Result | None, new: Result, *seasons: tuple[str, ...]) -> dict[str, Any]:
    """The keys of the partitions of an edit, with the smallest place each; `seasons` of the old and the new version."""
    before, after = seasons or ((), ())
    then = Version(old, tuple(Partition("SEASON", ref) for ref in before)) if old else None
    found = edits(then, Version(new, tuple(Partition("SEASON", ref) for ref in after)))
    return {partition.key: since([edit])[0] for partition, edit in found.items()}


# --- what is sent


def test_one_instant_however_it_is_written() -> None:  # R38
    ways = ["2026-01-10T20:00:00Z", "2026-01-10T20:00:00.000Z", "2026-01-10T21:00:00+01:00", NOON]
    assert {sent(played_at=way) for way in ways} == {sent()}
    assert sent().played_at_ms == NOON
    assert sent(played_at="1872-11-30T00:00:00Z").played_at_ms == -3_063_744_000_000


@pytest.mark.parametrize("at", ["2026-01-10", "2026-01-10T20:00:00", "2026-02-30T20:00:00Z", "", "soon", 1.5, None])
def test_what_is_no_instant_is_refused_by_name(at: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.played_at"):
        sent(played_at=at)


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "1799-12-31T23:59:59.999Z", "9999-12-31T23:59:59Z"])
def test_instants_of_other_centuries_are_refused_by_name(at: str) -> None:
    with pytest.raises(Invalid, match="played_at") as refused:
        sent(played_at=at)
    assert refused.value.field == "played_at"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("a", []),
        ("b", [{"member": "x"}, {"member": "y"}, {"member": "z"}]),
        ("winner", "C"),
        ("winner", "a"),
        ("status", "running"),
        ("exclude_from_rating", 1),
        ("score", "21\n17"),
        ("event", ""),
    ],
)
def test_what_cannot_be_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        sent(**{name: value})


@pytest.mark.parametrize("seat", [{}, {"member": "anna", "guest": "gast"}])
def test_a_seat_names_a_member_or_a_guest(seat: dict[str, str]) -> None:
    with pytest.raises(Invalid, match="b\\[1\\]"):
        sent(b=[{"member": "carl"}, seat])


@pytest.mark.parametrize(
    ("a", "b", "field"),
    [
        (side("anna", "anna"), side("bert"), "a[1]"),
        (side("anna", "bert"), side("carl", "anna"), "b[1]"),
        (side("anna", "?gast"), side("?gast"), "b[0]"),
        (side("anna"), (Seat("anna", "gast"),), "b[0]"),
    ],
)
def test_nobody_sits_twice(a: tuple[Seat, ...], b: tuple[Seat, ...], field: str) -> None:
    result = replace(sent(), a=a, b=b)
    with pytest.raises(Invalid) as refused:
        check_seats(result)
    assert (refused.value.code, refused.value.field) == ("member_twice", field)
    assert not counts(result)


def test_a_member_and_a_guest_of_one_name_are_two() -> None:
    check_seats(replace(sent(), a=side("anna"), b=side("?anna")))


def test_a_missing_winner_is_a_draw() -> None:
    without = {name: value for name, value in BODY.items() if name != "winner"}
    for result in (entered("r1", "c1", msgspec.convert(without, ResultBody)), sent(winner=None), sent(winner="")):
        assert result.winner == "" and counts(result)


def test_what_is_left_out_of_a_change_stays() -> None:
    result = sent(event="e1", score="2-1")
    assert edited(result) == result
    assert edited(result, event=None) == replace(result, event=None)
    assert edited(result, winner=None) == replace(result, winner="")
    assert edited(result, a=[{"member": "dora"}]) == replace(result, a=side("dora"))
    assert edited(result, played_at=5, club="c2") == replace(result, played_at_ms=5, club="c2")


# --- what counts


def test_an_unfinished_result_without_winner_is_no_draw() -> None:  # R06b
    assert not counts(sent(status="unfinished", winner=None))
    assert dirty(None, sent(status="unfinished", winner="A")) == {}


def test_an_excluded_or_deleted_result_counts_for_nothing() -> None:
    assert not counts(sent(exclude_from_rating=True))
    assert not counts(replace(sent(), deleted=True))
    assert dirty(None, sent(exclude_from_rating=True)) == {}


def test_guests_are_removed_and_a_side_of_guests_stays() -> None:
    assert played(sent()) == Played(NOON, "r1", ("anna", "bert"), ("carl",), "A")
    only_guests = replace(sent(), b=side("?x", "?y"))
    assert counts(only_guests)
    assert played(only_guests).b == ()


def test_a_linked_guest_counts_as_the_member() -> None:
    linked = with_links(sent(), {"gast": "dora", "other": "emil"})
    assert played(linked).b == ("carl", "dora")
    assert linked.guests == {"gast"}
    assert with_links(linked, {"gast": None}) == sent()


# --- which logs


def test_a_result_counts_in_every_scope() -> None:
    new = sent(event="e1")
    found = dirty(None, new, (), ("c1/s1", "c1/s2"))
    assert found == dict.fromkeys(["GLOBAL", "CLUB#c1", "EVENT#e1", "SEASON#c1/s1", "SEASON#c1/s2"], NOON)


def test_moved_from_one_event_to_another() -> None:  # R02
    old = sent(event="e1")
    new = replace(edited(old, event="e2"), version=2)
    assert dirty(old, new).keys() == {"GLOBAL", "CLUB#c1", "EVENT#e1", "EVENT#e2"}
    assert edits(Version(old, ()), Version(new, ()))[Partition("EVENT", "e1")].played is None


def test_moved_over_the_end_of_a_season() -> None:  # R26
    old = sent(event="e1")
    moved = edited(old, played_at="2026-07-01T00:00:00+02:00")
    first = {"GLOBAL": NOON, "CLUB#c1": NOON, "EVENT#e1": NOON, "SEASON#c1/s1": NOON}
    assert dirty(old, moved, ("c1/s1",), ("c1/s2",)) == first | {"SEASON#c1/s2": 1_782_856_800_000}


def test_moved_to_another_club() -> None:  # R27
    old = sent(event="e1")
    assert dirty(old, edited(old, club="c2")).keys() == {"GLOBAL", "CLUB#c1", "CLUB#c2", "EVENT#e1"}


def test_what_ratings_do_not_see_marks_nothing() -> None:
    old = sent()
    assert dirty(old, edited(old, score="3-0")) == {}
    assert dirty(old, replace(old, b=side("carl", "?other"))) == {}
    unrated = sent(exclude_from_rating=True)
    assert dirty(unrated, edited(unrated, winner="B")) == {}


def test_edits_that_are_committed_together_share_a_change() -> None:
    some = [edits(None, Version(replace(sent(event=event), id=event), ())) for event in ("e1", "e2", "e1x")]
    changes = changes_of(some, "import-1")
    assert [edit.result_id for edit in changes[Partition("GLOBAL")].edits] == ["e1", "e2", "e1x"]
    assert len(changes[Partition("EVENT", "e2")].edits) == 1
    assert {change.id for change in changes.values()} == {"import-1"}


# --- properties

INSTANTS = st.integers(EARLIEST_MS, LATEST_MS)
IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True)
NAMES = st.sampled_from(["anna", "bert", "carl", "?gast", "?gustav"])
SIDES = st.lists(NAMES, min_size=1, max_size=2).map(lambda names: side(*names))
RESULTS = st.builds(
    Result,
    id=st.just("r1"),
    club=st.sampled_from(["c1", "c2"]),
    played_at_ms=INSTANTS,
    a=SIDES,
    b=SIDES,
    winner=st.sampled_from(["A", "B", ""]),
    status=st.sampled_from(["finished", "finished", "unfinished"]),
    event=st.sampled_from([None, "e1", "e2"]),
    exclude_from_rating=st.booleans(),
    deleted=st.booleans(),
)
SEASONS = st.sets(st.sampled_from(["s1", "s2", "s3"])).map(
    lambda names: tuple(Partition("SEASON", name) for name in sorted(names))
)
VERSIONS = st.builds(Version, RESULTS, SEASONS)


@settings(max_examples=100)
@given(INSTANTS, IDS, INSTANTS, IDS)
def test_places_in_lists_are_ordered_as_in_logs(one_ms: int, one: str, other_ms: int, other: str) -> None:
    first, second = Result(one, "c", one_ms, (), ()), Result(other, "c", other_ms, (), ())
    assert (first.place < second.place) == ((one_ms, one) < (other_ms, other))
    assert re.fullmatch(PLACE, first.place)


@settings(max_examples=100)
@given(INSTANTS)
def test_an_instant_as_it_is_shown_is_the_one_that_was_sent(at_ms: int) -> None:
    assert sent(played_at=written(at_ms)) == sent(played_at=at_ms)


@settings(max_examples=100)
@given(VERSIONS, VERSIONS)
def test_an_edit_touches_the_logs_of_both_versions(old: Version, new: Version) -> None:
    """Whoever is not told would keep a ghost; whoever has nothing to do with it is left alone."""
    found = edits(old, new)
    logs = {partition for version in (old, new) if version.rated for partition in version.rated.partitions}
    assert found.keys() == (logs if old.rated != new.rated else set())
    for partition, edit in found.items():
        is_left = old.rated is not None and partition in old.rated.partitions
        is_entered = new.rated is not None and partition in new.rated.partitions
        assert edit.clear == (((old.result.played_at_ms, "r1"),) if is_left else ())
        assert edit.played == (played(new.result) if is_entered else None)


@settings(max_examples=100)
@given(RESULTS)
def test_what_is_shown_says_whether_it_counts(result: Result) -> None:
    assert result_view(result).rated == (Version(result, ()).rated is not None)
