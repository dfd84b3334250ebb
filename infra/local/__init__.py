"""The whole system on one machine: the cloud's own template, deployed on a local engine, behind one port.

`python -m infra.local --help` lists the commands. Every module of this package that defines

    def register(commands: infra.local.Commands) -> None:
        parser = commands.add_parser("name", help="what it does")
        parser.set_defaults(handle=function)          # (argparse.Namespace) -> int, the exit code

is a command, and carries the command's name: `infra/local/play.py` is `python -m infra.local play`. A command that
talks to the running stack starts from `infra.local.stack.RunningStack.find()`.

`run` does the work of two commands itself: `settle` at each start, before anything else touches the stack, to settle
the gap in the heartbeat; and `seed` once in the life of a state folder, to load the example games.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]
