"""`python -m infra.local COMMAND`: finds the module that is the command."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NoReturn

import infra.local
from infra.local.stack import NotRunning

_WRONG_CALL = 2
_NOTHING_RUNS = 2


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a call, and where help is."""

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG_CALL, f"{message} (see `{self.prog} --help`)\n")


def main(arguments: Sequence[str]) -> int:
    parser = _Parser(prog="python -m infra.local", description="Zeitnot on this machine.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in _modules(arguments):
        if hasattr(module, "register"):
            module.register(commands)
    chosen = parser.parse_args(arguments)
    handle: Callable[[argparse.Namespace], int] = chosen.handle
    try:
        return handle(chosen)
    except NotRunning as error:
        print(error, file=sys.stderr)
        return _NOTHING_RUNS


def _modules(arguments: Sequence[str]) -> list[ModuleType]:
    """The module of the command asked for; all of them when there is none, for the help text."""
    names = [module.name for module in pkgutil.iter_modules(infra.local.__path__) if module.name != "__main__"]
    if arguments and arguments[0] in names:
        names = [arguments[0]]
    return [importlib.import_module(f"infra.local.{name}") for name in names]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
