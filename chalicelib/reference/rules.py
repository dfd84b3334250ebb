"""The rules for players, rendered from the constants by which the server plays (settled 34)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from chalicelib.clock.profiles import (
    BLITZ_LIMIT,
    CORRESPONDENCE_GRACE,
    FIRST_MOVE_LIMIT,
    LIVE_FIRST_MOVE_LIMIT,
    LONGEST_ACCOUNT,
    NAMED,
    RAPID_LIMIT,
)
from chalicelib.games.draws import OFFER_PAUSE
from chalicelib.games.making import INVITATION_OPEN, LIVE_INVITATION_OPEN
from chalicelib.games.model import ABORTED_REASONS
from chalicelib.games.playing import ABORT_PLIES
from chalicelib.ratings.board import POOL_GAMES
from chalicelib.ratings.decay import REST
from chalicelib.ratings.glicko2 import START
from chalicelib.ratings.model import PROVISIONAL_BELOW
from chalicelib.reference.profiles import Millis, profile_text
from chalicelib.reference.texts import Language, counted, spelled, text
from chalicelib.watch.model import LONGEST_SILENCE

Outcome = Literal["decisive", "draw", "either", "none"]


class Constants(msgspec.Struct):
    """The numbers by which the server plays, beside those of the profiles."""

    first_move_limit_ms: Millis = FIRST_MOVE_LIMIT
    live_first_move_limit_ms: Millis = LIVE_FIRST_MOVE_LIMIT
    grace_ms: Millis = CORRESPONDENCE_GRACE
    longest_account_ms: Millis = LONGEST_ACCOUNT
    longest_silence_ms: Millis = LONGEST_SILENCE
    invitation_open_ms: Millis = INVITATION_OPEN
    live_invitation_open_ms: Millis = LIVE_INVITATION_OPEN
    abort_plies: Annotated[int, Meta(description="plies up to which a game may be aborted")] = ABORT_PLIES
    offer_pause: Annotated[int, Meta(description="own moves between two draw offers")] = OFFER_PAUSE
    blitz_limit_ms: Millis = BLITZ_LIMIT
    rapid_limit_ms: Millis = RAPID_LIMIT
    start_rating: Annotated[int, Meta(description="rating of who is new in a pool")] = round(START[0])
    pool_games: Annotated[int, Meta(description="games in a pool before its board lists a player")] = POOL_GAMES
    provisional_below: Annotated[
        int, Meta(description="rated games before a club's rating is more than provisional")
    ] = PROVISIONAL_BELOW
    rest_ms: Annotated[Millis, Meta(description="time without a game after which a club's rating grows uncertain")] = (
        REST
    )
    rating_model: Annotated[str, Meta(description="the model of the ratings in pools")] = "Glicko-2"
    flag_rule: Annotated[str, Meta(description="the rule that makes a draw of a win on time without a mate")] = (
        "FIDE 6.9"
    )


class Section(msgspec.Struct):
    """A chapter of the rules."""

    key: str
    title: str
    paragraphs: list[str]


class EndRule(msgspec.Struct):
    """A way for a game to end. `reason` is that of results; `rates`: whether a rated game counts that ends so."""

    reason: str
    outcome: Outcome
    rates: bool
    text: str


class Rules(msgspec.Struct):
    """The rules in one language, and the constants they quote."""

    language: Language
    constants: Constants
    sections: list[Section]
    ends: list[EndRule]


SECTIONS: Final[dict[str, tuple[str, ...]]] = {
    "account": ("model", "absence", "display", "controls"),
    "start": ("correspondence", "live"),
    "flag": ("loss", "grace", "no_mate", "offer", "outage"),
    "moves": ("no_takeback",),
    "draws": ("offer", "pause", "claims", "automatic"),
    "abort": ("arranged", "event"),
    "invitations": ("open",),
    "events": ("guillotine",),
    "rating": ("agreed", "exceptions"),
    "pools": ("classes", "scale", "mark", "margin", "board"),
    "clubs": ("scale", "provisional", "rest"),
}

ENDS: Final[dict[str, Outcome]] = {
    "checkmate": "decisive",
    "resignation": "decisive",
    "time": "either",
    "guillotine": "either",
    "no_start": "decisive",
    "adjudication": "either",
    "agreement": "draw",
    "stalemate": "draw",
    "dead_position": "draw",
    "threefold_repetition": "draw",
    "fifty_moves": "draw",
    "fivefold_repetition": "draw",
    "seventyfive_moves": "draw",
    **dict.fromkeys(sorted(ABORTED_REASONS), "none"),
}

_UNRATED: Final = ABORTED_REASONS | {"no_start"}


def rules(language: Language) -> Rules:
    """The rules in one language."""
    quoted = quotations(language)
    return Rules(
        language=language,
        constants=Constants(),
        sections=[_section(language, key, quoted) for key in SECTIONS],
        ends=[
            EndRule(reason, outcome, reason not in _UNRATED, text(language, f"end.{reason}"))
            for reason, outcome in ENDS.items()
        ],
    )


def quotations(language: Language) -> dict[str, str]:
    """What the placeholders of rule texts stand for: durations and counts in words."""
    constants = Constants()
    durations = {
        name.removesuffix("_ms"): spelled(language, value)
        for name, value in msgspec.structs.asdict(constants).items()
        if name.endswith("_ms")
    }
    return {
        **durations,
        "abort_plies": counted(language, constants.abort_plies, "ply"),
        "offer_pause": counted(language, constants.offer_pause, "own_move"),
        "rating_model": constants.rating_model,
        "start_rating": str(constants.start_rating),
        "pool_games": counted(language, constants.pool_games, "game"),
        "provisional_below": counted(language, constants.provisional_below, "game"),
        "flag_rule": constants.flag_rule,
    }


def _section(language: Language, key: str, quoted: dict[str, str]) -> Section:
    paragraphs = [text(language, f"{key}.{name}", **quoted) for name in SECTIONS[key]]
    if key == "account":
        paragraphs += [f"{code}: {profile_text(language, profile)}" for code, profile in NAMED.items()]
    return Section(key, text(language, f"{key}.title"), paragraphs)
