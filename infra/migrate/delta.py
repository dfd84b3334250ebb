"""`delta FILE --frozen-at INSTANT`: the last pass, while the old platform takes no more moves; copies catch up."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING

from chalicelib.migration.takeover import frozen, is_caught_up
from infra.migrate.copying import Pass, carry_out, summary
from infra.migrate.report import Report
from infra.migrate.source import add_file, in_words, instant, lead_to_store

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("delta", help="let the copies catch up with an export made after the freeze")
    add_file(parser)
    parser.add_argument(
        "--frozen-at",
        type=instant,
        required=True,
        help="since when the old platform takes no moves; from then on no time is charged to anybody",
    )
    parser.set_defaults(handle=_delta)


def _delta(arguments: argparse.Namespace) -> int:
    lead_to_store()
    from chalicelib.core.settings import settings

    at_ms, now_ms = arguments.frozen_at, settings().time.now_ms()
    if at_ms > now_ms:
        print(f"The freeze cannot begin after now, {in_words(now_ms)}.", file=sys.stderr)
        return 2
    report = Report(arguments.report)
    task = Pass(at_ms, partial(frozen, at_ms=at_ms), partial(is_caught_up, at_ms=at_ms))
    print(summary(carry_out(arguments.file, "delta", task, report)))
    return report.close()
