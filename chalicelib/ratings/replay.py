"""The replay of a log through its model: pure, streaming, the same bits from wherever it starts.

A subject starts from its standing in `states`, else from the first `before` that the old lines have for it, else from
the start values. Nothing is inverted, and nothing is added on top (decision 4.1.6 of the ratings page).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from math import isfinite
from typing import Final, Literal

from msgspec import Struct

from chalicelib.ratings import glicko2, plackett_luce
from chalicelib.ratings.decay import Runs, decays, shown_sigma
from chalicelib.ratings.edits import normalised
from chalicelib.ratings.model import (
    Edit,
    Line,
    Partition,
    Place,
    Played,
    Projection,
    Snapshot,
    Standing,
    Values,
    Winner,
)
from chalicelib.ratings.plackett_luce import rate_1v1, rate_2v2, rate_sides
from chalicelib.ratings.projections import PairDefaultOpponent, Subjects, individuals, pairs, subjects

Model = Literal["plackett_luce", "glicko2"]
Standings = dict[str, Standing]
States = dict[Projection, Standings]
Snapshots = tuple[Snapshot, ...]

UNRATED: Final[dict[Model, Standing]] = {
    "plackett_luce": Standing(plackett_luce.START),
    "glicko2": Standing(glicko2.START),
}
"""The standing of a subject without a game, by model."""

Outcome = tuple[float, int, int]
"""A game for one side: its score, and whether it is a win and a draw to be counted."""

_WON: Final[Outcome] = (1.0, 1, 0)
_DREW: Final[Outcome] = (0.5, 0, 1)
_LOST: Final[Outcome] = (0.0, 0, 0)
_OUTCOMES: Final[dict[Winner, tuple[Outcome, Outcome]]] = {"A": (_WON, _LOST), "B": (_LOST, _WON), "": (_DREW, _DREW)}

_TWO: Final = 2
_NEW: Final = UNRATED["plackett_luce"]
_DEFAULT_OPPONENT: Final = (plackett_luce.START,)


class NotFinite(ArithmeticError):
    """A rating would be infinite or no number at all: nothing of the replay may be stored."""

    def __init__(self, subject: str, place: Place) -> None:
        super().__init__(f"{subject} at {place}")
        self.subject = subject
        self.place = place


class Rules(Struct, frozen=True):
    """How a partition is rated. `runs` is the ledger of decay if a game is to start from the decayed sigma
    (`decay_in_replay`), else None."""

    model: Model = "plackett_luce"
    pair_default_opponent: PairDefaultOpponent = "incomplete"
    runs: Runs | None = None

    @property
    def unrated(self) -> Standing:
        return UNRATED[self.model]

    @property
    def projections(self) -> tuple[Projection, ...]:
        return ("individual",) if self.model == "glicko2" else ("individual", "pair")


def rules_of(partition: Partition, pair_default_opponent: PairDefaultOpponent, runs_in_replay: Runs | None) -> Rules:
    """The rules of a partition under the settings of the deployment."""
    return Rules(
        model="glicko2" if partition.scope == "POOL" else "plackett_luce",
        pair_default_opponent=pair_default_opponent,
        runs=runs_in_replay if decays(partition) else None,
    )


def wanted(edits: Iterable[Edit], rules: Rules) -> dict[Projection, set[str]]:
    """The subjects of the results that edits put in: they may need a standing before an old line mentions them."""
    inserted = [edit.played for edit in normalised(edits) if edit.played]
    return {
        projection: {
            subject
            for played in inserted
            for subject in subjects(projection, played.a, played.b, rules.pair_default_opponent)
        }
        for projection in rules.projections
    }


def first_befores(old: Iterable[Line], subjects_wanted: Mapping[Projection, set[str]]) -> States:
    """The standings of these subjects when the old lines begin, of those that occur in them. Reads no more than it
    needs. A subject that is missing stands as the board before these lines has it, or has never played."""
    missing = {projection: set(some) for projection, some in subjects_wanted.items()}
    found: States = {projection: {} for projection in missing}
    for line in old:
        if not any(missing.values()):
            break
        for projection, names in missing.items():
            for snapshot in _snapshots(line, projection):
                if snapshot.subject in names:
                    names.discard(snapshot.subject)
                    found[projection][snapshot.subject] = snapshot.before
    return found


def replay(old: Iterable[Line], edits: Iterable[Edit], states: States, first_no: int, rules: Rules) -> Iterator[Line]:
    """The lines that follow from the old ones, from `since(edits)` on, when the edits are taken in. Lazy.

    `states` must have the standings of the `wanted` subjects, as far as they have any; it is kept up to date: after any
    line it says where all subjects stand that were met so far. So a caller may stop after a line, store the states and
    its place, and go on later with the old lines after that place, `beyond(edits, place)`, and the next number.
    A subject that has no game at the end (`games == 0`) is to lose its row.

    Raises NotFinite before a bad value leaves it; `states` is of no use then.
    """
    return rebuild(_edited(old, normalised(edits), states), states, first_no, rules)


def rebuild(played: Iterable[Played], states: States, first_no: int, rules: Rules) -> Iterator[Line]:
    """The lines of results in order of place, the first of them number `first_no` of the log. For `states` see
    `replay`; a whole log begins with none."""
    rated = _glicko2_lines if rules.model == "glicko2" else _plackett_luce_lines
    return rated(played, states, first_no, rules)


def changed(before: Mapping[str, Standing], after: Mapping[str, Standing]) -> dict[str, Standing | None]:
    """The rows that a replay changes: new standings, None for a row that goes. What counts as row writes.

    `before` has the stored rows of all subjects in `after`; a subject without games has no row.
    """
    rows: dict[str, Standing | None] = {}
    for subject, standing in after.items():
        row = standing if standing.games else None
        if before.get(subject) != row:
            rows[subject] = row
    return rows


def _edited(old: Iterable[Line], edits: tuple[Edit, ...], states: States) -> Iterator[Played]:
    """What is played when the edits are taken in, in order. On its way past the old lines, removed ones too, it gives
    every subject that has no standing yet the one it had before the first of them."""
    cleared = {place for edit in edits for place in edit.clear}
    inserted = sorted((edit.played for edit in edits if edit.played), key=lambda played: played.place)
    waiting = iter(inserted)
    coming = next(waiting, None)
    for line in old:
        place = line.played.place
        while coming and coming.place < place:
            yield coming
            coming = next(waiting, None)
        _seed(states, line)
        if place not in cleared:
            yield line.played
    while coming:
        yield coming
        coming = next(waiting, None)


def _seed(states: States, line: Line) -> None:
    individual = states.setdefault("individual", {})
    for snapshot in line.individual:
        if snapshot.subject not in individual:
            individual[snapshot.subject] = snapshot.before
    if line.pair:
        pair = states.setdefault("pair", {})
        for snapshot in line.pair:
            if snapshot.subject not in pair:
                pair[snapshot.subject] = snapshot.before


def _snapshots(line: Line, projection: Projection) -> Snapshots:
    return line.individual if projection == "individual" else line.pair


def _plackett_luce_lines(played: Iterable[Played], states: States, first_no: int, rules: Rules) -> Iterator[Line]:
    individual = states.setdefault("individual", {})
    pair = states.setdefault("pair", {})
    default_opponent, runs = rules.pair_default_opponent, rules.runs
    for no, game in enumerate(played, first_no):
        a, b = individuals(game.a, game.b)
        singles = _rated(individual, a, b, game, no, runs) if a else ()
        a, b = pairs(game.a, game.b, default_opponent)
        yield Line(game, singles, _rated(pair, a, b, game, no, runs) if a or b else ())


def _rated(known: Standings, a: Subjects, b: Subjects, game: Played, no: int, runs: Runs | None) -> Snapshots:
    """Rate a game in one projection. A side without subjects is the default opponent, of whom nothing is kept."""
    size = len(a)
    try:
        if size == len(b) == _TWO and runs is None:
            return _two_on_two(known, a, b, game, no)
        if size == len(b) == 1 and runs is None:
            return _one_on_one(known, a, b, game, no)
        befores = [known.get(subject, _NEW) for subject in a + b]
        values = [before.values if runs is None else _decayed(before, game.at_ms, runs) for before in befores]
        afters = rate_sides(values[:size] or _DEFAULT_OPPONENT, values[size:] or _DEFAULT_OPPONENT, game.winner)
    except (OverflowError, ZeroDivisionError) as error:
        raise NotFinite((a + b)[0], game.place) from error
    for_a, for_b = _OUTCOMES[game.winner]
    outcomes = (for_a,) * size + (for_b,) * len(b)
    return tuple(map(partial(_kept, known, game, no), a + b, befores, afters if a else afters[1:], outcomes))


def _two_on_two(known: Standings, a: Subjects, b: Subjects, game: Played, no: int) -> Snapshots:
    """The hot path of single members: the same as `_rated`, without lists."""
    a1, a2 = a
    b1, b2 = b
    was_a1, was_a2, was_b1, was_b2 = known.get(a1, _NEW), known.get(a2, _NEW), known.get(b1, _NEW), known.get(b2, _NEW)
    now_a1, now_a2, now_b1, now_b2 = rate_2v2(was_a1.values, was_a2.values, was_b1.values, was_b2.values, game.winner)
    for_a, for_b = _OUTCOMES[game.winner]
    return (
        _kept(known, game, no, a1, was_a1, now_a1, for_a),
        _kept(known, game, no, a2, was_a2, now_a2, for_a),
        _kept(known, game, no, b1, was_b1, now_b1, for_b),
        _kept(known, game, no, b2, was_b2, now_b2, for_b),
    )


def _one_on_one(known: Standings, a: Subjects, b: Subjects, game: Played, no: int) -> Snapshots:
    """The hot path of pairs: the same as `_rated`, without lists."""
    (a1,), (b1,) = a, b
    was_a1, was_b1 = known.get(a1, _NEW), known.get(b1, _NEW)
    now_a1, now_b1 = rate_1v1(was_a1.values, was_b1.values, game.winner)
    for_a, for_b = _OUTCOMES[game.winner]
    return (
        _kept(known, game, no, a1, was_a1, now_a1, for_a),
        _kept(known, game, no, b1, was_b1, now_b1, for_b),
    )


def _decayed(standing: Standing, at_ms: int, runs: Runs) -> Values:
    """What a game starts from if decay counts in the replay. The standing before the game stays what it was: the runs
    are added to it whenever it is read, so a replay that is seeded with it adds them once."""
    mu, sigma = standing.values
    return mu, shown_sigma(sigma, runs.since(standing.last_at_ms, at_ms))


def _glicko2_lines(played: Iterable[Played], states: States, first_no: int, rules: Rules) -> Iterator[Line]:
    known = states.setdefault("individual", {})
    unrated = rules.unrated
    for no, game in enumerate(played, first_no):
        (white,), (black,) = game.a, game.b
        for_white, for_black = _OUTCOMES[game.winner]
        before_white, before_black = known.get(white, unrated), known.get(black, unrated)
        try:
            after_white, after_black = glicko2.rate_game(
                glicko2.at(before_white, game.at_ms), glicko2.at(before_black, game.at_ms), for_white[0]
            )
        except (ArithmeticError, ValueError) as error:
            raise NotFinite(white, game.place) from error
        # The clamps turn an infinite value into a bound, so what went in is looked at too.
        for subject, values in ((white, before_white.values + after_white), (black, before_black.values + after_black)):
            if not isfinite(sum(values)):
                raise NotFinite(subject, game.place)
        snapshots = (
            _kept(known, game, no, white, before_white, after_white, for_white),
            _kept(known, game, no, black, before_black, after_black, for_black),
        )
        yield Line(game, snapshots)


def _kept(
    known: Standings, game: Played, no: int, subject: str, before: Standing, after: Values, outcome: Outcome
) -> Snapshot:
    """The snapshot of a subject, whose standing becomes what it is after the game. The hottest lines of a replay."""
    if not isfinite(after[0] + after[1]):
        raise NotFinite(subject, game.place)
    score, win, draw = outcome
    known[subject] = Standing(after, before.games + 1, before.wins + win, before.draws + draw, game.at_ms, no)
    return Snapshot(subject, before, after, score)
