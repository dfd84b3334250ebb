"""Command lines whose commands are the modules of a package: `python -m PACKAGE COMMAND`."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NoReturn

_WRONG_CALL = 2


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with a call, and where help is."""

    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG_CALL, f"{message} (see `{self.prog} --help`)\n")


def run(package: ModuleType, description: str, arguments: Sequence[str]) -> int:
    """Find the module that is the command, and do what it says; returns its exit code."""
    parser = _Parser(prog=f"python -m {package.__name__}", description=description)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for module in _modules(package, arguments):
        if hasattr(module, "register"):
            module.register(commands)
    chosen = parser.parse_args(arguments)
    handle: Callable[[argparse.Namespace], int] = chosen.handle
    return handle(chosen)


def _modules(package: ModuleType, arguments: Sequence[str]) -> list[ModuleType]:
    """The module of the command asked for; all of them when there is none, for the help text."""
    names = [module.name for module in pkgutil.iter_modules(package.__path__) if module.name != "__main__"]
    if arguments and arguments[0] in names:
        names = [arguments[0]]
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]
