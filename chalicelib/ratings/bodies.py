"""What clients send about ratings: queries, with the constraints that the OpenAPI document states."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from chalicelib.core.identity import PLAYER_ID
from chalicelib.ratings.model import Projection

_ONE: Final = PLAYER_ID.removeprefix("^").removesuffix(r"$(?!\n)")
_SIDE: Final = rf"^{_ONE}(,{_ONE})?$(?!\n)"

Side = Annotated[
    str,
    Meta(pattern=_SIDE, max_length=129, description="a member, or two with a comma between", examples=["anna,bert"]),
]
Rated = Annotated[Projection, Meta(description="who is rated: single members, or pairs of them")]


class BoardQuery(msgspec.Struct):
    """What a board lists, and its page: `cursor` as the page before gave it; `limit` rows a page."""

    projection: Rated = "individual"
    cursor: Annotated[str, Meta(max_length=300)] | None = None
    limit: Annotated[int, Meta(ge=1, le=500)] = 50


class HistoryQuery(msgspec.Struct):
    """A page of a history: `cursor` as the page before gave it; `limit` games a page, many enough for a graph."""

    cursor: Annotated[str, Meta(max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 50


class PredictionQuery(msgspec.Struct):
    """Two sides that might play."""

    a: Side
    b: Side
    projection: Rated = "individual"
