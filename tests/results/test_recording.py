"""A result, its marks and the conditions of its club are one commit, whoever else is at it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace
from pynamodb.exceptions import TransactWriteError

from chalicelib.clubs import acts
from chalicelib.clubs.calendar import MOST_SEASONS
from chalicelib.clubs.model import Season
from chalicelib.clubs.store import commit_club, load_club
from chalicelib.ratings.edits import normalised
from chalicelib.ratings.model import Partition, Played
from chalicelib.results import linking, recording, store, truth
from chalicelib.results.answers import StaleVersion
from chalicelib.results.model import Result, Seat
from tests.races.conftest import rounds, together
from tests.results.conftest import NOON, Club, stored

GLOBAL = Partition("GLOBAL")
WIDE = date(2026, 1, 1), date(2026, 3, 31)
Decide = Callable[[Result], Result]


def setting(version: int, **fields: Any) -> Decide:
    """An edit by somebody who has seen this version."""

    def decide(current: Result) -> Result:
        if current.version != version:
            raise StaleVersion(current)
        return replace(current, **fields)

    return decide


def log(club: Club, partition: Partition | None = None) -> list[Played]:
    """What the waiting changes of a log come to, from an empty one."""
    waiting = [edit for change in club.waiting(partition) for edit in change.edits]
    return sorted((edit.played for edit in normalised(waiting) if edit.played), key=lambda game: game.place)


def test_a_result_and_the_marks_of_its_logs_come_together(club: Club) -> None:
    spring = club.season("spring", date(2026, 1, 1), date(2026, 6, 30))
    all_year = club.season("year", date(2026, 1, 1), date(2026, 12, 31))
    event = club.event("cup")
    result = club.result(event=event)
    for partition in (Partition("CLUB", club.id), Partition("EVENT", event), spring, all_year):
        change = club.waiting(partition)[-1]
        assert [edit.played for edit in change.edits] == [
            Played(NOON, result.id, tuple(s.member for s in result.a), tuple(s.member for s in result.b), "A")
        ]
    assert any(edit.result_id == result.id for change in club.waiting(GLOBAL) for edit in change.edits)


def test_a_move_between_clubs_and_events_that_are_full_of_seasons_is_one_step(club: Club, another: Club) -> None:
    for full in (club, another):
        before = load_club(full.id)
        seasons = tuple(Season(f"s{number}", "S", *WIDE) for number in range(MOST_SEASONS))
        commit_club(before, replace(before, seasons=seasons, version=before.version + 1), {})
    acts.enrol(another.id, club.name("rita"), "rita", ["recorder"], None)
    result = club.result(event=club.event("cup"))
    move = setting(1, club=another.id, event=another.event("other cup"))
    moved = recording.change(club.id, result.id, club.name("rita"), move)
    assert stored(another.id, result.id) == moved
    assert [len(log(of, Partition("SEASON", f"{of.id}/s{MOST_SEASONS - 1}"))) for of in (club, another)] == [0, 1]


def test_a_move_to_another_club_is_one_step_and_leaves_a_signpost(club: Club, another: Club) -> None:
    result = club.result()
    here, there = Partition("CLUB", club.id), Partition("CLUB", another.id)
    acts.enrol(another.id, club.name("rita"), "rita", ["recorder"], None)
    move = setting(1, club=another.id)
    moved = recording.change(club.id, result.id, club.name("rita"), move, "move")
    assert (moved.club, moved.version) == (another.id, 2)
    assert stored(another.id, result.id) == stored(club.id, result.id) == moved
    assert (log(club, here), [game.id for game in log(club, there)]) == ([], [result.id])
    assert list(truth.played_in(here)) == []
    assert [game.id for game in truth.played_in(there)] == [result.id]
    # Repeated where it was sent first, it finds what it did; and no second result can be made there.
    assert recording.change(club.id, result.id, club.name("rita"), move, "move") == moved
    assert recording.enter(replace(result, version=1, requests=()), "test") == moved
    back = recording.change(club.id, result.id, club.name("rita"), setting(2, club=club.id))
    assert (back.club, back.version) == (club.id, 3)
    assert stored(another.id, result.id) == stored(club.id, result.id) == back
    assert len(log(club, here)) == 1 and log(club, there) == []


def test_of_two_editors_one_wins_and_the_other_hears_of_it(club: Club) -> None:
    for number in range(rounds(6)):
        result = club.result(number)

        def edit(winner: str, result: Result = result) -> str:
            try:
                edited = setting(1, winner=winner)
                return recording.change(club.id, result.id, club.name("rita"), edited, winner).winner
            except StaleVersion as error:
                return f"stale: {error.current.winner}"

        outcomes = together([partial(edit, "B"), partial(edit, "")])
        after = stored(club.id, result.id)
        assert after is not None and after.version == 2
        assert sorted(outcomes) == sorted([after.winner, f"stale: {after.winner}"])
        assert log(club)[-1].winner == after.winner or log(club)[-1].id != result.id
    assert [game.winner for game in log(club)] == [game.winner for game in truth.played_in(Partition("CLUB", club.id))]


def test_many_recorders_of_one_club_all_get_through(club: Club) -> None:
    results = together([partial(club.result, number, played_at_ms=NOON + number) for number in range(8)])
    assert [game.id for game in log(club)] == [result.id for result in results]
    assert list(truth.played_in(Partition("CLUB", club.id))) == log(club)


def test_a_result_and_a_season_that_moves_agree_in_the_end(club: Club) -> None:
    """Whichever comes first: the season is reloaded after its edit, or the result is marked in it as well."""
    for number in range(rounds(6)):
        season = club.season(f"s{number}", date(2026, 3, 1), date(2026, 3, 31))

        together([partial(club.widen, season, WIDE), partial(club.result, number)])
        assert any(change.reload for change in club.waiting(season))
        assert f"r{number}{club.id}" in [game.id for game in truth.played_in(season)]


def test_a_season_that_moves_under_an_edit_makes_it_decide_anew(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    season = club.season("spring", date(2026, 3, 1), date(2026, 3, 31))
    commit, moved = store.commit, list[bool]()

    def late(*arguments: Any) -> None:
        if not moved:
            moved.append(True)
            club.widen(season, WIDE)
            club.let_go(season)
        commit(*arguments)

    monkeypatch.setattr(store, "commit", late)
    result = club.result()
    assert [edit.result_id for change in club.waiting(season) for edit in change.edits] == [result.id]


@pytest.mark.parametrize("is_new", [True, False])
def test_an_answer_that_got_lost_is_given_again(club: Club, monkeypatch: pytest.MonkeyPatch, is_new: bool) -> None:
    """The transaction got through, its answer did not: the same request again finds what it did."""
    draft = club.result(0)
    act: Callable[[], Result] = partial(club.result, 1)
    if not is_new:
        act = partial(recording.change, club.id, draft.id, club.name("rita"), setting(1, winner="B"), "mark")
    commit = store.commit

    def lost(*arguments: Any) -> None:
        commit(*arguments)
        raise TransactWriteError("the connection was lost")

    with monkeypatch.context() as broken:
        broken.setattr(store, "commit", lost)
        with pytest.raises(TransactWriteError):
            act()
    marks = club.waiting()
    done = act()
    assert done == act() == stored(club.id, done.id)
    assert club.waiting() == marks


def test_a_commit_that_was_sent_twice_is_no_failure(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first sending got through and the second met its own result: that is success."""
    result, commit = club.result(), store.commit

    def twice(*arguments: Any) -> None:
        commit(*arguments)
        commit(*arguments)

    monkeypatch.setattr(store, "commit", twice)
    edited = recording.change(club.id, result.id, club.name("rita"), setting(1, winner="B"), "mark")
    assert (edited.version, edited.winner) == (2, "B")
    assert club.result(2).version == 1
    deleted = recording.change(club.id, result.id, club.name("rita"), lambda now: replace(now, deleted=True))
    assert (deleted.deleted, deleted.version) == (True, 3)


def test_a_deleted_result_is_in_no_log_and_no_list(club: Club) -> None:
    event = club.event("cup")
    result = club.result(event=event)
    gone = recording.change(club.id, result.id, club.name("rita"), lambda now: replace(now, deleted=True))
    assert gone.version == 2
    for partition in (Partition("CLUB", club.id), Partition("EVENT", event), GLOBAL):
        assert result.id not in [game.id for game in truth.played_in(partition)]
    assert store.page_of_club(club.id, 10).results == store.page_of_event(event, 10).results == []
    assert log(club) == []


def test_the_truth_is_in_the_order_of_places_whatever_the_arrival(club: Club) -> None:
    instants = [NOON, NOON - 1, -3_000_000_000_000, NOON, 5]
    for number, at_ms in enumerate(instants):
        club.result(number, played_at_ms=at_ms, exclude_from_rating=number == 1)
    expected = sorted((at_ms, f"r{n}{club.id}") for n, at_ms in enumerate(instants) if n != 1)
    assert [game.place for game in truth.played_in(Partition("CLUB", club.id))] == expected
    spring = club.season("spring", date(2026, 1, 10), date(2026, 1, 10))
    assert [game.place for game in truth.played_in(spring)] == expected[-2:]
    assert list(truth.played_in(Partition("SEASON", f"{club.id}/none"))) == []


def test_what_a_result_named_before_is_not_asked_for_again(club: Club) -> None:
    result = club.result()
    acts.dismiss(club.id, club.name("carl"))
    assert recording.change(club.id, result.id, club.name("rita"), setting(1, winner="B")).winner == "B"


def test_a_guest_who_is_linked_while_results_come_in_counts_in_all_of_them(club: Club) -> None:
    anna, emil = club.name("anna"), club.name("emil")
    for number in range(rounds(4)):
        guest = club.guest(f"guest{number}")
        sides = {"a": (Seat(anna),), "b": (Seat(guest=guest),)}
        club.result(10 * number, **sides)
        link = partial(linking.link, club.id, guest, emil, anna)
        results = [partial(club.result, 10 * number + more, **sides) for more in (1, 2)]
        together([link, *results])
        for more in range(3):
            found = stored(club.id, f"r{10 * number + more}{club.id}")
            assert found is not None and found.b == (Seat(emil, guest),)
    games = list(truth.played_in(Partition("CLUB", club.id)))
    assert {game.b for game in games} == {(emil,)}
    assert log(club) == games
