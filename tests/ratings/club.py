"""A partition on the engine, and results for it, for tests of the store."""

from __future__ import annotations

import random
import uuid
from dataclasses import dataclass, field

from msgspec.structs import replace

from chalicelib.ratings import generation, marking, reading, store
from chalicelib.ratings.edits import Rated, edits_between, on_top
from chalicelib.ratings.generation import Generation
from chalicelib.ratings.model import Change, Edit, Line, Partition, Played, Winner
from chalicelib.ratings.recompute import PassReport, Spent, recompute
from chalicelib.ratings.replay import States, rebuild, rules_of

HOUR = 3_600_000
MEMBERS = [f"m{number:02}" for number in range(12)]
WINNERS: tuple[Winner, ...] = ("A", "B", "")


@dataclass
class Club:
    """Results as somebody enters them, and the one partition that they rate in."""

    partition: Partition = field(default_factory=lambda: Partition("CLUB", uuid.uuid4().hex[:12]))
    results: dict[str, tuple[int, Played | None]] = field(default_factory=dict)
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def truth(self, partition: Partition, edits: tuple[Edit, ...] = ()) -> list[Played]:
        assert partition == self.partition
        return on_top((played for _, played in self.results.values() if played), edits)

    def game(self, hour: int, name: str = "", winner: Winner | None = None) -> Played:
        """A result of four members who are drawn by lot."""
        a, b, c, d = self.random.sample(MEMBERS, 4)
        won = self.random.choice(WINNERS) if winner is None else winner
        return Played(hour * HOUR, name or f"r{hour:05}", (a, b), (c, d), won)

    def change(self, name: str, new: Played | None) -> Change:
        """What entering, correcting or excluding a result means; its version counts on."""
        version, old = self.results.get(name, (0, None))
        self.results[name] = (version + 1, new)
        edits = edits_between(name, version + 1, self._rated(old), self._rated(new))
        return Change(uuid.uuid4().hex[:12], tuple(edits.values()))

    def enters(self, *games: Played) -> Change:
        """Put the results in, with one commit."""
        edits = tuple(edit for game in games for edit in self.change(game.id, game).edits)
        change = Change(uuid.uuid4().hex[:12], edits)
        marking.put({self.partition: change})
        return change

    def corrects(self, name: str, winner: Winner) -> Change:
        played = self.results[name][1]
        assert played is not None
        change = self.change(name, replace(played, winner=winner))
        marking.put({self.partition: change})
        return change

    def moves(self, name: str, hour: int) -> Change:
        played = self.results[name][1]
        assert played is not None
        change = self.change(name, replace(played, at_ms=hour * HOUR))
        marking.put({self.partition: change})
        return change

    def excludes(self, name: str) -> Change:
        change = self.change(name, None)
        marking.put({self.partition: change})
        return change

    def has(self, count: int) -> None:
        """Fill an empty partition with so many games, by a reload."""
        for hour in range(count):
            game = self.game(hour)
            self.results[game.id] = (1, game)
        marking.put({self.partition: Change("first", reload=True)})
        assert self.passes().outcome == "committed"

    def passes(self, is_spent: Spent = lambda: False) -> PassReport:
        return recompute(self.partition, self.truth, is_spent)

    def _rated(self, played: Played | None) -> Rated | None:
        return Rated((self.partition,), played) if played else None

    # ---- what is stored

    def stored(self) -> Generation:
        return generation.load(store.control(self.partition))

    def lines(self) -> list[Line]:
        return list(self.stored().since((-1, "")))

    def check(self) -> None:
        """What is stored is what a replay of all results from the beginning makes, bit by bit."""
        states: States = {}
        rules = rules_of(self.partition, "incomplete", None)
        assert self.lines() == list(rebuild(self.truth(self.partition), states, 0, rules))
        for projection in self.partition.projections:
            rows = {subject: row for subject, row in states.get(projection, {}).items() if row.games}
            assert reading.board(self.partition, projection) == rows


def waits(club: Club) -> int:
    return len(marking.waiting(club.partition))


def rated_anew(partition: Partition, games: list[Played]) -> None:
    """Make these games the whole log of a partition."""
    marking.put({partition: Change(uuid.uuid4().hex, reload=True)})
    assert recompute(partition, lambda *_: games, lambda: False).outcome == "committed"
