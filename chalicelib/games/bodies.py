"""What clients send about games: bodies and queries, with the constraints that the OpenAPI document states."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from chalicelib.core.identity import PLAYER_ID
from chalicelib.games.commands import DrawClaim
from chalicelib.games.model import Colour

PlayerId = Annotated[str, Meta(pattern=PLAYER_ID, description="a player, as the claim sub of a token names them")]
Kind = Annotated[str, Meta(max_length=32, examples=["chess", "chess960"])]
ProfileCode = Annotated[str, Meta(max_length=32, examples=["30-30-1", "T3_1"])]
Setup = Annotated[str, Meta(max_length=128, description="a set-up position; chess: FEN")]
PlyNumber = Annotated[int, Meta(ge=0, le=1_000_000, description="number of the ply, from 0")]
Rating = Annotated[int, Meta(ge=0, le=5_000)]


class ProfilePair(msgspec.Struct, forbid_unknown_fields=True):
    """A profile for each side, by code."""

    white: ProfileCode
    black: ProfileCode


class ChallengeBody(msgspec.Struct, forbid_unknown_fields=True):
    """A challenge to one opponent. Either `profile` for both sides or `profiles`."""

    opponent: PlayerId
    kind: Kind = "chess"
    profile: ProfileCode | None = None
    profiles: ProfilePair | None = None
    rated: bool = True
    colour: Colour = "random"
    setup: Setup | None = None


class SeekBody(msgspec.Struct, forbid_unknown_fields=True):
    """A challenge to whoever wants; `rating_range` [lowest, highest] bounds who may accept."""

    kind: Kind = "chess"
    profile: ProfileCode | None = None
    profiles: ProfilePair | None = None
    rated: bool = True
    colour: Colour = "random"
    setup: Setup | None = None
    rating_range: tuple[Rating, Rating] | None = None


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """One game of a bulk pairing."""

    white: PlayerId
    black: PlayerId
    profiles: ProfilePair | None = None
    setup: Setup | None = None


class PairingsBody(msgspec.Struct, forbid_unknown_fields=True):
    """Games of an event, made all together or not at all. Clocks run from `release_at_ms` (default: at once)."""

    event: Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$(?!\n)")]
    profile: ProfileCode
    boards: Annotated[list[Board], Meta(min_length=1, max_length=500)]
    kind: Kind = "chess"
    rated: bool = True
    release_at_ms: Annotated[int, Meta(ge=0, le=32_503_680_000_000)] | None = None
    guillotine_at_ms: Annotated[int, Meta(ge=0, le=32_503_680_000_000)] | None = None
    flag_under_offer: Literal["loss", "draw"] = "loss"


class MoveBody(msgspec.Struct, forbid_unknown_fields=True):
    """A move, and the number of the ply it is meant for."""

    ply: PlyNumber
    move: Annotated[str, Meta(min_length=1, max_length=64, examples=["e2e4"])]


class PlyBody(msgspec.Struct, forbid_unknown_fields=True):
    """The ply that stands to be played, as the sender sees the game."""

    ply: PlyNumber


class ClaimBody(msgspec.Struct, forbid_unknown_fields=True):
    """A draw claimed by rule, on the position before ply `ply`."""

    ply: PlyNumber
    reason: DrawClaim


class SinceQuery(msgspec.Struct):
    """`since`: leave out the events up to this version."""

    since: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class GameExportQuery(msgspec.Struct):
    """The format of one exported game."""

    format: Literal["json", "pgn"] = "pgn"


class ExportQuery(msgspec.Struct):
    """The format of an export, and its page."""

    format: Literal["ndjson", "pgn"] = "ndjson"
    cursor: Annotated[str, Meta(max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 100
