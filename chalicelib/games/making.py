"""How games come into being: by challenge, by seek, by the pairing of an event. Pure."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock.profiles import Profile
from chalicelib.core.durations import DAY, HOUR
from chalicelib.games.events import Log
from chalicelib.games.history import beginning
from chalicelib.games.model import Colour, Game, Invitation, Origin, Terms
from chalicelib.rules.referee import Referee

INVITATION_OPEN: Final = 14 * DAY
LIVE_INVITATION_OPEN: Final = HOUR
"""How long an invitation waits for an answer: to a correspondence game, and to a live one."""


class Match(Struct, frozen=True):
    """What kind of game is to be played, under which clock. `profiles` are those of (white, black)."""

    kind: str
    setup: str | None
    profiles: tuple[Profile, Profile]
    rated: bool


def invitation(
    match: Match,
    now_ms: int,
    *,
    challenger: str,
    opponent: str | None,
    colour: Colour,
    rating_range: tuple[int, int] | None = None,
) -> Invitation:
    """An invitation to `opponent` (None: anybody), open for the time that suits the clock."""
    is_live = any(profile.is_live for profile in match.profiles)
    expires_at_ms = now_ms + (LIVE_INVITATION_OPEN if is_live else INVITATION_OPEN)
    return Invitation(challenger, opponent, colour, expires_at_ms, rating_range)


def invite(
    game_id: str, match: Match, referee: Referee, sent: Invitation, now_ms: int, *, fingerprint: str = ""
) -> Game:
    """A game that waits for its invitation to be accepted. Raises IllegalSetup."""
    origin: Origin = "seek" if sent.opponent is None else "challenge"
    terms = Terms(origin, rated=match.rated, fingerprint=fingerprint)
    return replace(_game(game_id, match, referee, terms, now_ms), invitation=sent)


def pair(game_id: str, match: Match, referee: Referee, terms: Terms, now_ms: int, release_at_ms: int) -> Game:
    """A game of an event, without players yet, whose clock runs from `release_at_ms`. Raises IllegalSetup."""
    return beginning(replace(_game(game_id, match, referee, terms, now_ms), released_at_ms=release_at_ms))


def _game(game_id: str, match: Match, referee: Referee, terms: Terms, now_ms: int) -> Game:
    position = referee.start(match.setup)
    return Game(
        id=game_id,
        kind=match.kind,
        terms=terms,
        setup=match.setup,
        position=position,
        first_to_move=referee.to_move(position),
        profiles=match.profiles,
        log=Log(now_ms),
    )
