"""Run the parts asked for, or all."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.figures import Figure, conditions
from infra.project import ROOT

PARTS: Final = (
    *("writes", "cpu", "imports", "speed", "flagfall", "maintenance", "visibility", "replay", "ratings", "signing"),
)
RESULTS: Final = Path(__file__).with_name("results") / "latest.json"
BASELINE: Final = Path(__file__).with_name("baseline.json")


def main() -> int:
    arguments = _arguments()
    earlier = _read(arguments.against)
    report: dict[str, Any] = {"conditions": conditions(), "small": arguments.small, "figures": {}}
    print("on", ", ".join(f"{name} {value}" for name, value in report["conditions"].items()))
    failed = 0
    for part in arguments.parts or PARTS:
        print(f"\n{part}", flush=True)
        figures = _alone(part, arguments.small, arguments.profile and part == "cpu")
        failed += figures is None
        for figure in figures or []:
            print(" ", figure.shown(earlier.get(part, {}).get(figure.name)), flush=True)
        report["figures"][part] = msgspec.to_builtins(figures or [])
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Zeitnot on this machine.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--small", action="store_true", help="seconds instead of minutes; says little about speed")
    parser.add_argument("--profile", action="store_true", help="cpu: also say where the time goes")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the figures go as JSON (default: %(default)s)")
    parser.add_argument("--against", type=Path, default=BASELINE, help="figures of another run, to be shown beside")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    return arguments


def _read(path: Path) -> dict[str, dict[str, float | str]]:
    """The values of an earlier run by part and name; nothing if there is none."""
    if not path.exists():
        return {}
    figures = json.loads(path.read_text())["figures"]
    return {part: {figure["name"]: figure["value"] for figure in some} for part, some in figures.items()}


def _alone(part: str, small: bool, profile: bool) -> list[Figure] | None:
    """The figures of a part, measured in a process of its own: connections and settings last as long as a process.

    None if it failed; it has said why on stderr.
    """
    switches = ["--small"] * small + ["--profile"] * profile
    command = [sys.executable, "-m", "bench.part", part, *switches]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
    return msgspec.json.decode(done.stdout, type=list[Figure]) if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
