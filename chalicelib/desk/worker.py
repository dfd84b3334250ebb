"""The function that goes on, every minute, with windows that were closed."""

from __future__ import annotations

import time
from typing import Any, Final

from chalice.app import Blueprint, CloudWatchEvent, Rate

from chalicelib.core.durations import SECOND
from chalicelib.core.logging import log
from chalicelib.desk import closing

STEP: Final = 40 * SECOND
"""Real time that an invocation takes at most; the next one goes on a few seconds later."""


class NotSettled(Exception):
    """Some games fail, and until they do not, nothing is flagged: rings the alarm."""


blueprint: Final = Blueprint(__name__)


@blueprint.schedule(Rate(1, unit=Rate.MINUTES))
def maintenance(event: CloudWatchEvent) -> dict[str, Any]:
    """Every minute: take closed windows out of all clocks, as far as the time of an invocation reaches."""
    until = time.monotonic() + STEP / SECOND
    records = [closing.work_on(record, lambda: time.monotonic() >= until) for record in closing.unsettled()]
    failing = [game for record in records if record.work for game in record.work.failing]
    report = {record.id: record.work.done if record.work else 0 for record in records}
    log().info("maintenance", extra={"windows": report, "failing": failing})
    if failing:
        raise NotSettled(", ".join(failing))
    return report
