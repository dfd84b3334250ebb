"""What clients see of ratings: the shapes, and the way from standings to them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from chalicelib.ratings import glicko2
from chalicelib.ratings.addresses import address
from chalicelib.ratings.board import Page, Row, Shown, shown
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.ledger import Run
from chalicelib.ratings.model import PAIR_JOINT, Partition, Played, Projection, Snapshot, Values, Winner
from chalicelib.ratings.plackett_luce import ordinal
from chalicelib.ratings.reading import Progress

Instant = Annotated[int, Meta(description="milliseconds since the epoch, UTC")]
AsOf = Annotated[int, Meta(description="the instant as of which all values are shown, ms since the epoch, UTC")]
Address = Annotated[str, Meta(description="the address of the partition", examples=["global", "pool:chess:rapid"])]
Mu = Annotated[float, Meta(description="the strength; in pools the rating")]
Sigma = Annotated[float, Meta(description="the uncertainty; in pools the deviation")]
Volatility = Annotated[float | None, Meta(description="in pools the volatility, null elsewhere")]
Ordinal = Annotated[float, Meta(description="what is compared and shown: mu - 3 sigma; in pools the rating")]
Generation = Annotated[int, Meta(description="counts the states of the partition; all values are of this one")]


class StandingView(msgspec.Struct):
    """Somebody, or a pair, as shown at an instant: sigma has grown with the rest since the last game.

    `rank` is null for who is not on the board. A provisional standing bears the mark `?`. `margin` is sigma as a whole
    number, written `±80` beside a rating. `established_until_ms`: in pools, when the mark comes back without a game.
    """

    rank: int | None
    subject: str
    members: list[str]
    mu: Mu
    sigma: Sigma
    volatility: Volatility
    ordinal: Ordinal
    games: int
    wins: int
    losses: int
    draws: int
    last_game_ms: Instant | None
    provisional: bool
    mark: Literal["?", ""]
    margin: int
    established_until_ms: Instant | None


class BoardView(msgspec.Struct):
    """A page of a board, best first; provisional ones after the others. `total` counts the rows of all pages.

    `next` is the cursor of the next page, which is shown as of the same instant; null on the last.
    """

    partition: Address
    projection: Projection
    generation: Generation
    as_of_ms: AsOf
    total: int
    rows: list[StandingView]
    next: str | None


class RatingView(msgspec.Struct):
    """The standing of one member, or of one pair, in one partition."""

    partition: Address
    projection: Projection
    generation: Generation
    as_of_ms: AsOf
    standing: StandingView


class ValuesView(msgspec.Struct):
    """What a model knows of a subject."""

    mu: Mu
    sigma: Sigma
    volatility: Volatility


class GameRated(msgspec.Struct):
    """What one game did: the `games`th of the subject, on side A or B (in pools White is A), which scored `score`.

    `before` are the values that the game before left, `after` those that this one left. `ordinal_before` is what was
    shown right before the game, after the rest; `change` leads from there to `ordinal_after`. `id` is that of the
    result, in pools of the game.
    """

    at_ms: Instant
    id: str
    games: int
    score: float
    a: list[str]
    b: list[str]
    winner: Winner
    before: ValuesView
    after: ValuesView
    ordinal_before: Ordinal
    ordinal_after: Ordinal
    change: float


class HistoryView(msgspec.Struct):
    """The rated games of a subject, newest first; backwards they are the points of a graph. `next` is the cursor of the
    next page, null on the last."""

    partition: Address
    projection: Projection
    subject: str
    generation: Generation
    games: list[GameRated]
    next: str | None


class PredictionView(msgspec.Struct):
    """The score that side A may expect: its chance to win by the seed's formula, in pools with draws as halves.

    `unrated` have not played in the partition and stand with the start values.
    """

    partition: Address
    projection: Projection
    generation: Generation
    as_of_ms: AsOf
    a: list[str]
    b: list[str]
    expected_score: float
    unrated: list[str]


class PoolView(msgspec.Struct):
    """A pool of games and a player's standing in it; null: no game yet."""

    partition: Address
    kind: str
    time_class: str
    standing: StandingView | None


class PlayerPools(msgspec.Struct):
    """A player in all pools: every kind of game in every time class."""

    player: str
    as_of_ms: AsOf
    pools: list[PoolView]


class ReplayView(msgspec.Struct):
    """A long replay that is under way: `done` results of about `total`."""

    done: int
    total: int


class ProgressView(msgspec.Struct):
    """Whether a partition shows all that was entered: `waiting` changes are not in it yet, the oldest since
    `waiting_since_ms` (real time), nor is what a running `replay` makes. `results` counts those that it shows."""

    partition: Address
    generation: Generation
    results: int
    waiting: int
    waiting_since_ms: Instant | None
    replay: ReplayView | None


class DecayRunView(msgspec.Struct):
    """A run of the daily job: its date, and when it was entered; `caught_up`: later than on its day."""

    date: str
    ran_ms: Instant
    caught_up: bool


class DecayRunsView(msgspec.Struct):
    """The runs of the daily job, newest first. `next` is the cursor of the next page, null on the last."""

    hour: int
    zone: str
    runs: list[DecayRunView]
    next: str | None


def standing_view(partition: Partition, one: Shown, rank: int | None) -> StandingView:
    standing = one.standing
    mu, sigma, *rest = one.values
    return StandingView(
        rank=rank,
        subject=one.subject,
        members=one.subject.split(PAIR_JOINT),
        mu=mu,
        sigma=sigma,
        volatility=rest[0] if rest else None,
        ordinal=one.value,
        games=standing.games,
        wins=standing.wins,
        losses=standing.losses,
        draws=standing.draws,
        last_game_ms=standing.last_at_ms,
        provisional=one.is_provisional,
        mark="?" if one.is_provisional else "",
        margin=one.margin,
        established_until_ms=glicko2.established_until_ms(standing) if partition.scope == "POOL" else None,
    )


def row_views(partition: Partition, page: Page) -> list[StandingView]:
    return [standing_view(partition, row.shown, row.rank) for row in page.rows]


def rank_of(rows: tuple[Row, ...], subject: str) -> int | None:
    return next((row.rank for row in rows if row.shown.subject == subject), None)


def game_rated(partition: Partition, played: Played, snapshot: Snapshot, runs: Runs) -> GameRated:
    """What a game did to a subject; before it, the runs of the ledger until then counted."""
    before = shown(partition, snapshot.subject, snapshot.before, runs, played.at_ms)
    after = snapshot.after
    ordinal_after = _ordinal(after)
    return GameRated(
        at_ms=played.at_ms,
        id=played.id,
        games=snapshot.before.games + 1,
        score=snapshot.score,
        a=list(played.a),
        b=list(played.b),
        winner=played.winner,
        before=_values_view(snapshot.before.values),
        after=_values_view(after),
        ordinal_before=before.value,
        ordinal_after=ordinal_after,
        change=ordinal_after - before.value,
    )


def _ordinal(values: Values) -> float:
    mu, sigma, *is_of_pool = values
    return mu if is_of_pool else ordinal(mu, sigma)


def _values_view(values: Values) -> ValuesView:
    mu, sigma, *rest = values
    return ValuesView(mu, sigma, rest[0] if rest else None)


def pool_view(partition: Partition, standing: StandingView | None) -> PoolView:
    kind, time_class = partition.ref.split("/")
    return PoolView(address(partition), kind, time_class, standing)


def progress_view(partition: Partition, found: Progress) -> ProgressView:
    return ProgressView(
        partition=address(partition),
        generation=found.generation,
        results=found.lines,
        waiting=found.waiting,
        waiting_since_ms=found.oldest_ms,
        replay=None if found.done is None or found.total is None else ReplayView(found.done, found.total),
    )


def run_view(run: Run) -> DecayRunView:
    return DecayRunView(run.day.isoformat(), run.ran_ms, run.caught_up)
