"""SQS: waking up others, at once or later."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.core.aws import session
from chalicelib.core.logging import log
from chalicelib.core.settings import settings

LONGEST_DELAY_SECONDS: Final = 900
LARGEST_BATCH: Final = 10
"""Messages that a queue takes in one request."""


class NotSent(Exception):
    """Some messages of a batch were refused by the queue."""


def send_later(queue_url: str, messages: list[tuple[str, int]]) -> None:
    """Send pairs (body, delay in whole seconds, at most 900). Raises NotSent if any was refused."""
    for start in range(0, len(messages), LARGEST_BATCH):
        entries = [
            {"Id": str(number), "MessageBody": body, "DelaySeconds": min(delay, LONGEST_DELAY_SECONDS)}
            for number, (body, delay) in enumerate(messages[start : start + LARGEST_BATCH])
        ]
        _send(queue_url, entries)


def send_in_groups(queue_url: str, messages: list[tuple[str, str, str]]) -> None:
    """Send triples (body, group, deduplication id) to a FIFO queue. Raises NotSent if any was refused."""
    for start in range(0, len(messages), LARGEST_BATCH):
        entries = [
            {"Id": str(number), "MessageBody": body, "MessageGroupId": group, "MessageDeduplicationId": once}
            for number, (body, group, once) in enumerate(messages[start : start + LARGEST_BATCH])
        ]
        _send(queue_url, entries)


def show_again(queue_url: str, receipt: str, seconds: int) -> None:
    """Let a message that could not be worked on be received again after a while, instead of after the visibility
    timeout. Only saves time, so a failure is logged and no more."""
    try:
        _client().change_message_visibility(QueueUrl=queue_url, ReceiptHandle=receipt, VisibilityTimeout=seconds)
    except (BotoCoreError, ClientError):
        log().exception("a message stays hidden")


def _send(queue_url: str, entries: list[dict[str, Any]]) -> None:
    answer = _client().send_message_batch(QueueUrl=queue_url, Entries=entries)
    if answer.get("Failed"):
        raise NotSent(str(answer["Failed"]))


@cache
def _client() -> Any:
    return session().create_client("sqs", region_name=settings().region)
