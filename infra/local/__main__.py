"""`python -m infra.local COMMAND`: finds the module that is the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import infra.local
from infra import commands
from infra.local.stack import NotRunning

_NOTHING_RUNS = 2


def main(arguments: Sequence[str]) -> int:
    try:
        return commands.run(infra.local, "Zeitnot on this machine.", arguments)
    except NotRunning as error:
        print(error, file=sys.stderr)
        return _NOTHING_RUNS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
