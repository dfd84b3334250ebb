"""How long after its deadline a lost game shows its result, on the running stack, with nobody looking at the game."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from msgspec import Struct

from bench.figures import Figure, at_share
from bench.real_game import moves
from bench.units import Item
from bench.wire import reader
from infra.local.api import Player
from infra.local.stack import NotRunning, RunningStack

PLIES: Final = 4
"""Before the clock is turned down: enough for the limits of the first moves to be over."""

BUDGET_MS: Final = 2_000
POLL_SECONDS: Final = 0.02
GIVE_UP_SECONDS: Final = 90
"""By then a scan has seen the game even if every timer got lost."""


class Way(Struct, frozen=True):
    """A way by which a deadline is noticed, and the games that take it: seconds from the last write to the deadline."""

    name: str
    profile: str
    left_s: tuple[float, ...]


WAYS: Final = (
    # A deadline so near gets its timer when the stream tells of the change.
    Way("live, timer of the stream", "3+2", (3, 7.4, 13.9, 21.3, 30.6, 44.2, 61.8, 88.5)),
    # A farther one has to wait for the scan that finds it within the next minute.
    Way("correspondence, timer of the scan", "30-30-1", (126, 133.3, 140.7, 148.1, 155.4, 162.8, 170.2, 177.5)),
)
SMALL_WAYS: Final = (Way("live, timer of the stream", "3+2", (3, 5.5)),)


def measure(*, small: bool) -> list[Figure]:
    """The result is looked for in the table, since every read through the API would end the game by itself."""
    try:
        stack = RunningStack.find()
    except NotRunning:
        return [Figure("local stack", "skipped: it does not run")]
    if stack.speed != 1:
        return [Figure("local stack", f"skipped: it runs at {stack.speed:g} x real time")]
    os.environ.update(stack.environment())
    ways = SMALL_WAYS if small else WAYS
    read = reader(stack.endpoint, os.environ["GAMES_TABLE"])
    # One after the other: the engine starts a worker for each call at a time, and would be busy with that for seconds.
    games = [(way, left_s, _begun(stack, way.profile)) for way in ways for left_s in way.left_s]
    deadlines = [(way.name, game, _turned_down(read, game, round(left_s * 1_000))) for way, left_s, game in games]
    with ThreadPoolExecutor(len(games)) as pool:
        late = list(pool.map(lambda watched: (watched[0], _late_by(read, *watched[1:])), deadlines))
    figures = []
    for way in ways:
        delays = [delay_ms for name, delay_ms in late if name == way.name]
        figures += [
            Figure(f"{way.name}: games", len(delays)),
            Figure(f"{way.name}: late by, most", max(delays), "ms", BUDGET_MS),
            Figure(f"{way.name}: late by, p50", at_share(delays, 0.5), "ms"),
        ]
    return figures


def _begun(stack: RunningStack, profile: str) -> str:
    """A game with a few moves on the board."""
    mark = f"{time.time_ns():x}"
    players = [Player(stack, f"{mark}-{side}") for side in "wb"]
    body = {"opponent": players[1].name, "profile": profile, "colour": "white"}
    game: str = players[0].post("/v1/challenges", body, key=mark)["id"]
    players[1].post(f"/v1/challenges/{game}/accept")
    for ply, move in enumerate(moves(PLIES)):
        players[ply % 2].post(f"/v1/games/{game}/moves", {"ply": ply, "move": move})
    return game


def _turned_down(read: Callable[[str], Item], game: str, left_ms: int) -> int:
    """Leave the side to move so much time, as a referee would, in the product's own way; returns the new deadline."""
    from chalicelib.core.settings import settings
    from chalicelib.core.sides import Side
    from chalicelib.games.act import act
    from chalicelib.games.commands import Adjust

    outcome = act(game, Adjust(Side.WHITE, to_ms=left_ms), settings().time.now_ms())
    if outcome.refusal is not None:
        raise RuntimeError(outcome.refusal.detail)
    return int(read(game)["deadline_ms"]["N"])


def _late_by(read: Callable[[str], Item], game: str, deadline_ms: int) -> int:
    """Wait for the result; ms from deadline and grace until it stood there."""
    from chalicelib.core.settings import settings

    now_ms = settings().time.now_ms
    time.sleep(max(0.0, (deadline_ms - now_ms()) / 1_000))
    while "result" not in read(game):
        if now_ms() > deadline_ms + GIVE_UP_SECONDS * 1_000:
            raise RuntimeError(f"game {game} was not ended within {GIVE_UP_SECONDS} s")
        time.sleep(POLL_SECONDS)
    return now_ms() - deadline_ms
