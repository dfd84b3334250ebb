"""The law of the replay: after any edits, a partial replay leaves every bit as a full rebuild would."""

from __future__ import annotations

from datetime import date
from math import inf, nan
from random import Random

import pytest
from msgspec.structs import replace

from chalicelib.core.durations import DAY
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.edits import beyond
from chalicelib.ratings.model import Line, Partition, Played, Snapshot, Standing, Winner
from chalicelib.ratings.replay import Model, NotFinite, Rules, States, rebuild, replay, rules_of
from tests.ratings.books import GLOBAL, Books, bits, from_scratch, through_storage

PARTITIONS = (GLOBAL, Partition("CLUB", "c1"), Partition("CLUB", "c2"), Partition("EVENT", "e1"))
POOL = Partition("POOL", "chess/blitz")
MEMBERS = "abcdefgh"
INSTANTS = 40
"""Few enough that results often share one."""

RULES = {
    "default": Rules(),
    "guest only": Rules(pair_default_opponent="guest_only"),
    "decay in replay": Rules(runs=Runs(date(2026, 1, 20), date(2026, 3, 15))),
    "pool": Rules(model="glicko2"),
}
START_MS = 1_767_225_600_000
EDITS = 400
EDITS_IN_RULES_THAT_READ_CALENDARS = 100


def random_played(random: Random, result_id: str, *, pool: bool) -> Played:
    """Two sides of none to two members, as guests leave them; in a pool one against one. Three days between instants,
    so that some standings decay."""
    some = random.sample(MEMBERS, 4)
    size_a, size_b = (1, 1) if pool else random.choice([(2, 2), (2, 2), (2, 2), (1, 1), (1, 2), (2, 1), (2, 0), (0, 1)])
    winner: Winner = random.choice(("A", "B", ""))
    at_ms = START_MS + random.randrange(INSTANTS) * 3 * DAY
    return Played(at_ms, result_id, tuple(some[:size_a]), tuple(some[2 : 2 + size_b]), winner)


def random_edit(random: Random, books: Books, *, pool: bool) -> None:
    """Enter, exclude, correct, move in time or between partitions."""
    result_id = f"r{random.randrange(30):02d}"
    if random.random() < 0.25:
        books.exclude(result_id)
        return
    partitions = [POOL] if pool else random.sample(PARTITIONS, random.randint(1, 3))
    played = random_played(random, result_id, pool=pool)
    _, before = books.results.get(result_id, (0, None))
    if before and random.random() < 0.5:
        other = random.choice(("A", "B", ""))
        played = replace(before.played, winner=other)
    books.enter(played, *partitions)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("dying", [False, True], ids=["whole passes", "passes that die and go on"])
def test_partial_replay_is_full_rebuild_in_every_bit(rules: Rules, dying: bool) -> None:
    random = Random(f"{rules}{dying}")
    books = Books(rules, random if dying else None)
    for _ in range(EDITS_IN_RULES_THAT_READ_CALENDARS if rules.runs else EDITS):
        random_edit(random, books, pool=rules.model == "glicko2")
        if random.random() < 0.2:
            continue
        touched = list(books.waiting)
        for edits in books.waiting.values():
            edits.extend(random.sample(edits, random.randrange(len(edits) + 1)))
            random.shuffle(edits)
        books.settle()
        for partition in touched:
            assert bits(books.logs[partition]) == bits(from_scratch(books, partition))


def test_edits_that_are_taken_in_again_change_nothing() -> None:
    random = Random(7)
    books = Books()
    for _ in range(60):
        random_edit(random, books, pool=False)
    waiting = {partition: list(edits) for partition, edits in books.waiting.items()}
    books.settle()
    before = {partition: bits(log) for partition, log in books.logs.items()}

    books.waiting.update(waiting)

    assert all(count == 0 for written in books.settle().values() for count in written.values())
    assert {partition: bits(log) for partition, log in books.logs.items()} == before


def test_a_replay_may_stop_after_any_line_and_go_on() -> None:
    random = Random(8)
    books = Books()
    for number in range(20):
        books.enter(random_played(random, f"r{number}", pool=False))
    books.settle()
    old = books.logs[GLOBAL].lines
    edits = [*books.exclude(old[3].played.id).values(), *books.exclude(old[9].played.id).values()]
    states: States = {}
    whole = list(replay(old, edits, states, 0, Rules()))

    for stop in range(1, len(whole)):
        first: States = {}
        lines = []
        for line in replay(old, edits, first, 0, Rules()):
            lines.append(line)
            if len(lines) == stop:
                break
        stored, place = through_storage(first, States), lines[-1].played.place
        rest = [line for line in old if line.played.place > place]
        lines += replay(rest, beyond(edits, place), stored, stop, Rules())
        assert lines == whole
        assert stored == states


@pytest.mark.parametrize("model", ["plackett_luce", "glicko2"])
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_R23_what_is_not_finite_stops_the_replay(model: Model, value: float) -> None:
    for broken in range(2 if model == "plackett_luce" else 3):
        good = Rules(model=model).unrated.values
        values = (*good[:broken], value, *good[broken + 1 :])
        states: States = {"individual": {"anna": Standing(values, 1, 0, 0, 0, 0)}}
        games = [Played(1, "g1", ("bert",), ("carl",), "A"), Played(2, "g2", ("anna",), ("bert",), "B")]
        lines = rebuild(games, states, 1, Rules(model=model))

        next(lines)
        with pytest.raises(NotFinite) as refused:
            next(lines)

        assert refused.value.place == (2, "g2")
        assert refused.value.subject in ("anna", "bert")


def test_what_the_arithmetic_cannot_hold_is_not_finite_either() -> None:
    states: States = {"individual": {"anna": Standing((1e5, 1.0), 1, 0, 0, 0, 0)}}

    with pytest.raises(NotFinite):
        list(rebuild([Played(1, "g", ("anna",), ("bert",), "A")], states, 1, Rules()))


def test_seeds_come_from_the_first_old_line_even_if_it_goes() -> None:
    """Without the removed line the next `before` would still hold its effect."""
    before, after = Standing((30.0, 4.0), 5, 3, 0, 1, 4), (31.0, 4.0)
    other = Standing((25.0, 5.0), 5, 3, 0, 1, 4)
    gone = Played(10, "g", ("anna",), ("bert",), "A")
    next_one = Played(20, "h", ("anna",), ("bert",), "A")
    old = [
        Line(gone, (Snapshot("anna", before, after, 1.0), Snapshot("bert", other, (24.0, 5.0), 0.0))),
        Line(next_one, (Snapshot("anna", Standing(after), after, 1.0), Snapshot("bert", other, after, 0.0))),
    ]
    books = Books()
    books.enter(gone)
    edits = list(books.exclude("g").values())

    (line,) = replay(old, edits, {}, 7, Rules())

    assert [snapshot.before for snapshot in line.individual] == [before, other]


def test_the_rules_of_a_partition() -> None:
    runs = Runs(date(2026, 1, 1), date(2026, 2, 1))

    assert rules_of(GLOBAL, "guest_only", runs) == Rules("plackett_luce", "guest_only", runs)
    assert rules_of(Partition("EVENT", "e"), "incomplete", runs).runs is None
    assert rules_of(POOL, "incomplete", runs) == Rules("glicko2")
    assert rules_of(GLOBAL, "incomplete", None).runs is None


@pytest.mark.parametrize("model", ["plackett_luce", "glicko2"])
def test_wins_draws_and_losses_are_counted(model: Model) -> None:
    winners: tuple[Winner, ...] = ("A", "A", "", "B", "", "")
    games = [Played(number, f"g{number}", ("anna",), ("bert",), winner) for number, winner in enumerate(winners)]
    states: States = {}

    lines = list(rebuild(games, states, 10, Rules(model)))

    anna, bert = states["individual"]["anna"], states["individual"]["bert"]
    assert (anna.games, anna.wins, anna.draws, anna.losses) == (6, 2, 3, 1)
    assert (bert.games, bert.wins, bert.draws, bert.losses) == (6, 1, 3, 2)
    assert (anna.last_at_ms, anna.last_no) == (5, 15)
    assert [snapshot.score for line in lines for snapshot in line.individual] == [
        *(1.0, 0.0, 1.0, 0.0),
        *(0.5, 0.5, 0.0, 1.0),
        *(0.5, 0.5, 0.5, 0.5),
    ]
