"""`python -m infra.migrate COMMAND`: finds the module that is the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import infra.migrate
from infra import commands
from infra.local.stack import NotRunning
from infra.migrate.source import Unreadable

_NOTHING_DONE = 2


def main(arguments: Sequence[str]) -> int:
    try:
        return commands.run(infra.migrate, "Live migration of another platform's running games.", arguments)
    except (Unreadable, NotRunning) as error:
        print(error, file=sys.stderr)
        return _NOTHING_DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
