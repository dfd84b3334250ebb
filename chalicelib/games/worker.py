"""Event handlers: the minute schedule, the timers' queue, the stream of the games table."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from chalice.app import Blueprint, CloudWatchEvent, DynamoDBEvent, DynamoDBRecord, Rate, SQSEvent

from chalicelib.core.batches import each
from chalicelib.core.logging import log
from chalicelib.core.settings import settings
from chalicelib.games import fan_out as fans
from chalicelib.games import flagfall as flags
from chalicelib.games.item import ENDED, RUNNING, game_of_image


class SomeFailed(Exception):
    """Everything was tried, not everything was done: rings the alarm, and the stream delivers again."""


blueprint: Final = Blueprint(__name__)


@blueprint.schedule(Rate(1, unit=Rate.MINUTES))
def flagfall(event: CloudWatchEvent) -> dict[str, Any]:
    """Every minute: end what is due, look a minute ahead, repair."""
    report = flags.scan(settings().time.now_ms())
    plain: dict[str, Any] = msgspec.to_builtins(report)
    log().info("scan", extra=plain)
    if report.failed:
        raise SomeFailed(f"{report.failed} of this scan's games failed; all others were done")
    return plain


@blueprint.on_sqs_message(queue_arn="placeholder", batch_size=10)
def timer(event: SQSEvent) -> dict[str, Any]:
    """Timers that have gone off; those that fail are given back one by one and end with the dead letters."""
    failed = []
    for record in event:
        try:
            flags.timer(record.body)
        except Exception:
            log().exception("timer failed")
            failed.append({"itemIdentifier": record.to_dict()["messageId"]})
    log().info("timers", extra={"failed": len(failed)})
    return {"batchItemFailures": failed}


@blueprint.on_dynamodb_record(stream_arn="placeholder", batch_size=100)
def fan_out(event: DynamoDBEvent) -> None:
    """Committed changes of games. If one fails, the stream delivers the whole batch again."""
    now_ms = settings().time.now_ms()
    until_ms = now_ms + 2 * flags.LOOK_AHEAD
    soon: list[flags.Hint] = []

    def follow(record: DynamoDBRecord) -> bool:
        image = record.new_image
        stage = image["shard"]["S"] if image and "shard" in image else ""
        if stage.startswith(ENDED):
            fans.ended(game_of_image(image))
        elif stage.startswith(RUNNING) and int(image["deadline_ms"]["N"]) <= until_ms:
            soon.append((image["id"]["S"], int(image["deadline_ms"]["N"])))
        return bool(stage)

    tally = each(event, follow)
    timers = flags.set_timers(soon, now_ms)
    log().info("fan-out", extra={"timers": timers, "failed": tally.failed})
    if tally.failed:
        raise SomeFailed(f"{tally.failed} changes were not fanned out; all others were")
