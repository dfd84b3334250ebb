"""A game on the table of a test: commands go through `decide` with the real referee; no store, no HTTP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from chalicelib.clock.profiles import Profile, named
from chalicelib.core.durations import DAY
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.decide import Outcome, decide
from chalicelib.games.making import Match, invitation, invite, pair
from chalicelib.games.model import Colour, Game, Terms
from chalicelib.rules import referee
from chalicelib.watch.model import Window

T0 = 1_772_323_200_000
ANNA, BERT, CARL = "anna", "bert", "carl"
LONG = named("30-30-1")
PLAIN = Profile("plain", 30 * DAY, increment_ms=DAY, cap_ms=30 * DAY)
"""30-30-1 without first-move limit and grace."""


def match(
    profile: Profile = PLAIN, kind: str = "chess", setup: str | None = None, black: Profile | None = None
) -> Match:
    return Match(kind, setup, (profile, black or profile), rated=True)


def invited(
    wanted: Match | None = None,
    *,
    opponent: str | None = BERT,
    colour: Colour = "white",
    now_ms: int = T0,
    rating_range: tuple[int, int] | None = None,
) -> Game:
    """Anna's challenge to Bert, or her seek when `opponent` is None."""
    wanted = wanted or match()
    sent = invitation(wanted, now_ms, challenger=ANNA, opponent=opponent, colour=colour, rating_range=rating_range)
    return invite("game", wanted, referee(wanted.kind), sent, now_ms)


@dataclass
class Table:
    """A game, and the time. Anna plays White, Bert plays Black unless a test says otherwise."""

    game: Game
    now_ms: int = T0
    window: Window | None = None

    def do(self, command: ask.Command, at_ms: int | None = None) -> Outcome:
        """Carry the command out and keep what comes of it; `at_ms` also becomes the time."""
        if at_ms is not None:
            self.now_ms = at_ms
        outcome = decide(
            self.game, command, self.now_ms, referee(self.game.kind), (self.window,) if self.window else ()
        )
        self.game = outcome.game
        return outcome

    def wait(self, ms: int) -> Table:
        self.now_ms += ms
        return self

    def play(self, moves: str, every_ms: int = 0) -> Table:
        """Play the moves, from the ply that stands, each side for itself."""
        for move in moves.split():
            self.wait(every_ms)
            outcome = self.do(ask.Move(self.to_move, self.game.ply, move))
            assert outcome.refusal is None, outcome.refusal
        return self

    @property
    def to_move(self) -> str:
        return self.player(self.game.mover(self.game.ply))

    def player(self, side: Side) -> str:
        seated = self.game.player(side)
        assert seated is not None
        return seated

    @property
    def deadline(self) -> int:
        """The deadline of the account that runs, from its definition."""
        clock = self.game.clock
        assert clock is not None
        return clock.turn_started_at_ms + clock.account(clock.to_move).remaining_ms

    @property
    def result(self) -> tuple[str, Side | None, int] | None:
        ended = self.game.result
        return (ended.reason, ended.winner, ended.at_ms) if ended else None

    def refused(self, command: ask.Command, at_ms: int | None = None) -> str:
        """The code of a refusal that leaves the game as it was."""
        before = self.game
        outcome = self.do(command, at_ms)
        assert outcome.entry is None
        assert outcome.refusal is not None
        assert outcome.refusal.detail
        assert outcome.game == before
        return outcome.refusal.code


def accepted(wanted: Match | None = None, now_ms: int = T0) -> Table:
    """Anna's challenge, accepted by Bert; Anna plays White."""
    table = Table(invited(wanted, now_ms=now_ms), now_ms)
    assert table.do(ask.Accept(BERT, Side.BLACK)).refusal is None
    return table


def paired(wanted: Match | None = None, *, release_at_ms: int = T0, **terms: Any) -> Table:
    """A game of an event between Anna and Bert, made at T0."""
    wanted = wanted or match()
    game = pair("game", wanted, referee(wanted.kind), Terms("pairing", event="cup", **terms), T0, release_at_ms)
    return Table(replace(game, white=ANNA, black=BERT))


def both_moved(wanted: Match | None = None, **terms: Any) -> Table:
    """A paired game after a move of each side, both at T0: accounts full, White to move."""
    return paired(wanted, **terms).play("e2e4 e7e5")
