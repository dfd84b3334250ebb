"""Opening and closing maintenance windows, and the work that closing one is.

Closing announces the end. From then on whatever happens in a game takes the window out of its clock first; a walk over
all games does so for those in which nothing happens, page by page, with its place in the ledger, so that whoever is
killed is followed by somebody who goes on. Only when a whole walk has found nothing more to do is the window settled,
and games may be flagged again. A silence of the scan is a window that nobody has opened, and is closed like one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec.structs import replace
from pynamodb.transactions import TransactWrite

from chalicelib.core.ids import derived_id, fingerprint
from chalicelib.core.settings import settings
from chalicelib.core.signing import Admin
from chalicelib.core.time import real_ms
from chalicelib.desk import audit, ledger
from chalicelib.desk.windows import (
    LONGEST_REQUEST,
    Record,
    act_of,
    after,
    closed,
    next_walk,
    of_silence,
    shift_of,
)
from chalicelib.games import shifting
from chalicelib.watch import watching
from chalicelib.watch.model import AHEAD, Window

Spent = Callable[[], bool]
"""Whether the time for this step is over."""

_ATTEMPTS: Final = 5


class UnknownWindow(LookupError):
    """There is no such window, and no such silence."""


class WindowStands(Exception):
    """Another window was opened and is not settled; the argument is its id."""


class TooSoon(ValueError):
    """A window has to begin later, so that every process has heard of it; `earliest_ms` would do."""

    def __init__(self, earliest_ms: int) -> None:
        super().__init__(str(earliest_ms))
        self.earliest_ms = earliest_ms


class KeyReused(Exception):
    """The key was used to open a window for another reason, or at another time."""


class NotSettled(Exception):
    """A window stands: some clocks could not be given it back."""


class Busy(Exception):
    """The ledger changes under many hands; nothing was done."""


def open_window(admin: Admin, key: str, reason: str, from_ms: int | None, now_ms: int) -> Record:
    """Open a window at `from_ms`, or as soon as everybody can have heard of it; the same `key` again, the same window.

    Raises WindowStands, TooSoon, KeyReused, Busy.
    """
    window_id, asked = derived_id("window", admin.key_id, key), fingerprint(reason, str(from_ms))
    if stored := ledger.find(window_id):
        return _same(stored, asked)
    earliest_ms = watching.soon_ms()
    if from_ms is not None and from_ms < earliest_ms:
        raise TooSoon(earliest_ms)
    record = Record(window_id, "window", reason, from_ms or earliest_ms, admin.name, now_ms, asked)
    try:
        ledger.save(
            record,
            lambda transaction: watching.open_window(transaction, record.window),
            audit.addition(act_of(admin, "open_window", record, now_ms)),
        )
    except ledger.Stale as error:
        if stored := ledger.find(window_id):
            return _same(stored, asked)
        if stands := watching.window_now():
            raise WindowStands(stands.id) from error
        raise Busy(window_id) from error
    return record


def _same(stored: Record, asked: str) -> Record:
    if stored.asked != asked:
        raise KeyReused(stored.id)
    return stored


def close(admin: Admin, window_id: str, now_ms: int) -> Record:
    """Close a window or a silence as soon as everybody can have heard of it; once closed it stays as it is.

    Raises UnknownWindow, Busy.
    """
    return _close(admin, window_id, now_ms, watching.soon_ms(), real_ms() + AHEAD + LONGEST_REQUEST)


def close_at_rest(admin: Admin, window_id: str, now_ms: int) -> Record:
    """As `close`, at once: no other process serves anybody yet."""
    return _close(admin, window_id, now_ms, now_ms, 0)


def _close(admin: Admin, window_id: str, now_ms: int, until_ms: int, work_from_ms: int) -> Record:
    for _ in range(_ATTEMPTS):
        standing = _found(window_id, now_ms)
        if standing.until_ms is not None:
            return standing
        record = closed(standing, admin.name, now_ms, until_ms, work_from_ms)
        try:
            act = act_of(admin, "close_window", record, now_ms)
            ledger.save(record, _announcement(standing.window, record), audit.addition(act))
        except ledger.Stale:
            continue
        return record
    raise Busy(window_id)


def _found(window_id: str, now_ms: int) -> Record:
    if record := ledger.find(window_id):
        return record
    silence = watching.silence_now()
    if silence is None or silence.id != window_id:
        raise UnknownWindow(window_id)
    return of_silence(silence, now_ms)


def _announcement(window: Window, record: Record) -> ledger.Addition:
    def add(transaction: TransactWrite) -> None:
        if record.settled_ms is not None:
            watching.window_settled(transaction, window)
        elif record.kind == "silence":
            watching.end_silence(transaction, window, record.until_ms or 0)
        else:
            watching.end_window(transaction, window, record.until_ms or 0)

    return add


def unsettled() -> list[Record]:
    """The windows and silences that were closed and are not settled."""
    ended = [window for window in watching.noted_now() if window.until_ms is not None]
    return [record for window in ended if (record := ledger.find(window.id)) is not None]


def work_on(record: Record, is_spent: Spent) -> Record:
    """Go on with settling a closed window until it is settled, the time is spent, or another walk is left to later.

    Another one is when some games failed. May be killed anywhere and begun again, by several at once.
    """
    while record.settled_ms is None and _is_due(record) and not is_spent():
        following = _one_step(record)
        try:
            ledger.save(following, *_settling(following))
        except ledger.Stale:
            return ledger.find(record.id) or record
        record = following
        if record.work and record.work.place is None and record.work.failed:
            break
    return record


def settle(record: Record) -> Record:
    """Work on a window that was closed at rest until it is settled. Raises NotSettled."""
    while record.settled_ms is None:
        record = work_on(record, lambda: False)
        if record.work is not None and record.work.place is None and record.work.failed:
            raise NotSettled(f"{record.id}: {record.work.failed} games failed: {', '.join(record.work.failing)}")
    return record


def _is_due(record: Record) -> bool:
    return record.until_ms is not None and real_ms() >= record.work_from_ms


def _one_step(record: Record) -> Record:
    work, now_ms = record.work, settings().time.now_ms()
    following = replace(record, version=record.version + 1)
    if work is None or (work.place is None and not work.is_complete):
        return replace(following, work=next_walk(work, shifting.running()))
    if work.place is None:
        return replace(following, settled_ms=now_ms)
    return replace(following, work=after(work, shifting.shift_page(shift_of(record), work.place, now_ms)))


def _settling(record: Record) -> list[ledger.Addition]:
    if record.settled_ms is None:
        return []
    is_over = watching.silence_settled if record.kind == "silence" else watching.window_settled
    return [lambda transaction: is_over(transaction, record.window)]
