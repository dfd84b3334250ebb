"""`python -m infra.admin COMMAND`: finds the module that is the command."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import infra.admin
from infra import commands
from infra.admin.client import Refused, Unreachable
from infra.admin.where import NotFound
from infra.local.stack import NotRunning

_REFUSED = 1
_WRONG_CALL = 2


def main(arguments: Sequence[str]) -> int:
    try:
        return commands.run(infra.admin, "The referee's desk of Zeitnot.", arguments)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return _REFUSED
    except (FileExistsError, NotFound, NotRunning, Unreachable) as error:
        print(error, file=sys.stderr)
        return _WRONG_CALL


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
