"""Passes over a partition on the engine: what waits becomes a log, by as few writes as there are things to say."""

from __future__ import annotations

import pytest

from chalicelib.ratings import marking, reading, store
from chalicelib.ratings.edits import on_top
from chalicelib.ratings.model import Change, Edit, Played
from chalicelib.ratings.recompute import recompute
from chalicelib.ratings.waiting import in_waves, taken
from tests.ratings.club import Club, waits

pytestmark = [pytest.mark.engine, pytest.mark.usefixtures("on_engine")]


def test_new_games_at_the_end_are_batches(club: Club) -> None:
    for hour in range(5):
        club.enters(club.game(hour))
        report = club.passes()
        assert (report.outcome, report.changes, report.lines, report.segments) == ("committed", 1, 1, 1)
        assert report.rows_changed == 6
    club.check()
    control = store.control(club.partition)
    assert (control.generation, len(control.batches), control.manifest, control.lease_until_ms) == (5, 5, "", 0)
    assert waits(club) == 0


def test_a_partition_without_changes_is_clean(club: Club) -> None:
    assert club.passes().outcome == "clean"
    assert store.control(club.partition).fence == 0


def test_an_edit_among_the_batches_makes_one_of_those_that_follow(club: Club) -> None:
    for hour in range(5):
        club.enters(club.game(hour))
        club.passes()
    club.corrects("r00002", "A" if club.results["r00002"][1].winner == "B" else "B")  # type: ignore[union-attr]
    report = club.passes()
    assert (report.lines, report.segments) == (3, 1)
    assert len(store.control(club.partition).batches) == 3
    club.check()


def test_batches_become_chunks(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.MOST_BATCHES", 4)
    for hour in range(6):
        club.enters(club.game(hour))
        club.passes()
    control = store.control(club.partition)
    assert (len(control.batches), bool(control.manifest)) == (1, True)
    assert club.stored().manifest.lines == 5
    club.check()
    club.enters(*(club.game(hour) for hour in range(6, 600)))
    club.passes()
    (chunk,) = club.stored().manifest.chunks
    assert chunk.lines == 600
    club.check()


def test_edits_anywhere_in_a_long_log(club: Club) -> None:
    club.has(2_500)
    club.check()
    club.enters(club.game(100, "new"))
    club.corrects("r01300", "A")
    club.moves("r02400", 50)
    club.excludes("r00000")
    assert club.passes().outcome == "committed"
    club.check()
    for name in [name for name, (_, played) in club.results.items() if played]:
        if name != "r00007":
            club.change(name, None)
    marking.rebuild(club.partition, "anna")
    club.passes()
    club.check()
    club.excludes("r00007")
    assert club.passes().rows_changed == 6
    assert (club.lines(), reading.board(club.partition, "pair")) == ([], {})


def test_what_the_log_shows_already_changes_nothing(club: Club) -> None:
    club.has(10)
    game = club.results["r00003"][1]
    again = club.change("r00003", game)
    assert again == Change(again.id)
    repeated = Change("again", club.change("r00003", Played(0, "r00003", ("x",), ("y",), "A")).edits)
    marking.put({club.partition: repeated})
    assert club.passes().outcome == "committed"
    before = store.control(club.partition)
    marking.put({club.partition: Change("and again", repeated.edits)})
    report = club.passes()
    assert (report.outcome, report.changes, report.rows_changed) == ("unchanged", 1, 0)
    after = store.control(club.partition)
    assert (after.generation, after.manifest, after.batches) == (before.generation, before.manifest, before.batches)
    assert waits(club) == 0
    club.check()


def test_a_long_replay_goes_on_where_it_stopped(club: Club) -> None:
    club.has(4_000)
    club.enters(club.game(1_500, "new"))
    club.moves("r03000", 200)
    outcomes = []
    while waits(club):
        outcomes.append(club.passes(is_spent=lambda: True).outcome)
        progress = reading.progress(club.partition)
        assert progress.generation == 1 or not progress.waiting
    assert outcomes == ["continues"] * 3 + ["committed"]
    club.check()


def test_a_reload_goes_on_where_it_stopped(club: Club) -> None:
    club.has(100)
    for hour in range(100, 3_000):
        club.change(f"r{hour:05}", club.game(hour))
    marking.rebuild(club.partition, "anna")
    outcomes = [club.passes(is_spent=lambda: True).outcome for _ in range(3)]
    assert outcomes == ["continues", "continues", "committed"]
    club.check()


@pytest.mark.parametrize("in_parts", [False, True])
def test_a_reload_keeps_edits_that_the_results_do_not_show_yet(
    club: Club, monkeypatch: pytest.MonkeyPatch, in_parts: bool
) -> None:
    """The items of a transaction become visible one by one: a change may be seen before its result."""
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 8)
    club.has(20)
    shown = list(club.truth(club.partition))
    club.enters(club.game(5, "new"))
    club.corrects("r00007", "A")
    club.corrects("r00007", "B")
    club.moves("r00003", 30)
    club.excludes("r00015")
    marking.rebuild(club.partition, "anna")
    while waits(club):
        recompute(club.partition, lambda _, edits: on_top(shown, edits), lambda: in_parts)
    club.check()


def test_a_reload_leaves_nothing_that_was_marked_before_it(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look met the reload, but passed over a change that had been there before."""
    club.has(20)
    before = list(club.truth(club.partition))
    club.enters(club.game(5, "out of the season now"))
    marking.rebuild(club.partition, "anna")
    looks = [[change for change in marking.waiting(club.partition) if change.reload]]
    look = marking.waiting
    monkeypatch.setattr(marking, "waiting", lambda partition: looks.pop() if looks else look(partition))
    recompute(club.partition, lambda *_: before, lambda: False)
    assert waits(club) == 0
    assert [line.played for line in club.lines()] == before


def test_a_reload_takes_a_result_once_that_has_moved_on_since_its_change(club: Club) -> None:
    club.has(20)
    club.moves("r00003", 30)
    moved = marking.waiting(club.partition)[0]
    club.moves("r00003", 40)
    (later,) = [change for change in marking.waiting(club.partition) if change.id != moved.id]
    marking.let_go(club.partition, [[later.id]])
    marking.rebuild(club.partition, "anna")
    club.passes()
    assert [line.played.id for line in club.lines()].count("r00003") == 1
    marking.put({club.partition: later})
    club.passes()
    club.check()


def test_batches_become_chunks_in_parts(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chalicelib.ratings.recompute.CHUNK_LINES", 4)
    monkeypatch.setattr("chalicelib.ratings.recompute.MOST_BATCHES", 8)
    club.has(3)
    for hour in range(3, 12):
        club.enters(club.game(hour))
        club.passes(is_spent=lambda: True)
    while waits(club):
        club.passes(is_spent=lambda: True)
    assert store.control(club.partition).batches == ()
    club.check()


def test_of_one_result_no_edit_is_passed_over() -> None:
    edits = {name: Edit(result, version) for name, (result, version) in EDITS.items()}
    changes = {name: Change(name, (edit,)) for name, edit in edits.items()} | {
        "both": Change("both", (Edit("r", 2), Edit("v", 2)))
    }
    look = [changes["r3"], changes["s3"], changes["t1"]]
    chosen = taken(look, list(changes.values()))
    assert {change.id for change in chosen} == {"r1", "r3", "s1", "s3", "t1", "v1", "both"}
    assert [set(wave) for wave in in_waves(chosen)] == [{"r1", "s1", "t1", "v1"}, {"s3", "both"}, {"r3"}]


def test_a_look_that_was_slower_than_who_lets_go() -> None:
    """The second look saw an edit, then somebody let go of it and of the later one, which it missed."""
    first, later = Change("1", (Edit("r", 1), Edit("s", 1))), Change("2", (Edit("r", 2),))
    assert taken([first, later], [first]) == ()
    assert taken([later, first], [later]) == (later,)


EDITS = {
    "r1": ("r", 1),
    "r3": ("r", 3),
    "s1": ("s", 1),
    "s3": ("s", 3),
    "s4": ("s", 4),
    "t1": ("t", 1),
    "u1": ("u", 1),
    "v1": ("v", 1),
}
