"""`fresh`: throw the state away, so that the next start begins in real time and without games."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from infra.local.engine import discard, retire_orphan
from infra.local.home import AlreadyRunning, Home, add_home

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("fresh", help="throw all games and the game time away; the stack must be down")
    add_home(parser)
    parser.set_defaults(handle=_fresh)


def _fresh(arguments: argparse.Namespace) -> int:
    home = Home(arguments.home)
    # Another folder that happens to be called "state" is not ours to remove.
    if not home.engine.exists() and not home.virtual_time.exists():
        print("There is no state: the next start is a fresh one.")
        return 0
    try:
        with home.claimed():
            retire_orphan(home.engine)
            discard(home.state)
    except AlreadyRunning:
        print("Zeitnot runs, and nothing was removed: `make stop` first.", file=sys.stderr)
        return 1
    print("All games are gone; the next start begins in real time, with new keys for tokens.")
    return 0
