"""A scan that finds 1,000 expired games among few and among many running ones."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec.structs import replace

from bench.games import app_on_engine

EXPIRED: Final = 1_000
RUNNING: Final = (2_000, 20_000)
NOW: Final = 1_800_000_000_000
HOUR: Final = 3_600_000


@dataclass
class Tally:
    """Requests by name, and the index entries that queries returned."""

    requests: Counter[str] = field(default_factory=Counter)
    entries: int = 0

    def asked(self, model: Any, **_: Any) -> None:
        self.requests[model.name] += 1

    def answered(self, parsed: dict[str, Any], model: Any, **_: Any) -> None:
        if model.name == "Query":
            self.entries += parsed.get("ScannedCount", 0)


def measure(expired: int = EXPIRED, running: tuple[int, ...] = RUNNING) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    with app_on_engine():
        for number in running:
            figures |= _one(expired, number)
    return figures


def _one(expired: int, running: int) -> dict[str, Any]:
    """Scan `expired` lost games among `running` ones; the running ones of an earlier round stay and are overwritten."""
    from chalicelib.games import flagfall
    from chalicelib.games.item import GameItem

    _store(expired, NOW - 40 * 24 * HOUR, f"x{running % 7}")
    _store(running, NOW - HOUR, "r0")
    tally = Tally()
    pynamo = GameItem._get_connection().connection.client
    pynamo.meta.events.register("before-call.dynamodb", tally.asked)
    pynamo.meta.events.register("after-call.dynamodb", tally.answered)
    started = time.perf_counter()
    report = flagfall.scan(NOW)
    seconds = time.perf_counter() - started
    pynamo.meta.events.unregister("before-call.dynamodb", tally.asked)
    pynamo.meta.events.unregister("after-call.dynamodb", tally.answered)
    queried = tally.requests["Query"]
    flagfall.repair(NOW + HOUR)
    return {
        f"{running} running: flagged": f"{report.flagged} in {seconds:.1f} s",
        f"{running} running: queries, index entries read": f"{queried} {tally.entries}",
        f"{running} running: reads and writes of games": f"{tally.requests['GetItem']} {tally.requests['UpdateItem']}",
    }


def _store(count: int, released_ms: int, prefix: str) -> None:
    """Games as the product makes them, put in batches."""
    from chalicelib.clock.profiles import named
    from chalicelib.games.item import GameItem, item_of
    from chalicelib.games.making import Match, pair
    from chalicelib.games.model import Terms
    from chalicelib.rules import referee

    judge, profile = referee("chess"), named("30-30-1")
    match = Match("chess", None, (profile, profile), rated=True)
    made = pair("model", match, judge, Terms("pairing", event="bench"), released_ms, released_ms)
    with GameItem.batch_write() as batch:
        for number in range(count):
            game = replace(made, id=f"{prefix}{number:010d}", white=f"w{number}", black=f"b{number}")
            batch.save(item_of(game))
