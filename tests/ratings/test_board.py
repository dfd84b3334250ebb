"""Boards: their order, ranks and marks, and pages that lose no row and show none twice."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.durations import DAY
from chalicelib.core.identity import PLAYER_ID
from chalicelib.ratings.board import BOOKMARK, Bookmark, Row, board, page, shown
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.model import Partition, Standing
from tests.ratings.books import GLOBAL

POOL = Partition("POOL", "chess/classical")
NOW = 1_770_000_000_000
NO_RUNS = Runs()

members = st.sampled_from([f"m{number:02d}" for number in range(30)])
values = st.tuples(st.floats(-50, 100), st.sampled_from((2.0, 5.0, 8.0)))
standings = st.builds(lambda values, games: Standing(values, games, 0, 0, NOW - DAY, 1), values, st.integers(1, 20))
boards = st.dictionaries(members, standings, max_size=30)


def names(rows: tuple[Row, ...]) -> list[str]:
    return [row.shown.subject for row in rows]


def walked(steps: list[dict[str, Standing]], limit: int) -> list[Row]:
    """All pages, each of the board as it stands by then; the last step stays."""
    seen: list[Row] = []
    bookmark, number = None, 0
    while True:
        now = bookmark.as_of_ms if bookmark else NOW
        rows = board(GLOBAL, steps[min(number, len(steps) - 1)], NO_RUNS, now)
        some = page(rows, now, bookmark, limit)
        seen += some.rows
        number += 1
        if some.next is None:
            return seen
        bookmark = Bookmark.of_text(some.next.text)


@given(boards)
def test_provisional_ones_come_last_and_the_ordinal_decides(standings: dict[str, Standing]) -> None:
    rows = board(GLOBAL, standings, NO_RUNS, NOW)

    assert sorted(names(rows)) == sorted(standings)
    for one, other in pairwise(rows):
        first, second = one.shown, other.shown
        assert (first.is_provisional, -first.value) <= (second.is_provisional, -second.value)
        if (first.is_provisional, first.value) == (second.is_provisional, second.value):
            assert first.subject < second.subject


@given(boards)
def test_a_rank_says_how_many_are_better(standings: dict[str, Standing]) -> None:
    rows = board(GLOBAL, standings, NO_RUNS, NOW)

    for row in rows:
        mine = (row.shown.is_provisional, -row.shown.value)
        assert row.rank == 1 + sum((other.shown.is_provisional, -other.shown.value) < mine for other in rows)


@given(boards, st.integers(1, 7))
def test_the_pages_together_are_the_board(standings: dict[str, Standing], limit: int) -> None:
    assert walked([standings], limit) == list(board(GLOBAL, standings, NO_RUNS, NOW))


@given(boards, st.lists(boards, max_size=6), st.integers(1, 7))
def test_who_stays_is_seen_once_whoever_comes_and_goes(
    staying: dict[str, Standing], others: list[dict[str, Standing]], limit: int
) -> None:
    steps = [{**coming, **staying} for coming in others] or [staying]

    seen = [row.shown.subject for row in walked(steps, limit)]

    assert all(seen.count(subject) == 1 for subject in staying)


def test_a_page_that_ends_with_the_board_has_no_next() -> None:
    rows = board(GLOBAL, {name: Standing((25.0, 8.0), 1, 0, 0, NOW, 1) for name in "ab"}, NO_RUNS, NOW)

    assert page(rows, NOW, None, 2).next is None
    assert page(rows, NOW, None, 1).next is not None
    assert page((), NOW, None, 1).next is None


def test_time_alone_moves_no_row_between_two_pages() -> None:
    """At four o'clock the resting one falls behind the playing one; a reader who began before sees both once."""
    resting = Standing((28.0, 5.0), 20, 10, 0, NOW - 40 * DAY, 1)
    playing = Standing((27.95, 5.0), 20, 10, 0, NOW, 1)
    standings = {"resting": resting, "playing": playing}
    day = date(2026, 2, 2)
    before = Runs(day, day).at_ms(day) - 1
    ledgers = [Runs(), Runs(day, day)]

    first = page(board(GLOBAL, standings, ledgers[0], before), before, None, 1)
    assert first.next
    second = page(board(GLOBAL, standings, ledgers[1], first.next.as_of_ms), first.next.as_of_ms, first.next, 5)

    assert names(first.rows) + names(second.rows) == ["resting", "playing"]
    assert names(board(GLOBAL, standings, ledgers[1], before + 1)) == ["playing", "resting"]


@given(
    st.integers(-(10**15) + 1, 10**15 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.from_regex(PLAYER_ID, fullmatch=True),
    st.from_regex(PLAYER_ID, fullmatch=True),
)
def test_a_bookmark_survives_as_text(now: int, provisional: bool, value: float, member: str, other: str) -> None:
    for subject in (member, f"{member}+{other}"):
        bookmark = Bookmark(now, (provisional, value, subject))

        assert BOOKMARK.fullmatch(bookmark.text)
        assert Bookmark.of_text(bookmark.text) == bookmark


@pytest.mark.parametrize("text", ["", "5", "5:2:1.0:anna", "5:1:nan:anna", "5:1:1.0:", "x:1:1.0:anna", "5:1:inf:a"])
def test_other_text_is_no_bookmark(text: str) -> None:
    with pytest.raises(ValueError, match="no bookmark"):
        Bookmark.of_text(text)


def test_a_pool_lists_by_rating_and_leaves_out_who_rests_too_long() -> None:
    month = 30 * DAY
    standings = {
        "best": Standing((1900.0, 60.0, 0.06), 30, 20, 0, NOW, 1),
        "resting": Standing((2000.0, 60.0, 0.06), 300, 200, 0, NOW - 12 * month, 1),
        "gone": Standing((2100.0, 60.0, 0.06), 300, 200, 0, NOW - 13 * month, 1),
        "next": Standing((1850.0, 45.0, 0.06), 30, 20, 0, NOW, 1),
        "young": Standing((2200.0, 50.0, 0.06), 29, 20, 0, NOW, 1),
    }

    rows = board(POOL, standings, NO_RUNS, NOW)

    assert [(row.rank, row.shown.subject) for row in rows] == [(1, "resting"), (2, "best"), (3, "next")]
    assert rows[0].shown.label == "2000 ±109"


def test_a_rating_is_marked_while_it_is_not_settled() -> None:
    new = Standing((1662.2, 290.2, 0.06), 1, 1, 0, NOW, 1)
    settled = Standing((1500.4, 80.4, 0.06), 20, 1, 0, NOW, 1)

    assert shown(POOL, "anna", new, NO_RUNS, NOW).label == "1662? ±290"
    assert shown(POOL, "bert", settled, NO_RUNS, NOW).label == "1500 ±80"
    assert shown(POOL, "bert", settled, NO_RUNS, NOW + 400 * DAY).is_provisional
