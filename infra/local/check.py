"""`check`: walk the whole store and prove that no game contradicts itself."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("check", help="walk the whole store and prove its invariants")
    parser.set_defaults(handle=_check)


def _check(_: argparse.Namespace) -> int:
    os.environ.update(RunningStack.find().environment())
    from chalicelib.games import store
    from chalicelib.games.invariants import faults
    from chalicelib.rules import referee

    games = wrong = 0
    for game, shown in store.walk():
        games += 1
        found = list(faults(game, shown, referee(game.kind)))
        wrong += bool(found)
        for fault in found:
            print(f"{game.id}: {fault}")
    print(f"{games} games checked: clocks, index, ends, balances and boards; {wrong} contradict themselves.")
    return 1 if wrong else 0
