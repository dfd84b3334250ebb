"""Event handlers of ratings: the queue that wakes partitions, the sweep for what was not woken, the decay job.

The function behind the queue is declared where it can be told what was played, see `chalicelib/recomputing.py`. The
sweep has a function of its own: it must run every minute and be over at once, while a replay may take minutes, and the
scan for due games must not wait for either.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable
from typing import Any, Final

import msgspec
from chalice.app import Blueprint, CloudWatchEvent, Cron, Rate, SQSEvent, SQSRecord
from msgspec import Struct

from chalicelib.core import time
from chalicelib.core.durations import MINUTE
from chalicelib.core.logging import log
from chalicelib.core.queues import show_again
from chalicelib.core.settings import settings
from chalicelib.ratings import ledger, marking
from chalicelib.ratings.marking import Wakeup
from chalicelib.ratings.recompute import Spent, Truth, recompute

SWEEP_AFTER: Final = MINUTE
"""A change that has waited longer than this (real time) was not announced, or its pass did not come through."""

_BACKOFF_SECONDS: Final = 15

blueprint: Final = Blueprint(__name__)


class _Message(Struct, frozen=True):
    """A message of the queue: its id, its receipt, how often it was received, and what it says (None: unreadable)."""

    id: str
    receipt: str
    received: int
    wakeup: Wakeup | None


def consume(event: SQSEvent, truth: Truth) -> dict[str, Any]:
    """Pass over every partition that the messages name, once; those share the time of this invocation.

    A partition that fails stops no other: its messages are shown again after a while, and end with the dead letters.
    Those of the sweep do not, it sends new ones every minute anyhow.
    """
    is_spent = _timer(settings().replay_budget_ms)
    failed = []
    for wakeup, messages in _by_partition(event):
        if not _is_done(wakeup, truth, is_spent):
            failed += [message for message in messages if message.wakeup is None or not message.wakeup.again]
    for message in failed:
        show_again(settings().recompute_queue_url, message.receipt, _BACKOFF_SECONDS * message.received**2)
    return {"batchItemFailures": [{"itemIdentifier": message.id} for message in failed]}


@blueprint.schedule(Rate(1, unit=Rate.MINUTES))
def sweep(event: CloudWatchEvent) -> dict[str, int]:
    """Every minute: wake the partitions in which something has waited too long."""
    now_ms = time.real_ms()
    found = list(marking.stale(now_ms - SWEEP_AFTER))
    marking.wake_again(found, now_ms)
    log().info("ratings sweep", extra={"woken": len(found)})
    return {"woken": len(found)}


@blueprint.schedule(Cron("0", "*", "*", "*", "?", "*"))
def decay(event: CloudWatchEvent) -> dict[str, list[str]]:
    """Every hour: enter the decay runs that are due, today's or those that were missed (settled 24)."""
    added = [day.isoformat() for day in ledger.tick(settings().time.now_ms())]
    log().info("decay", extra={"dates": added})
    return {"dates": added}


def _timer(budget_ms: int) -> Spent:
    until = clock.monotonic() + budget_ms / 1_000
    return lambda: clock.monotonic() >= until


def _by_partition(event: SQSEvent) -> Iterable[tuple[Wakeup | None, list[_Message]]]:
    grouped: dict[str, list[_Message]] = {}
    for record in event:
        message = _message(record)
        grouped.setdefault(message.wakeup.partition if message.wakeup else f"unreadable {message.id}", []).append(
            message
        )
    return [(messages[0].wakeup, messages) for messages in grouped.values()]


def _message(record: SQSRecord) -> _Message:
    plain = record.to_dict()
    try:
        wakeup = msgspec.json.decode(record.body, type=Wakeup)
    except (msgspec.DecodeError, ValueError):
        log().exception("no wake-up", extra={"body": record.body[:100]})
        wakeup = None
    received = int(plain["attributes"].get("ApproximateReceiveCount", "1"))
    return _Message(plain["messageId"], plain["receiptHandle"], received, wakeup)


def _is_done(wakeup: Wakeup | None, truth: Truth, is_spent: Spent) -> bool:
    if wakeup is None:
        return False
    try:
        report = recompute(wakeup.named, truth, is_spent)
    except Exception as error:
        log().exception("a partition cannot be rated", extra={"partition": wakeup.partition, "reason": repr(error)})
        return False
    log().info("pass", extra=msgspec.to_builtins(report))
    return True
