"""Maintenance windows in the ledger: who opened and closed them, and how far settling them has come. Pure.

A silence of the scan comes into the ledger when an operator closes it, and is settled in the same way.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.core.durations import SECOND
from chalicelib.core.ids import derived_id
from chalicelib.core.signing import Admin
from chalicelib.desk.model import Act
from chalicelib.games.commands import ShiftForWindow
from chalicelib.games.shifting import Page, Place
from chalicelib.watch.model import Window

WindowKind = Literal["window", "silence"]
WindowState = Literal["planned", "open", "closing", "closed"]

LONGEST_REQUEST: Final = 30 * SECOND
"""Real time after which a request that was received before the end of a window has been answered, or is dead."""

_NAMED: Final = 20
"""Games that failed which the ledger names; it counts all."""


class Work(Struct, frozen=True):
    """How far the walk over all games has come. It is walked again until one walk finds nothing to do.

    `place` None: this walk is over. `total` are the games that the index showed when it began, `done` those it has
    looked at, `found` the clocks it has shifted, `failed` the games that could not be, of which `failing` names some.
    `shifted` are the clocks shifted by all walks; a step that was killed may have shifted some more.
    """

    walk: int
    total: int
    place: Place | None = Place()
    done: int = 0
    found: int = 0
    failed: int = 0
    failing: tuple[str, ...] = ()
    shifted: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether every clock has the window out: a whole walk has found nothing to do."""
        return self.place is None and not self.found and not self.failed


class Record(Struct, frozen=True):
    """A window in the ledger. Times are game time (ms), but for `work_from_ms`, real time before which no clock is
    shifted. `asked` is the fingerprint of the request that opened it. `version` counts the changes."""

    id: str
    kind: WindowKind
    reason: str
    from_ms: int
    opened_by: str
    opened_ms: int
    asked: str = ""
    until_ms: int | None = None
    closed_by: str | None = None
    closed_ms: int | None = None
    work_from_ms: int = 0
    work: Work | None = None
    settled_ms: int | None = None
    version: int = 1

    @property
    def window(self) -> Window:
        return Window(self.id, self.from_ms, self.until_ms)

    def state_at(self, now_ms: int) -> WindowState:
        if self.settled_ms is not None:
            return "closed"
        if self.until_ms is not None and now_ms >= self.until_ms:
            return "closing"
        return "open" if now_ms >= self.from_ms else "planned"


def of_silence(silence: Window, now_ms: int) -> Record:
    """The record of a silence before it is in the ledger: nobody has opened it."""
    return Record(silence.id, "silence", "no scan ran", silence.from_ms, "the watch", now_ms, version=0)


def closed(record: Record, by: str, now_ms: int, until_ms: int, work_from_ms: int) -> Record:
    """The record with an end. What ends before it begins was called off: no clock is touched."""
    ended = replace(record, closed_by=by, closed_ms=now_ms, version=record.version + 1)
    if until_ms <= record.from_ms:
        return replace(ended, until_ms=record.from_ms, settled_ms=now_ms)
    return replace(ended, until_ms=until_ms, work_from_ms=work_from_ms)


def act_of(admin: Admin, kind: Literal["open_window", "close_window"], record: Record, now_ms: int) -> Act:
    """The act that a change of a record is. Shifting the clocks of all games is the work of it, and no act for each."""
    return Act(
        id=derived_id(kind, record.id),
        at_ms=now_ms,
        actor=admin.name,
        key_id=admin.key_id,
        signature=admin.signature,
        kind=kind,
        subject=f"window#{record.id}",
        reason=record.reason,
        fingerprint=record.asked,
    )


def shift_of(record: Record) -> ShiftForWindow:
    """What is asked of each game."""
    if record.until_ms is None:
        raise ValueError(f"window {record.id} has no end")
    return ShiftForWindow(record.id, record.from_ms, record.until_ms)


def next_walk(work: Work | None, total: int) -> Work:
    """The first walk, or one more."""
    return Work(work.walk + 1, total, shifted=work.shifted) if work else Work(1, total)


def after(work: Work, page: Page) -> Work:
    """The work after one more page of games."""
    return replace(
        work,
        place=page.next,
        done=work.done + page.looked,
        found=work.found + page.shifted,
        failed=work.failed + len(page.failed),
        failing=(*work.failing, *page.failed)[:_NAMED],
        shifted=work.shifted + page.shifted,
    )
