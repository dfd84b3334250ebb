"""`shadow FILE`: what the clock here would say of every running game, beside the legacy deadline. Only reads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chalicelib.migration.rows import Fault, Over
from chalicelib.migration.shadow import Shadow, shadow, verify
from infra.migrate.report import Report
from infra.migrate.source import add_file, instant, real_now_ms, rows_of

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("shadow", help="say what would differ; reads the file and nothing else")
    add_look(parser)
    parser.set_defaults(handle=_shadow)


def add_look(parser: argparse.ArgumentParser) -> None:
    """The options of commands that only look at a file."""
    add_file(parser)
    parser.add_argument("--at", type=instant, help="the instant that the export shows (default: now)")


def _shadow(arguments: argparse.Namespace) -> int:
    return look(arguments, is_verifying=False)


def look(arguments: argparse.Namespace, *, is_verifying: bool) -> int:
    """Look at every row and say what differs; the exit code."""
    now_ms = real_now_ms() if arguments.at is None else arguments.at
    report, games, over, differing, left = Report(arguments.report), 0, 0, 0, 0
    for found in rows_of(arguments.file, "verify" if is_verifying else "shadow"):
        if isinstance(found, Fault):
            report.fault(found)
            continue
        if isinstance(found, Over):
            over += 1
            continue
        beside: Shadow = verify(found, now_ms) if is_verifying else shadow(found, now_ms)
        games += 1
        differing += bool(beside.differences)
        left += beside.game is None
        for difference in beside.differences:
            report.difference(found, difference)
    same = "the same deadline at every ply" if is_verifying else "the same deadline"
    print(f"{games} running games: {games - differing} with {same}, {differing} differ; {left} cannot be taken over.")
    print(f"{over} games are over and passed by.")
    return report.close()
