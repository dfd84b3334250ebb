"""The runner; see the package."""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from pathlib import Path

KINDS = ("chess_games", "clock", "glicko2", "openskill", "timeout")
USAGE = 2


def main(arguments: list[str]) -> int:
    match arguments:
        case [kind, file] if kind in KINDS and Path(file).is_file():
            return run(kind, Path(file))
    print(f"usage: python -m tests.conformance KIND FILE\nkinds: {', '.join(KINDS)}; FILE is a file", file=sys.stderr)
    return USAGE


def run(kind: str, path: Path) -> int:
    """Judge every case of a file; 0 if all passed."""
    passed = failed = 0
    counts: Counter[str] = Counter()
    try:
        for verdict in importlib.import_module(f"tests.conformance.{kind}").judge(path):
            counts += verdict.counts
            passed += not verdict.faults
            failed += bool(verdict.faults)
            for fault in verdict.faults:
                print(f"{verdict.id}: {fault}")
    except ModuleNotFoundError as error:
        print(f"{error}: run `make venv`, then `.venv/bin/python -m tests.conformance ...`", file=sys.stderr)
        return USAGE
    except Exception as error:
        print(f"{path.name}: expected a file of kind {kind}, got {type(error).__name__}: {error}")
        failed += 1
    for what, number in sorted(counts.items()):
        print(f"{what}: {number}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
