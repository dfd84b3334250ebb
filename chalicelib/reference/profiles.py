"""Time controls as clients see them: the numbers, and what they mean in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from msgspec import Meta

from chalicelib.clock.profiles import FirstMoveScope, NoStart, Profile, TimeClass
from chalicelib.reference.texts import LANGUAGES, Language, abbreviated, text

Millis = Annotated[int, Meta(description="milliseconds")]


class Spelled(msgspec.Struct):
    """The same text in German, English and Russian."""

    de: str
    en: str
    ru: str


class ProfileView(msgspec.Struct):
    """One side's time control, for instance "30 d at the start, +1 d per move, max. 30 d".

    From the own move `late_from_move` on, a move earns `late_increment_ms`. A missed limit for the first move ("game":
    of the game, "each_player": of either side) does what `no_start` says.
    """

    code: str
    initial_buffer_ms: Millis
    increment_ms: Millis
    cap_ms: Millis
    first_move_limit_ms: Millis | None
    first_move_scope: FirstMoveScope
    no_start: NoStart
    grace_ms: Millis
    late_increment_ms: Millis | None
    late_from_move: int | None
    is_regenerative: bool
    is_live: bool
    time_class: TimeClass
    text: Spelled


class Profiles(msgspec.Struct):
    """The profiles that have a name. Any rigid `T<days>_1` may be used as well."""

    profiles: list[ProfileView]


def profile_text(language: Language, profile: Profile) -> str:
    """A profile spelled out.

    >>> from chalicelib.clock.profiles import named
    >>> profile_text("de", named("30-30-1"))
    '30 T Start, +1 T je Zug, max. 30 T'
    >>> profile_text("en", named("30-30-1-half"))
    '30 d at the start, +1 d per move, max. 30 d; from move 51 +12 h'
    """
    is_rigid = profile.increment_ms == profile.initial_buffer_ms == profile.cap_ms
    spelled = text(
        language,
        "profile.rigid" if is_rigid else "profile.saving",
        start=abbreviated(language, profile.initial_buffer_ms),
        increment=abbreviated(language, profile.increment_ms),
        cap=abbreviated(language, profile.cap_ms),
    )
    if profile.late_increment_ms is None:
        return spelled
    return text(
        language,
        "profile.late",
        profile=spelled,
        late_from_move=profile.late_from_move,
        late_increment=abbreviated(language, profile.late_increment_ms),
    )


def profile_view(profile: Profile) -> ProfileView:
    """A profile with everything that can be read off it."""
    return ProfileView(
        code=profile.code,
        initial_buffer_ms=profile.initial_buffer_ms,
        increment_ms=profile.increment_ms,
        cap_ms=profile.cap_ms,
        first_move_limit_ms=profile.first_move_limit_ms,
        first_move_scope=profile.first_move_scope,
        no_start=profile.no_start,
        grace_ms=profile.grace_ms,
        late_increment_ms=profile.late_increment_ms,
        late_from_move=profile.late_from_move,
        is_regenerative=profile.is_regenerative,
        is_live=profile.is_live,
        time_class=profile.time_class,
        text=Spelled(**{language: profile_text(language, profile) for language in LANGUAGES}),
    )


def profiles_view(profiles: Iterable[Profile]) -> Profiles:
    """Profiles in the order given."""
    return Profiles([profile_view(profile) for profile in profiles])
