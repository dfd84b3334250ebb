"""`status`: whether the stack runs, and where."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from chalicelib.core.time import real_ms
from infra.local.home import Home, add_home
from infra.local.virtual_time import in_words, of_parameters

if TYPE_CHECKING:
    from infra.local import Commands

_NOT_RUNNING = 3  # as the init scripts of the Linux Standard Base answer


def register(commands: Commands) -> None:
    parser = commands.add_parser("status", help="say whether the stack runs, and where")
    add_home(parser)
    parser.set_defaults(handle=_print_status)


def _print_status(arguments: argparse.Namespace) -> int:
    facts = Home(arguments.home).recorded()
    if facts is None:
        print("Zeitnot does not run.")
        return _NOT_RUNNING
    if "url" not in facts:
        print(f"Zeitnot is starting (pid {facts['pid']}).")
        return 0
    print(f"Zeitnot runs at {facts['url']} (pid {facts['pid']}).")
    print(f"Engine at {facts['endpoint']} (pid {facts['engine_pid']}).")
    print(f"Game time: {in_words(of_parameters(facts['parameters']), real_ms())}")
    return 0
