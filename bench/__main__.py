"""Run the parts asked for, or all."""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from bench.part import measured

PARTS: Final = ("writes", "cpu", "imports", "speed", "flagfall", "visibility")
RESULTS: Final = Path(__file__).with_name("results")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="measure Zeitnot on this machine")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--out", type=Path, default=RESULTS / "latest.json", help="where the figures go as JSON")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    figures = {}
    for part in arguments.parts or PARTS:
        print(f"\n{part}", flush=True)
        figures[part] = _alone(part)
        for name, value in figures[part].items():
            print(f"  {name:<58} {value}", flush=True)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps({"cores": os.cpu_count(), **figures}, indent=1) + "\n")
    return 0


def _alone(part: str) -> dict[str, Any]:
    """The figures of a part, in a process of its own: connections and settings last as long as a process."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(measured, part).result()


if __name__ == "__main__":
    sys.exit(main())
