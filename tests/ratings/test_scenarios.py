"""The scenarios of tests/cases/rating_scenarios.json, and those that the ratings page lists without numbers, as far as
they are about pure rules. The ids are in the names; what a scenario needs of a store is tested with the store."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from itertools import islice, permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from chalicelib.core.durations import DAY, HOUR
from chalicelib.ratings import glicko2
from chalicelib.ratings.board import board, shown
from chalicelib.ratings.decay import Runs, due_dates
from chalicelib.ratings.edits import Rated, beyond, edits_between, normalised, since
from chalicelib.ratings.model import Line, Partition, Played, Projection, Standing, Winner, pair_of
from chalicelib.ratings.plackett_luce import START, ordinal, rate_sides
from chalicelib.ratings.replay import NotFinite, Rules, States, rebuild, replay
from tests.ratings.books import GLOBAL, Books, bits, from_scratch, through_storage

CASES = Path(__file__).parents[1] / "cases" / "rating_scenarios.json"
SCENARIOS: dict[str, Any] = {case["id"]: case for case in json.loads(CASES.read_text())["scenarios"]}

CLUB, CLUB_2 = Partition("CLUB", "c1"), Partition("CLUB", "c2")
E1, E2 = Partition("EVENT", "e1"), Partition("EVENT", "e2")
S1, S2 = Partition("SEASON", "c1/s1"), Partition("SEASON", "c1/s2")
EVERYWHERE = (GLOBAL, CLUB, E1)

AB_CD, AC_BD, BC_AD = (("a", "b"), ("c", "d")), (("a", "c"), ("b", "d")), (("b", "c"), ("a", "d"))


def expected(scenario: str) -> Any:
    return SCENARIOS[scenario]["expected"]


def instant(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1_000)


def game(at_ms: int, result_id: str, sides: tuple[tuple[str, ...], tuple[str, ...]], winner: Winner) -> Played:
    return Played(at_ms, result_id, *sides, winner)


def near(rows: dict[str, Standing], wanted: dict[str, dict[str, float]]) -> bool:
    """Whether the rows are those of a case: the same subjects, at the tolerance of the contract."""
    return rows.keys() == wanted.keys() and all(
        rows[subject].values == pytest.approx((row["mu"], row["sigma"]), abs=1e-9)
        and rows[subject].games == row.get("games", rows[subject].games)
        for subject, row in wanted.items()
    )


G1, G2, G3 = game(1, "g1", AB_CD, "A"), game(2, "g2", AC_BD, "A"), game(3, "g3", BC_AD, "B")


def base() -> Books:
    """The history of R01b."""
    books = Books()
    for played in (G1, G2, G3):
        books.enter(played, *EVERYWHERE)
    books.settle()
    return books


def test_R01_the_oldest_of_three_results_is_corrected() -> None:
    books = base()
    assert near(books.rows(), expected("R01b"))

    books.enter(replace(G1, winner="B"), *EVERYWHERE)

    assert near(books.rows(), expected("R01"))


def test_R02_a_result_moves_from_one_event_to_another() -> None:
    books = base()
    g9 = game(9, "g9", (("x", "y"), ("a", "b")), "A")
    books.enter(g9, GLOBAL, CLUB, E1)
    books.settle()

    edits = books.enter(g9, GLOBAL, CLUB, E2)
    written = books.settle()

    wanted = expected("R02")
    assert {"#".join((p.scope, p.ref)) for p in edits} == {"CLUB#c1", "EVENT#e1", "EVENT#e2", "GLOBAL#"}
    assert near(books.rows(E1), wanted["event_e1"])
    assert near(books.rows(E2), wanted["event_e2"])
    assert written[GLOBAL]["individual"] == written[CLUB]["individual"] == wanted["global_rows_written"] == 0
    assert written[E1]["individual"] == wanted["event_e1_row_writes"]


def test_R03_a_result_is_excluded_and_counts_again() -> None:
    books = base()
    original = bits(books.logs[GLOBAL])

    books.exclude("g2")
    assert near(books.rows(), expected("R03")["while_excluded"])

    books.enter(G2, *EVERYWHERE)
    books.settle()
    assert bits(books.logs[GLOBAL]) == original


SIDES = {
    "R04": ((("a", "b"), ()), "A"),
    "R05": ((("a",), ("b", "c")), "A"),
    "R05b": ((("a",), ("b",)), "B"),
    "R05c": ((("a",), ()), "A"),
}


@pytest.mark.parametrize("scenario", SIDES)
def test_R04_R05_guests_on_a_side(scenario: str) -> None:
    sides, winner = SIDES[scenario]
    wanted = expected(scenario)
    for default_opponent, key in (("incomplete", "pair_no_pair_rule"), ("guest_only", "pair_strict_guest_only_rule")):
        books = Books(Rules(pair_default_opponent=default_opponent))  # type: ignore[arg-type]
        books.enter(game(1, "g", sides, winner))

        assert near(books.rows(), wanted["individual"])
        assert near(books.rows(projection="pair"), wanted.get(key, wanted.get("pair")))


def test_R04_the_default_opponent_is_never_stored_and_stays_new() -> None:
    books = Books()
    for number in range(5):
        books.enter(game(number, f"g{number}", (("a", "b"), ()), "A"))

    rows = books.rows(projection="pair")

    assert rows.keys() == {"a+b"}
    last = books.logs[GLOBAL].lines[-1].pair
    assert last[0].after == rate_sides([last[0].before.values], [START], "A")[0]


def test_R06b_a_result_that_does_not_rate_touches_nothing() -> None:
    books = base()

    assert books.exclude("unfinished") == {}
    assert edits_between("unfinished", 1, None, None) == {}


def test_R10_one_instant_is_ordered_by_id_whatever_came_first() -> None:
    wanted = expected("R10")["rows"]
    games = game(5, "id-a", AB_CD, "A"), game(5, "id-b", AB_CD, "B")
    for arriving in permutations(games):
        books = Books()
        for played in arriving:
            books.enter(played)
            books.settle()
        assert near(books.rows(), wanted)


LAST_GAME = instant("2026-01-01T20:00:00+00:00")


def ledger(last: str, first: str = "2026-02-01") -> Runs:
    return Runs(date.fromisoformat(first), date.fromisoformat(last))


def check_shown(books: Books, subject: str, runs: Runs, wanted: dict[str, Any]) -> None:
    now = runs.at_ms(runs.last) + 20 * HOUR if runs.last else 0
    seen = shown(GLOBAL, subject, books.rows()[subject], runs, now)
    got = {
        "mu": seen.values[0],
        "sigma": seen.values[1],
        "ordinal": seen.value,
        "games": seen.standing.games,
        "provisional": seen.is_provisional,
    }
    assert got == pytest.approx(wanted, abs=1e-9)


def rested() -> Books:
    books = Books()
    books.logs[GLOBAL].rows["individual"]["m"] = Standing((28.0, 5.0), 20, 10, 0, LAST_GAME, 19)
    return books


def test_R11_a_run_for_the_same_day_is_the_same_run() -> None:
    runs = ledger("2026-02-01")
    check_shown(rested(), "m", runs, expected("R11")["after_first"])

    again = due_dates(runs, runs.at_ms(date(2026, 2, 1)) + HOUR)

    assert again == ()


def test_R12_missed_days_are_caught_up_and_the_board_moves_with_them() -> None:
    runs = ledger("2026-02-01")
    due = due_dates(runs, runs.at_ms(date(2026, 2, 5)))
    assert due == tuple(date(2026, 2, day) for day in (2, 3, 4, 5))

    caught_up = replace(runs, last=due[-1])

    check_shown(rested(), "m", caught_up, expected("R12")["with_catch_up"])
    rival = Standing((27.3, 5.0), 20, 10, 0, LAST_GAME + 30 * DAY, 30)
    standings = {**rested().rows(), "rival": rival}
    orders = [
        [row.shown.subject for row in board(GLOBAL, standings, some, some.at_ms(date(2026, 2, 5)) + HOUR)]
        for some in (runs, caught_up)
    ]
    assert orders == [["m", "rival"], ["rival", "m"]]


MN_OP = (("m", "n"), ("o", "p"))


def season_of_sixty(rules: Rules | None = None) -> Books:
    """The history of R14 without its runs."""
    books = Books(rules or Rules())
    start = instant("2025-09-01T18:00:00+00:00")
    for number in range(60):
        winner: Winner = "A" if "AABAB"[number % 5] == "A" else "B"
        books.enter(game(start + number * DAY, f"k{number:03d}", MN_OP, winner))
    books.enter(game(LAST_GAME, "o1", MN_OP, "A"))
    books.settle()
    return books


def test_R14_a_replay_neither_loses_runs_nor_doubles_them() -> None:
    wanted = expected("R14")
    books, runs = season_of_sixty(), ledger("2026-02-10")
    assert books.rows()["m"].values[1] == pytest.approx(wanted["m_snapshot_sigma"], abs=1e-9)
    check_shown(books, "m", runs, wanted["m_before"])

    books.enter(game(instant("2026-02-10T19:00:00+00:00"), "x1", (("q", "r"), ("s", "t")), "A"))
    written = books.settle()

    check_shown(books, "m", runs, wanted["m_after_partial"])
    assert written[GLOBAL]["individual"] == wanted["rows_written_by_partial"]
    books.logs[GLOBAL] = from_scratch(books, GLOBAL)
    check_shown(books, "m", runs, wanted["m_after_full_rebuild"])


COMEBACK = game(instant("2026-02-11T20:00:00+00:00"), "o2", MN_OP, "B")


def test_R15_a_comeback_starts_from_what_the_last_game_left() -> None:
    wanted = expected("R15")["recommended_overlay"]
    books, runs = season_of_sixty(), ledger("2026-02-10")

    books.enter(COMEBACK)

    check_shown(books, "m", runs, wanted["row"])
    before = books.logs[GLOBAL].lines[-1].individual[0].before
    assert before.values[1] == pytest.approx(wanted["snapshot_sigma_before"], abs=1e-9)


def test_R15_in_the_variant_a_comeback_starts_from_the_decayed_sigma() -> None:
    wanted = expected("R15")["variant_decay_in_replay"]
    runs = ledger("2026-02-10")
    books = season_of_sixty(Rules(runs=runs))

    books.enter(COMEBACK)

    check_shown(books, "m", runs, wanted["row"])
    snapshot = books.logs[GLOBAL].lines[-1].individual[0]
    sigma = shown(GLOBAL, "m", snapshot.before, runs, COMEBACK.at_ms).values[1]
    assert sigma == pytest.approx(wanted["snapshot_sigma_before"], abs=1e-9)


LATER = game(instant("2026-01-20T20:00:00+00:00"), "o4", MN_OP, "A")


def test_R16_the_last_game_goes_and_the_rest_counts_from_the_one_before() -> None:
    wanted = expected("R16")
    books, runs = season_of_sixty(), ledger("2026-02-24")
    books.enter(LATER)
    check_shown(books, "m", runs, wanted["before"])
    assert runs.since(books.rows()["m"].last_at_ms) == wanted["runs_counted_before"]

    books.exclude("o4")

    check_shown(books, "m", runs, wanted["after"])
    assert runs.since(books.rows()["m"].last_at_ms) == wanted["runs_counted_after"]


def test_R17_a_late_entry_takes_decay_back() -> None:
    books, runs = season_of_sixty(), ledger("2026-02-24")
    check_shown(books, "m", runs, expected("R17")["before"])

    books.enter(LATER)

    check_shown(books, "m", runs, expected("R17")["after"])


def test_R20_a_sure_win_can_raise_sigma_and_lower_the_ordinal() -> None:
    wanted = expected("R20")

    a, b = rate_sides([(60.0, 1.0)], [(0.0, 1.0)], "A")

    assert a == pytest.approx((wanted["a"]["mu"], wanted["a"]["sigma"]), abs=1e-9)
    assert b == pytest.approx((wanted["b"]["mu"], wanted["b"]["sigma"]), abs=1e-9)
    assert ordinal(*a) == pytest.approx(wanted["a"]["ordinal_after"], abs=1e-9)


def test_R21_an_edit_that_comes_while_a_pass_runs_is_taken_in_by_the_next() -> None:
    """Whether the edits are taken in together or one after the other, in either order of their versions' places."""
    together, apart = base(), base()
    for books in (together, apart):
        books.enter(replace(G1, winner="B", at_ms=7), *EVERYWHERE)
        if books is apart:
            books.settle()
        books.enter(replace(G1, winner="", at_ms=2), *EVERYWHERE)

    assert since(together.waiting[GLOBAL]) == (1, "g1")
    assert since(apart.waiting[GLOBAL]) == (2, "g1")
    together.settle()
    apart.settle()
    assert bits(together.logs[GLOBAL]) == bits(apart.logs[GLOBAL]) == bits(from_scratch(apart, GLOBAL))


def alternating(count: int) -> Books:
    books = Books()
    for number in range(count):
        books.enter(game(number, f"g{number:02d}", MN_OP, "A" if number % 2 == 0 else "B"))
    return books


def test_R22_provisional_below_ten_rated_games() -> None:
    wanted = expected("R22")
    check_shown(alternating(9), "m", Runs(), wanted["after_9"])
    books = alternating(10)
    check_shown(books, "m", Runs(), wanted["after_10"])

    books.exclude("g03")

    check_shown(books, "m", Runs(), wanted["one_excluded"])


def test_R22_provisional_in_every_projection_for_itself() -> None:
    books = alternating(9)
    books.enter(game(20, "g", (("m", "q"), ("o", "p")), "A"))

    assert not books.rows()["m"].is_provisional
    assert books.rows(projection="pair")["m+n"].is_provisional
    assert not books.rows(projection="pair")["o+p"].is_provisional


def test_R23_nothing_is_written_and_a_mu_of_zero_is_a_value() -> None:
    wanted = expected("R23")["mu_zero"]
    states: States = {"individual": {"a": Standing((0.0, 3.0), 1, 1, 0, 0, 0)}}
    list(rebuild([Played(1, "g", ("a",), ("b",), "A")], states, 1, Rules()))
    assert near(states["individual"], wanted)

    states["individual"]["a"] = Standing((float("nan"), 3.0), 1, 1, 0, 0, 0)
    before = dict(states["individual"])
    with pytest.raises(NotFinite):
        list(rebuild([Played(2, "h", ("a",), ("b",), "A")], states, 2, Rules()))
    assert states["individual"] == before


def test_R24_a_pass_over_the_same_edits_writes_no_row() -> None:
    books = base()
    before = bits(books.logs[GLOBAL])
    edits = edits_between("g1", 1, None, Rated(EVERYWHERE, G1))

    books.waiting[GLOBAL].append(edits[GLOBAL])
    written = books.settle()

    assert written[GLOBAL] == {"individual": expected("R24")["row_writes"], "pair": 0}
    assert bits(books.logs[GLOBAL]) == before


def test_R26_a_time_that_crosses_a_season_boundary_touches_each_season_from_its_own_place() -> None:
    old = replace(G1, at_ms=instant("2026-01-10T20:00:00+00:00"))
    new = replace(G1, at_ms=instant("2026-07-01T00:00:00+02:00"))

    edits = edits_between("g1", 2, Rated((*EVERYWHERE, S1), old), Rated((*EVERYWHERE, S2), new))

    names = {GLOBAL: "GLOBAL:None", CLUB: "CLUB:c1", E1: "EVENT:e1", S1: "SEASON:s1", S2: "SEASON:s2"}
    assert {names[partition]: {"since": since([edit])[0] / 1_000} for partition, edit in edits.items()} == expected(
        "R26"
    )["dirty"]
    assert edits[S1].played is None
    assert edits[S2].clear == ()


def test_R27_a_result_that_changes_clubs_touches_both() -> None:
    edits = edits_between("g1", 2, Rated((GLOBAL, CLUB, E1), G1), Rated((GLOBAL, CLUB_2, E1), G1))

    assert {f"{partition.scope}:{partition.ref or None}" for partition in edits} == set(expected("R27")["dirty"])


def test_R28_a_guest_who_becomes_a_member_counts_from_his_first_game() -> None:
    books = Books()
    alone = game(1, "h1", (("a",), ("c", "d")), "A")
    books.enter(alone, GLOBAL, CLUB)
    books.enter(game(2, "h2", AB_CD, "A"), GLOBAL, CLUB)
    books.settle()

    edits = books.enter(replace(alone, a=("a", "b")), GLOBAL, CLUB)

    assert {partition: since([edit]) for partition, edit in edits.items()} == {GLOBAL: (1, "h1"), CLUB: (1, "h1")}
    assert books.rows()["b"].games == 2
    assert books.rows(projection="pair").keys() == {"a+b", "c+d"}
    assert bits(books.logs[CLUB]) == bits(from_scratch(books, CLUB))


def test_R29_a_pair_has_no_order() -> None:
    books = Books()
    books.enter(game(1, "g1", (("a", "b"), ("c", "d")), "A"))
    books.enter(game(2, "g2", (("d", "c"), ("b", "a")), "A"))

    assert pair_of(("b", "a")) == pair_of(("a", "b")) == "a+b"
    assert {subject: row.games for subject, row in books.rows(projection="pair").items()} == {"a+b": 2, "c+d": 2}


def test_R30_swapped_labels_change_no_bit() -> None:
    swapped = Books()
    flipped: dict[Winner, Winner] = {"A": "B", "B": "A", "": ""}
    for played in (G1, G2, G3):
        swapped.enter(Played(played.at_ms, played.id, played.b, played.a, flipped[played.winner]), *EVERYWHERE)
    projections: tuple[Projection, ...] = ("individual", "pair")

    for projection in projections:
        assert swapped.rows(projection=projection) == base().rows(projection=projection)


def test_R31_both_are_rated_from_the_values_before_the_game() -> None:
    wanted = expected("R31")

    white, black = glicko2.rate_game((1800.0, 60.0, 0.06), (1500.0, 350.0, 0.06), 0.0)

    assert white == pytest.approx(wanted["white"], abs=1e-6)
    assert black == pytest.approx(wanted["black"], abs=1e-6)


POOL = Partition("POOL", "gomoku/blitz")


def test_R33_two_games_that_end_at_one_instant_both_count() -> None:
    states: States = {
        "individual": {
            "x": Standing((1500.0, 200.0, 0.06), 40, 20, 0, 1_000, 0),
            "y": Standing((1500.0, 60.0, 0.06), 40, 20, 0, 1_000, 0),
            "z": Standing((1500.0, 60.0, 0.06), 40, 20, 0, 1_000, 0),
        }
    }
    games = [Played(1_000, "g1", ("x",), ("y",), "A"), Played(1_000, "g2", ("z",), ("x",), "A")]

    list(rebuild(games, states, 1, Rules("glicko2")))

    assert states["individual"]["x"].values == pytest.approx(expected("R33")["after_both"], abs=1e-6)


@pytest.mark.parametrize("case", expected("R34"), ids=lambda case: f"{case['games']}-{case['rd']}")
def test_R34_a_pool_lists_thirty_games_and_an_established_rating(case: dict[str, Any]) -> None:
    standings = {"x": Standing((1500.0, float(case["rd"]), 0.06), case["games"], 0, 0, 5_000, 1)}

    assert bool(board(POOL, standings, Runs(), 5_000)) is case["on"]


def test_R35_a_rating_does_not_run_away() -> None:
    wanted = expected("R35")

    white, black = glicko2.rate_game((4000.0, 45.0, 0.06), (400.0, 45.0, 0.06), 0.0)

    assert white == pytest.approx(wanted["white"], abs=1e-6)
    assert black == pytest.approx(wanted["black"], abs=1e-6)


def test_R36_storage_keeps_every_bit() -> None:
    value = 8.177962604389991
    assert float(Decimal(repr(value))) == value
    standing = Standing((25.0 / 3.0, value), 1, 1, 0, 5, 0)

    assert through_storage(standing, Standing) == standing
    rounded = replace(standing, values=(standing.values[0], round(value, 9)))
    assert rebuilt_from(rounded) != rebuilt_from(standing)


def rebuilt_from(standing: Standing) -> list[Line]:
    return list(rebuild([Played(9, "g", ("a",), ("b",), "A")], {"individual": {"a": standing}}, 1, Rules()))


def test_R37_twenty_continuations_come_to_the_same() -> None:
    books = season_of_sixty()
    old = books.logs[GLOBAL].lines
    edits = books.enter(replace(old[0].played, winner="B")).values()
    whole = list(replay(old, edits, {}, 0, Rules()))

    lines: list[Line] = []
    states: States = {}
    for _ in range(20):
        place = lines[-1].played.place if lines else (0, "")
        rest = [line for line in old if line.played.place > place]
        left = beyond(edits, place) if lines else edits
        going = replay(rest, left, states, len(lines), Rules())
        lines += islice(going, 3)
        states = through_storage(states, States)

    assert lines == whole[:60]


def test_R38_an_instant_is_a_number_and_not_its_spelling() -> None:
    first, second = instant("2026-01-01T10:00:00+00:00"), instant("2026-01-01T11:00:00.000+01:00")
    rated = [Rated(EVERYWHERE, replace(G1, at_ms=each)) for each in (first, second)]

    assert edits_between("g1", 2, *rated) == {}


def test_R39_edits_within_minutes_are_all_kept() -> None:
    """Nothing but the version tells two edits of a result apart, and nothing else is needed."""
    edits = [edits_between("g1", version, None, Rated(EVERYWHERE, G1))[GLOBAL] for version in (1, 3, 2)]

    (merged,) = normalised(edits)

    assert (merged.version, merged.played) == (3, G1)
