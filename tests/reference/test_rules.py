"""The rules for players say what the server does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import get_args

import pytest
from msgspec import structs

from chalicelib.clock import profiles
from chalicelib.clock.clock import Cause
from chalicelib.clock.profiles import NAMED
from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.games import draws, making, playing
from chalicelib.games.commands import DrawClaim
from chalicelib.games.events import BY_REFEREE, Log
from chalicelib.games.model import ABORTED_REASONS, Game, Result, Terms
from chalicelib.ratings import board, decay, glicko2
from chalicelib.ratings.model import PROVISIONAL_BELOW
from chalicelib.reference.profiles import profile_text, profiles_view
from chalicelib.reference.rules import ENDS, SECTIONS, Rules, rules
from chalicelib.reference.texts import LANGUAGES, Language
from chalicelib.rules import referee
from chalicelib.watch import model as watch
from infra.project import ROOT


def paragraphs(found: Rules, key: str) -> str:
    return "\n".join(next(section.paragraphs for section in found.sections if section.key == key))


def test_constants_are_those_of_the_server() -> None:
    constants = rules("en").constants
    assert constants.first_move_limit_ms == profiles.FIRST_MOVE_LIMIT == 7 * DAY
    assert constants.live_first_move_limit_ms == profiles.LIVE_FIRST_MOVE_LIMIT == MINUTE // 2
    assert constants.grace_ms == NAMED["30-30-1"].grace_ms == 1_500
    assert constants.longest_silence_ms == watch.LONGEST_SILENCE == 10 * MINUTE
    assert constants.invitation_open_ms == making.INVITATION_OPEN
    assert constants.live_invitation_open_ms == making.LIVE_INVITATION_OPEN == HOUR
    assert constants.abort_plies == playing.ABORT_PLIES
    assert constants.offer_pause == draws.OFFER_PAUSE
    assert (constants.blitz_limit_ms, constants.rapid_limit_ms) == (3 * MINUTE, 10 * MINUTE)
    assert constants.start_rating == glicko2.START[0] == 1500
    assert constants.pool_games == board.POOL_GAMES == 30
    assert constants.provisional_below == PROVISIONAL_BELOW == 10
    assert constants.rest_ms == decay.REST == 30 * DAY


@pytest.mark.parametrize(
    ("language", "quoted"),
    [
        (
            "de",
            {
                "start": "7 Tage",
                "flag": "1,5 Sekunden",
                "draws": "10 eigene Züge",
                "abort": "2 Halbzüge",
                "pools": "30 Spiele",
            },
        ),
        (
            "en",
            {
                "start": "30 seconds",
                "flag": "FIDE 6.9",
                "invitations": "14 days",
                "draws": "10 own moves",
                "pools": "1500",
            },
        ),
        (
            "ru",
            {
                "start": "7 дней",
                "flag": "10 минут",
                "invitations": "1 час",
                "abort": "2 полухода",
                "clubs": "10 партий",
            },
        ),
    ],
)
def test_rules_quote_the_constants(language: Language, quoted: dict[str, str]) -> None:
    found = rules(language)
    for key, words in quoted.items():
        assert words in paragraphs(found, key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_complete(language: Language) -> None:
    found = rules(language)
    assert [section.key for section in found.sections] == list(SECTIONS)
    assert [end.reason for end in found.ends] == list(ENDS)
    assert all("{" not in paragraph for section in found.sections for paragraph in section.paragraphs)
    for code, profile in NAMED.items():
        assert f"{code}: {profile_text(language, profile)}" in paragraphs(found, "account")


def reasons_in(path: str, function: str) -> Iterator[str]:
    """String literals handed to `function` in a module of the app."""
    for node in ast.walk(ast.parse((ROOT / "chalicelib" / path).read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
            yield from (part.value for part in node.args if isinstance(part, ast.Constant) and part.value is not None)


def test_every_end_that_the_server_knows_has_a_rule() -> None:
    known = {*get_args(Cause), *get_args(DrawClaim), *ABORTED_REASONS, *BY_REFEREE}
    for module in ("playing", "draws", "invitations", "due"):
        known |= set(reasons_in(f"games/{module}.py", "Ended"))
    known |= set(reasons_in("rules/chess/referee.py", "End"))
    assert known == set(ENDS)


def test_an_end_rates_exactly_if_the_server_rates_it() -> None:
    judge = referee("chess")
    position = judge.start(None)
    profile = NAMED["30-30-1"]
    game = Game(
        "id",
        "chess",
        Terms("seek"),
        None,
        position,
        judge.to_move(position),
        (profile, profile),
        Log(0),
        released_at_ms=0,
    )
    for end in rules("de").ends:
        ended = structs.replace(game, result=Result(end.reason, None, 0))
        assert end.rates == ended.rates, end.reason
        assert (end.outcome == "none") == (ended.status(0) == "aborted"), end.reason


def test_every_named_profile_is_listed_with_its_numbers() -> None:
    listed = {view.code: view for view in profiles_view(NAMED.values()).profiles}
    assert list(listed) == list(NAMED)
    for code, profile in NAMED.items():
        for field in structs.fields(profile):
            assert getattr(listed[code], field.name) == getattr(profile, field.name)
        assert listed[code].is_regenerative == profile.is_regenerative
        assert listed[code].time_class == profile.time_class


def test_profiles_are_spelled_out() -> None:
    assert profile_text("de", NAMED["30-30-1"]) == "30 T Start, +1 T je Zug, max. 30 T"
    assert profile_text("ru", NAMED["40-40-0.8"]) == "40 д на старте, +19 ч 12 мин за ход, максимум 40 д"
    assert profile_text("en", NAMED["T3_1"]) == "3 d per move"
    assert profile_text("de", NAMED["30-30-1-half"]).endswith("; ab Zug 51 +12 Std")
