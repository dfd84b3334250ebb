"""One part of the measurements in a process of its own: `python -m bench.part PART [--small] [--profile]`."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from pathlib import Path

import msgspec

from bench.figures import Figure


def measured(part: str, small: bool, profile: bool) -> list[Figure]:
    """The figures of the module `bench.<part>`. Log lines are written, since they cost time, but not shown."""
    options = {"profile": True} if profile else {}
    measure = importlib.import_module(f"bench.{part}").measure
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        figures: list[Figure] = measure(small=small, **options)
    return figures


if __name__ == "__main__":
    name, *switches = sys.argv[1:]
    print(msgspec.json.encode(measured(name, "--small" in switches, "--profile" in switches)).decode())
