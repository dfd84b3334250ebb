"""`backfill FILE`: copy every running game, while the old platform goes on; may be killed and run again at will."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chalicelib.migration.takeover import backfilled
from infra.migrate.copying import Pass, carry_out, summary
from infra.migrate.report import Report
from infra.migrate.source import add_file, lead_to_store

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("backfill", help="copy the running games; nothing runs here before the swap")
    add_file(parser)
    parser.set_defaults(handle=_backfill)


def _backfill(arguments: argparse.Namespace) -> int:
    lead_to_store()
    from chalicelib.core.settings import settings

    report = Report(arguments.report)
    task = Pass(settings().time.now_ms(), backfilled, lambda _: True)
    print(summary(carry_out(arguments.file, "backfill", task, report)))
    return report.close()
