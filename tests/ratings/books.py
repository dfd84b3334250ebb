"""The books of a recorder, in memory: versions of results, and of each partition the log and the rows that passes keep.

It does with the pure functions what the store does with tables: edits wait, a pass takes in all that wait and replays
the rest of the log. What it must come to is what `from_scratch` says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec

from chalicelib.ratings.edits import Rated, beyond, edits_between, since
from chalicelib.ratings.model import Edit, Line, Partition, Played, Projection, Standing
from chalicelib.ratings.replay import Rules, States, changed, first_befores, rebuild, replay, wanted

GLOBAL = Partition("GLOBAL")
Rows = dict[Projection, dict[str, Standing]]


@dataclass
class Log:
    """What is kept of a partition."""

    lines: list[Line] = field(default_factory=list)
    rows: Rows = field(default_factory=lambda: {"individual": {}, "pair": {}})


@dataclass
class Books:
    rules: Rules = field(default_factory=Rules)
    random: Random | None = None
    """If given, passes die after some lines and go on from what they stored."""
    results: dict[str, tuple[int, Rated | None]] = field(default_factory=dict)
    waiting: defaultdict[Partition, list[Edit]] = field(default_factory=lambda: defaultdict(list))
    logs: defaultdict[Partition, Log] = field(default_factory=lambda: defaultdict(Log))

    def enter(self, played: Played, *partitions: Partition) -> dict[Partition, Edit]:
        """A new version of a result; its edits wait."""
        return self._version(played.id, Rated(partitions or (GLOBAL,), played))

    def exclude(self, result_id: str) -> dict[Partition, Edit]:
        return self._version(result_id, None)

    def _version(self, result_id: str, rated: Rated | None) -> dict[Partition, Edit]:
        version, before = self.results.get(result_id, (0, None))
        self.results[result_id] = version + 1, rated
        edits = edits_between(result_id, version + 1, before, rated)
        for partition, edit in edits.items():
            self.waiting[partition].append(edit)
        return edits

    def settle(self) -> dict[Partition, dict[Projection, int]]:
        """A pass over every partition that edits wait for: how many rows it writes."""
        written = {}
        for partition, edits in self.waiting.items():
            written[partition] = self._pass(self.logs[partition], edits)
        self.waiting.clear()
        return written

    def rows(self, partition: Partition = GLOBAL, projection: Projection = "individual") -> dict[str, Standing]:
        self.settle()
        return self.logs[partition].rows[projection]

    def _pass(self, log: Log, edits: list[Edit]) -> dict[Projection, int]:
        start = since(edits)
        kept = [line for line in log.lines if line.played.place < start]
        rest = log.lines[len(kept) :]
        needed = wanted(edits, self.rules)
        states = first_befores(rest, needed)
        for projection, subjects in needed.items():
            rows = log.rows[projection]
            known = states[projection]
            known.update({subject: rows[subject] for subject in subjects - known.keys() if subject in rows})
        log.lines = kept + list(self._replayed(rest, edits, states, len(kept)))
        written = {}
        for projection, known in states.items():
            rows = log.rows[projection]
            changes = changed(rows, known)
            written[projection] = len(changes)
            for subject, standing in changes.items():
                if standing:
                    rows[subject] = standing
                else:
                    del rows[subject]
        return written

    def _replayed(self, rest: list[Line], edits: Iterable[Edit], states: States, no: int) -> Iterable[Line]:
        for line in replay(rest, edits, states, no, self.rules):
            yield line
            no += 1
            if self.random and self.random.random() < 0.1:
                stored = through_storage(states, States)
                states.clear()
                states.update(stored)
                place = line.played.place
                later = [old for old in rest if old.played.place > place]
                yield from self._replayed(later, beyond(edits, place), states, no)
                return


def through_storage(value: Any, kind: Any) -> Any:
    """What comes back from the store."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind)


def from_scratch(books: Books, partition: Partition) -> Log:
    """The log of a partition as the results alone say it."""
    played = [rated.played for _, rated in books.results.values() if rated and partition in rated.partitions]
    states: States = {"individual": {}, "pair": {}}
    lines = list(rebuild(sorted(played, key=lambda each: each.place), states, 0, books.rules))
    return Log(lines, states)


def bits(log: Log) -> bytes:
    """Everything of a log; equal only if every bit is."""
    rows = {projection: sorted(known.items()) for projection, known in log.rows.items()}
    return msgspec.msgpack.encode([log.lines, rows])
