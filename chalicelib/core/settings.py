"""Settings from the environment, read once per process."""

from __future__ import annotations

import os
from functools import cache
from typing import Literal

import msgspec
from msgspec import Struct

from chalicelib.core.time import TimeSource

PairDefaultOpponent = Literal["incomplete", "guest_only"]


class Settings(Struct, frozen=True):
    """Names of the deployed resources, the token issuer, how ratings are made, and how game time runs.

    `public_url` is where clients find the API, empty for the gateway's own address.
    `pair_default_opponent` says which sides the default opponent stands in for when pairs are rated: all that are no
    pair, or only those without members. `decay_in_replay` lets a game after a rest start from the grown uncertainty.
    `replay_budget_ms` is how long a replay may run before it hands over to the next invocation.
    """

    games_table: str
    player_games_table: str
    pairings_table: str
    watch_table: str
    clubs_table: str
    results_table: str
    changes_table: str
    ratings_table: str
    ratings_bucket: str
    desk_table: str
    timers_queue_url: str
    recompute_queue_url: str
    decay_hour: int
    decay_zone: str
    pair_default_opponent: PairDefaultOpponent
    decay_in_replay: bool
    replay_budget_ms: int
    jwt_issuer: str
    jwt_audience: str
    jwt_jwks_url: str
    public_url: str
    region: str
    time: TimeSource


@cache
def settings() -> Settings:
    """The settings of this process. Tests that change the environment call `settings.cache_clear()`."""
    env = os.environ
    return Settings(
        games_table=env.get("GAMES_TABLE", "zeitnot-games"),
        player_games_table=env.get("PLAYER_GAMES_TABLE", "zeitnot-player-games"),
        pairings_table=env.get("PAIRINGS_TABLE", "zeitnot-pairings"),
        watch_table=env.get("WATCH_TABLE", "zeitnot-watch"),
        clubs_table=env.get("CLUBS_TABLE", "zeitnot-clubs"),
        results_table=env.get("RESULTS_TABLE", "zeitnot-results"),
        changes_table=env.get("CHANGES_TABLE", "zeitnot-changes"),
        ratings_table=env.get("RATINGS_TABLE", "zeitnot-ratings"),
        ratings_bucket=env.get("RATINGS_BUCKET", "zeitnot-ratings-000000000000"),
        desk_table=env.get("DESK_TABLE", "zeitnot-desk"),
        timers_queue_url=env.get("TIMERS_QUEUE_URL", ""),
        recompute_queue_url=env.get("RECOMPUTE_QUEUE_URL", ""),
        decay_hour=int(env.get("DECAY_HOUR", "4")),
        decay_zone=env.get("DECAY_ZONE", "Europe/Berlin"),
        pair_default_opponent=msgspec.convert(env.get("PAIR_DEFAULT_OPPONENT", "incomplete"), PairDefaultOpponent),
        decay_in_replay=env.get("DECAY_IN_REPLAY", "false") == "true",
        replay_budget_ms=int(env.get("REPLAY_BUDGET_MS", "60000")),
        jwt_issuer=env.get("JWT_ISSUER", ""),
        jwt_audience=env.get("JWT_AUDIENCE", ""),
        jwt_jwks_url=env.get("JWT_JWKS_URL", ""),
        public_url=env.get("PUBLIC_URL", ""),
        region=env.get("AWS_REGION", "us-east-1"),
        time=TimeSource(
            speed=float(env.get("TIME_SPEED", "1")),
            anchor_real_ms=int(env.get("TIME_ANCHOR_REAL_MS", "0")),
            anchor_ms=int(env.get("TIME_ANCHOR_MS", "0")),
        ),
    )
