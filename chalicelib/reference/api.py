"""Time, time controls, rules and the description of the API over HTTP; open to everybody."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from chalicelib.clock.profiles import UnknownProfile
from chalicelib.core.endpoint import JSON, Answer, Endpoints, NoBody, NoQuery, Operation, Request
from chalicelib.core.problems import Problem
from chalicelib.core.settings import settings
from chalicelib.core.time import real_ms
from chalicelib.profiles.known import find, listed
from chalicelib.reference.profiles import Profiles, ProfileView, profile_view, profiles_view
from chalicelib.reference.rules import Rules, rules
from chalicelib.reference.texts import Language

endpoints: Final = Endpoints(__name__)


class TimeView(msgspec.Struct):
    """Game time and real time at the same moment, in ms since the epoch; game time runs `speed` times as fast."""

    now_ms: int
    real_ms: int
    speed: float


class RulesQuery(msgspec.Struct):
    """The language of the rules."""

    lang: Annotated[Language, Meta(description="language of the texts")] = "en"


@endpoints.add(Operation("GET", "/v1/time", None, {200: TimeView}))
def read_time(request: Request[NoBody, NoQuery]) -> Answer:
    """The server's time, by which clients set their clocks."""
    source, real = settings().time, real_ms()
    return Answer(TimeView(source.at(real), real, source.speed), headers={"Cache-Control": "no-store"})


@endpoints.add(Operation("GET", "/v1/profiles", None, {200: Profiles}, codes=("store_unavailable",)))
def list_profiles(request: Request[NoBody, NoQuery]) -> Answer:
    """The time controls that have a name and may be chosen, in numbers and in words."""
    return Answer(profiles_view(profile for profile, retired_ms in listed() if retired_ms is None))


@endpoints.add(
    Operation("GET", "/v1/profiles/{code}", None, {200: ProfileView}, codes=("store_unavailable", "unknown_profile"))
)
def read_profile(request: Request[NoBody, NoQuery], code: str) -> Answer:
    """One time control, be it retired or not; besides the named ones, any T<days>_1."""
    try:
        return Answer(profile_view(find(code)))
    except UnknownProfile as error:
        raise Problem(404, "unknown_profile", str(error)) from error


@endpoints.add(Operation("GET", "/v1/rules", None, {200: Rules}, query=RulesQuery))
def read_rules(request: Request[NoBody, RulesQuery]) -> Answer:
    """The rules for players in one language, and the constants by which the server plays."""
    return Answer(rules(request.query.lang))


def description(document: Callable[[], dict[str, Any]]) -> Endpoints:
    """The endpoint that serves the OpenAPI document; `document` is called at the first request and never again."""
    described = Endpoints(__name__)

    @cache
    def written() -> str:
        return msgspec.json.encode(document()).decode()

    @described.add(Operation("GET", "/v1/openapi.json", None, {200: JSON}))
    def read_openapi(request: Request[NoBody, NoQuery]) -> Answer:
        """This document."""
        return Answer(written(), content_type=JSON)

    return described
