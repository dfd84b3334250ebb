"""Settings from the environment, read once per process."""

from __future__ import annotations

import os
from functools import cache

from msgspec import Struct

from chalicelib.core.time import TimeSource


class Settings(Struct, frozen=True):
    """Names of the deployed resources, the token issuer, and how game time runs."""

    games_table: str
    player_games_table: str
    pairings_table: str
    watch_table: str
    timers_queue_url: str
    jwt_issuer: str
    jwt_audience: str
    jwt_jwks_url: str
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
        timers_queue_url=env.get("TIMERS_QUEUE_URL", ""),
        jwt_issuer=env.get("JWT_ISSUER", ""),
        jwt_audience=env.get("JWT_AUDIENCE", ""),
        jwt_jwks_url=env.get("JWT_JWKS_URL", ""),
        region=env.get("AWS_REGION", "us-east-1"),
        time=TimeSource(
            speed=float(env.get("TIME_SPEED", "1")),
            anchor_real_ms=int(env.get("TIME_ANCHOR_REAL_MS", "0")),
            anchor_ms=int(env.get("TIME_ANCHOR_MS", "0")),
        ),
    )
