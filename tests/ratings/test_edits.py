"""What edits of results mean for partitions, and how waiting edits become one. Their effect on logs: test_replay."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clock.profiles import NAMED
from chalicelib.ratings.edits import Rated, beyond, edits_between, normalised, since
from chalicelib.ratings.model import Edit, Partition, Played
from chalicelib.ratings.pools import pool
from chalicelib.ratings.projections import individuals, pairs, subjects
from tests.ratings.books import GLOBAL

CLUB = Partition("CLUB", "c")
EARLY = Played(5, "r", ("anna",), ("bert",), "A")
LATE = replace(EARLY, at_ms=9)


def test_a_new_result_is_put_in() -> None:
    assert edits_between("r", 1, None, Rated((GLOBAL, CLUB), EARLY)) == {
        GLOBAL: Edit("r", 1, (), EARLY),
        CLUB: Edit("r", 1, (), EARLY),
    }


def test_a_result_that_no_longer_rates_is_cleared() -> None:
    assert edits_between("r", 2, Rated((GLOBAL,), EARLY), None) == {GLOBAL: Edit("r", 2, ((5, "r"),), None)}


def test_a_move_in_time_clears_the_old_place() -> None:
    (edit,) = edits_between("r", 2, Rated((GLOBAL,), EARLY), Rated((GLOBAL,), LATE)).values()

    assert edit == Edit("r", 2, ((5, "r"),), LATE)
    assert since([edit]) == (5, "r")


def test_nothing_that_rates_has_changed() -> None:
    rated = Rated((GLOBAL, CLUB), EARLY)

    assert edits_between("r", 2, rated, rated) == {}


def test_partitions_that_do_not_change_are_named_if_others_do() -> None:
    """The case file has it so (R02); the pass over them writes nothing."""
    edits = edits_between("r", 2, Rated((GLOBAL,), EARLY), Rated((GLOBAL, CLUB), EARLY))

    assert edits.keys() == {GLOBAL, CLUB}


def test_the_last_version_decides_and_every_place_is_cleared() -> None:
    edits = [Edit("r", 3, ((9, "r"),), None), Edit("r", 2, ((5, "r"),), LATE), Edit("q", 1, (), replace(EARLY, id="q"))]

    merged = normalised(edits)

    assert merged == (Edit("q", 1, ((5, "q"),), replace(EARLY, id="q")), Edit("r", 3, ((5, "r"), (9, "r")), None))
    assert normalised(merged) == merged
    assert normalised([*edits, *merged, *edits[::-1]]) == merged
    assert since(edits) == since(merged) == (5, "q")


def test_what_is_left_after_a_place() -> None:
    edit = Edit("r", 2, ((5, "r"),), LATE)

    assert beyond([edit], (4, "z")) == (Edit("r", 2, ((5, "r"), (9, "r")), LATE),)
    assert beyond([edit], (5, "r")) == (Edit("r", 2, ((9, "r"),), LATE),)
    assert beyond([edit], (9, "r")) == ()


def test_no_edits_have_no_place() -> None:
    with pytest.raises(ValueError):
        since([])


AB, CD, A, C, NONE = ("a", "b"), ("d", "c"), ("a",), ("c",), ()


@pytest.mark.parametrize(
    ("sides", "single", "incomplete", "guest_only"),
    [
        ((AB, CD), (AB, CD), (("a+b",), ("c+d",)), (("a+b",), ("c+d",))),
        ((AB, C), (AB, C), (("a+b",), ()), ((), ())),
        ((A, CD), (A, CD), ((), ("c+d",)), ((), ())),
        ((AB, NONE), ((), ()), (("a+b",), ()), (("a+b",), ())),
        ((NONE, CD), ((), ()), ((), ("c+d",)), ((), ("c+d",))),
        ((A, C), (A, C), ((), ()), ((), ())),
        ((A, NONE), ((), ()), ((), ()), ((), ())),
        ((NONE, NONE), ((), ()), ((), ()), ((), ())),
    ],
)
def test_who_is_rated(sides: object, single: object, incomplete: object, guest_only: object) -> None:
    a, b = sides  # type: ignore[misc]

    assert individuals(a, b) == single
    assert pairs(a, b, "incomplete") == incomplete
    assert pairs(a, b, "guest_only") == guest_only
    assert subjects("individual", a, b, "incomplete") == single[0] + single[1]  # type: ignore[index]
    assert subjects("pair", a, b, "guest_only") == guest_only[0] + guest_only[1]  # type: ignore[index]


def test_pools_are_by_kind_and_the_longer_base_time() -> None:
    correspondence, live = NAMED["30-30-1"].initial_buffer_ms, NAMED["30+20"].initial_buffer_ms

    assert pool("chess", correspondence) == pool("chess", live) == Partition("POOL", "chess/classical")
    assert pool("gomoku", NAMED["3+2"].initial_buffer_ms).ref == "gomoku/blitz"
    assert pool("chess", NAMED["3+2"].initial_buffer_ms, NAMED["10+5"].initial_buffer_ms).ref == "chess/rapid"
