"""What clients see of games: the shapes, and the way from a game to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from chalicelib.clock import clock as clocks
from chalicelib.core.sides import Side
from chalicelib.games import events
from chalicelib.games.due import due
from chalicelib.games.history import Entry, history
from chalicelib.games.invitations import Forecast, refusal_to
from chalicelib.games.model import Colour, Game, Invitation, Origin, Status
from chalicelib.ratings.addresses import address
from chalicelib.ratings.board import Shown
from chalicelib.rules import referee

Millis = Annotated[int, Meta(description="milliseconds")]
Instant = Annotated[int, Meta(description="milliseconds since the epoch, UTC")]
SideName = Literal["white", "black"]


class EventView(msgspec.Struct, omit_defaults=True):
    """One event of a game. `version` is the one it made; balances are live ones right after it.

    `used_ms` is what the event took off an account; a window that pays back what a correction took has less than 0.
    Acts of a referee have the id under which they stand in the audit log as `act`; `undoes` is the version that an act
    made which was taken back.
    """

    version: int
    type: Literal[
        "accepted",
        "move",
        "draw_offered",
        "draw_declined",
        "end",
        "paused",
        "resumed",
        "adjusted",
        "reinstated",
        "undone",
        "shifted",
    ]
    at_ms: Instant
    ply: int
    by: SideName | None = None
    white_ms: Millis | None = None
    black_ms: Millis | None = None
    move: str | None = None
    used_ms: Millis | None = None
    increment_ms: Millis | None = None
    lapsed_ms: Millis | None = None
    overrun_ms: Millis | None = None
    lag_ms: Millis | None = None
    reason: str | None = None
    winner: SideName | None = None
    side: SideName | None = None
    requested_ms: Millis | None = None
    applied_ms: Millis | None = None
    window: str | None = None
    from_ms: Instant | None = None
    act: str | None = None
    undoes: int | None = None


class AccountView(msgspec.Struct):
    """One side's time. `remaining_ms` stood when the turn started; `live_ms` is what is left at `now_ms`."""

    remaining_ms: Millis
    live_ms: Millis
    profile: str


class ClockView(msgspec.Struct):
    """The clock. `deadline_ms` ends the running turn; `running` is null while nothing runs."""

    white: AccountView
    black: AccountView
    running: SideName | None
    turn_started_ms: Instant
    deadline_ms: Instant | None
    deadline_cause: Literal["time", "no_start", "guillotine"] | None
    paused_at_ms: Instant | None
    pause_reasons: list[str]


class ResultView(msgspec.Struct):
    """How the game ended; `winner` null is a draw, or no result for an aborted game."""

    reason: str
    winner: SideName | None
    score: Literal["1-0", "0-1", "1/2-1/2", "*"]
    at_ms: Instant


class PoolRatingView(msgspec.Struct):
    """A rating in a pool, which players read as `1500? ±350`; only a provisional one has the mark."""

    rating: int
    margin: int
    provisional: bool


class ForecastView(msgspec.Struct):
    """What the ratings in the pool of the game say to who looks at an invitation.

    `expected_score` is between 0 and 1; it and `theirs` are null for one's own seek, which has no opponent yet.
    `may_accept` says whether the invitation is for the viewer to accept.
    """

    pool: Annotated[str, Meta(description="the address of the pool", examples=["pool:chess:rapid"])]
    mine: PoolRatingView
    theirs: PoolRatingView | None
    expected_score: float | None
    may_accept: bool


class InvitationView(msgspec.Struct):
    """An invitation not accepted yet; `opponent` null: anybody may accept.

    Where games are read, a `forecast` for who reads stands beside it; beside refusals it is null.
    """

    challenger: str
    opponent: str | None
    colour: Colour
    expires_at_ms: Instant
    rating_range: tuple[int, int] | None
    forecast: ForecastView | None


class OfferView(msgspec.Struct):
    """An open draw offer, bound to a ply."""

    by: SideName
    ply: int


class Seats(msgspec.Struct):
    """Player ids; null while an invitation leaves a seat open."""

    white: str | None
    black: str | None


class GameView(msgspec.Struct):
    """A game as it stands at `now_ms`, with the events after the version asked for."""

    id: str
    kind: str
    version: int
    status: Status
    origin: Origin
    event: str | None
    rated: bool
    players: Seats
    profiles: Seats
    setup: str | None
    position: str
    ply: int
    to_move: SideName
    created_ms: Instant
    released_ms: Instant | None
    now_ms: Instant
    clock: ClockView | None
    invitation: InvitationView | None
    offer: OfferView | None
    claims: list[str]
    result: ResultView | None
    events: list[EventView]


class GameCard(msgspec.Struct):
    """A game in a list, seen by one player."""

    id: str
    kind: str
    version: int
    status: Status
    event: str | None
    rated: bool
    colour: SideName | None
    opponent: str | None
    position: str
    ply: int
    last_move: str | None
    turn_started_ms: Instant | None
    live_ms: Millis | None
    deadline_ms: Instant | None
    offer: OfferView | None
    invitation: InvitationView | None
    result: ResultView | None


class MyGames(msgspec.Struct):
    """A player's games: my turn by deadline, theirs by oldest move, paused ones always shown (U36)."""

    now_ms: Instant
    my_turn: list[GameCard]
    their_turn: list[GameCard]
    paused: list[GameCard]
    waiting: list[GameCard]
    challenges_in: list[GameCard]
    challenges_out: list[GameCard]
    finished: list[GameCard]


class GameCards(msgspec.Struct):
    """One page of a list; `next` is the cursor of the next page."""

    games: list[GameCard]
    next: str | None


class PairedView(msgspec.Struct):
    """The games of a bulk pairing, in the order of its boards."""

    id: str
    event: str
    release_at_ms: Instant
    games: list[str]


def colour(side: Side | None) -> SideName | None:
    return None if side is None else side.colour


def event_view(entry: Entry) -> EventView:
    """An entry as clients see it; the answer to a command, be it the first time or repeated."""
    return EventView(
        version=entry.version,
        at_ms=entry.event.at_ms,
        ply=entry.ply,
        by=colour(entry.by),
        white_ms=entry.white_ms,
        black_ms=entry.black_ms,
        **(_played(entry, entry.event) if isinstance(entry.event, events.Moved) else _happened(entry)),
    )


def _played(entry: Entry, move: events.Moved) -> dict[str, Any]:
    return {
        "type": "move",
        "move": move.move,
        "used_ms": entry.used_ms,
        "increment_ms": entry.increment_ms,
        "lapsed_ms": entry.lapsed_ms,
        "overrun_ms": entry.overrun_ms or None,
        "lag_ms": move.lag_ms or None,
        "reason": move.end.reason if move.end else None,
        "winner": colour(move.end.winner) if move.end else None,
    }


def _happened(entry: Entry) -> dict[str, Any]:
    """What an event tells that is no move; whatever it took off an account is told with it."""
    shown: dict[str, Any] = {}
    match entry.event:
        case events.Accepted():
            shown = {"type": "accepted"}
        case events.DrawOffered():
            shown = {"type": "draw_offered"}
        case events.DrawDeclined():
            shown = {"type": "draw_declined"}
        case events.Ended(_, reason, winner):
            shown = {"type": "end", "reason": reason, "winner": colour(winner)}
        case events.Paused(_, reason) | events.Resumed(_, reason):
            kind = "paused" if isinstance(entry.event, events.Paused) else "resumed"
            shown = {"type": kind, "reason": reason}
        case events.Adjusted(_, side, requested, applied) | events.Reinstated(_, side, requested, applied):
            kind = "adjusted" if isinstance(entry.event, events.Adjusted) else "reinstated"
            shown = {"type": kind, "side": side.colour, "requested_ms": requested, "applied_ms": applied}
        case events.Undone(_, version):
            side_given = colour(entry.charged) if entry.given_ms else None
            shown = {"type": "undone", "undoes": version, "side": side_given, "applied_ms": entry.given_ms or None}
        case events.Shifted(_, window, from_ms):
            shown = {"type": "shifted", "window": window, "from_ms": from_ms}
    act = entry.event.key if isinstance(entry.event, events.RefereesEvent) else ""
    return shown | {"used_ms": entry.used_ms or None, "act": act or None}


def score(game: Game) -> Literal["1-0", "0-1", "1/2-1/2", "*"]:
    """The result as written under a game."""
    if game.result is None or game.status(game.result.at_ms) == "aborted":
        return "*"
    if game.result.winner is None:
        return "1/2-1/2"
    return "1-0" if game.result.winner is Side.WHITE else "0-1"


def game_view(game: Game, now_ms: int, since: int = 0, forecast: Forecast | None = None) -> GameView:
    """The snapshot of a game; `forecast` is that of who looks at it while it waits."""
    judge = referee(game.kind)
    is_open = game.result is None and game.clock is not None
    return GameView(
        id=game.id,
        kind=game.kind,
        version=game.version,
        status=game.status(now_ms),
        origin=game.terms.origin,
        event=game.terms.event,
        rated=game.terms.rated,
        players=Seats(game.white, game.black),
        profiles=Seats(game.profiles[0].code, game.profiles[1].code),
        setup=game.setup,
        position=game.position.notation,
        ply=game.ply,
        to_move=game.mover(game.ply).colour,
        created_ms=game.created_at_ms,
        released_ms=game.released_at_ms,
        now_ms=now_ms,
        clock=_clock_view(game, now_ms),
        invitation=_invitation_view(game, forecast),
        offer=_offer_view(game),
        claims=list(judge.claims(game.position)) if is_open else [],
        result=result_view(game),
        events=[event_view(entry) for entry in history(game)[since:]],
    )


def _clock_view(game: Game, now_ms: int) -> ClockView | None:
    clock = game.clock
    if clock is None:
        return None
    at_ms = game.result.at_ms if game.result else now_ms
    reached = due(game)
    is_running = reached is not None and now_ms >= clock.turn_started_at_ms
    return ClockView(
        white=_account_view(clock, Side.WHITE, at_ms),
        black=_account_view(clock, Side.BLACK, at_ms),
        running=clock.to_move.colour if is_running else None,
        turn_started_ms=clock.turn_started_at_ms,
        deadline_ms=reached.at_ms if reached else None,
        deadline_cause=reached.cause if reached else None,
        paused_at_ms=clock.paused_at_ms,
        pause_reasons=sorted(clock.pause_reasons),
    )


def _account_view(clock: clocks.Clock, side: Side, at_ms: int) -> AccountView:
    account = clock.account(side)
    return AccountView(account.remaining_ms, clocks.live_remaining(clock, side, at_ms), account.profile.code)


def _invitation_view(game: Game, forecast: Forecast | None) -> InvitationView | None:
    invitation = game.invitation
    if invitation is None:
        return None
    return InvitationView(
        invitation.challenger,
        invitation.opponent,
        invitation.colour,
        invitation.expires_at_ms,
        invitation.rating_range,
        _forecast_view(invitation, forecast) if forecast else None,
    )


def _forecast_view(invitation: Invitation, forecast: Forecast) -> ForecastView:
    return ForecastView(
        pool=address(forecast.pool),
        mine=_pool_rating_view(forecast.mine),
        theirs=_pool_rating_view(forecast.theirs) if forecast.theirs else None,
        expected_score=forecast.expected_score,
        may_accept=refusal_to(invitation, forecast.viewer, forecast.mine.rounded) is None,
    )


def _pool_rating_view(shown: Shown) -> PoolRatingView:
    return PoolRatingView(shown.rounded, shown.margin, shown.is_provisional)


def _offer_view(game: Game) -> OfferView | None:
    return OfferView(game.offer.by.colour, game.offer.ply) if game.offer else None


def result_view(game: Game) -> ResultView | None:
    result = game.result
    return ResultView(result.reason, colour(result.winner), score(game), result.at_ms) if result else None


def card(game: Game, player: str, now_ms: int, forecast: Forecast | None = None) -> GameCard:
    """A game as a line in a player's list; `forecast` is theirs while it waits."""
    side = game.side_of(player)
    clock, reached = game.clock, due(game)
    at_ms = game.result.at_ms if game.result else now_ms
    return GameCard(
        id=game.id,
        kind=game.kind,
        version=game.version,
        status=game.status(now_ms),
        event=game.terms.event,
        rated=game.terms.rated,
        colour=colour(side),
        opponent=game.player(side.other) if side is not None else None,
        position=game.position.notation,
        ply=game.ply,
        last_move=_last_move(game),
        turn_started_ms=clock.turn_started_at_ms if clock else None,
        live_ms=clocks.live_remaining(clock, clock.to_move, at_ms) if clock else None,
        deadline_ms=reached.at_ms if reached else None,
        offer=_offer_view(game),
        invitation=_invitation_view(game, forecast),
        result=result_view(game),
    )


def _last_move(game: Game) -> str | None:
    moves = (event.move for event in game.log.backwards() if isinstance(event, events.Moved))
    return next(moves, None)


def my_games(
    running: list[Game], ended: list[Game], player: str, now_ms: int, forecasts: Mapping[str, Forecast]
) -> MyGames:
    """Sort a player's games into the groups in which a client shows them; `forecasts` by id, of those that wait."""
    groups: dict[str, list[Game]] = {"active": [], "paused": [], "created": [], "finished": list(ended)}
    for game in running:
        groups.get(game.status(now_ms), []).append(game)
    active = sorted(groups["active"], key=_deadline)
    mine = [game for game in active if game.mover(game.ply) is game.side_of(player)]
    theirs = [game for game in active if game.mover(game.ply) is not game.side_of(player)]
    invitations = [game for game in groups["created"] if game.invitation]
    cards = {
        "my_turn": mine,
        "their_turn": sorted(theirs, key=_turn_started),
        "paused": sorted(groups["paused"], key=_turn_started),
        "waiting": [game for game in groups["created"] if not game.invitation],
        "challenges_in": [g for g in invitations if g.invitation and g.invitation.challenger != player],
        "challenges_out": [g for g in invitations if g.invitation and g.invitation.challenger == player],
        "finished": sorted(groups["finished"], key=_ended, reverse=True),
    }
    views = {
        name: [card(game, player, now_ms, forecasts.get(game.id)) for game in games] for name, games in cards.items()
    }
    return MyGames(now_ms=now_ms, **views)


def _deadline(game: Game) -> int:
    reached = due(game)
    return reached.at_ms if reached else 0


def _ended(game: Game) -> int:
    return game.result.at_ms if game.result else 0


def _turn_started(game: Game) -> int:
    return game.clock.turn_started_at_ms if game.clock else 0
