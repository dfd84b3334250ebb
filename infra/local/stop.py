"""`stop`: end the stack in peace, from another terminal."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from typing import TYPE_CHECKING, Final

from infra.local.engine import retire_orphan
from infra.local.home import Home, add_home

if TYPE_CHECKING:
    from infra.local import Commands

_PATIENCE_SECONDS: Final = 90.0


def register(commands: Commands) -> None:
    parser = commands.add_parser("stop", help="stop the running stack; everything is saved")
    add_home(parser)
    parser.set_defaults(handle=_stop)


def _stop(arguments: argparse.Namespace) -> int:
    home = Home(arguments.home)
    facts = home.recorded()
    if facts is None:
        retire_orphan(home.engine)
        print("Zeitnot does not run.")
        return 0
    os.kill(facts["pid"], signal.SIGTERM)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while home.is_claimed():
        if time.monotonic() > deadline:
            print(f"Zeitnot (pid {facts['pid']}) does not stop.", file=sys.stderr)
            return 1
        time.sleep(0.1)
    print("Zeitnot is stopped.")
    return 0
