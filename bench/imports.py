"""CPU until a fresh process can answer: imports, with compiled files present, and the first call."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from bench.door import Event, Match, door, nowhere
from bench.figures import Figure, at_share
from bench.memory import MemoryTable, answer_from
from bench.real_game import moves
from infra.aws.package import package_for_this_machine
from infra.project import ROOT

ROUNDS: Final = 9
SMALL_ROUNDS: Final = 2
TOP: Final = 12
BUDGET_MS: Final = 230

HANDLERS: Final = {"API": "import app", "flagfall": "import chalicelib.games.worker"}
"""What Lambda imports for a function, see the handlers in the template."""

LATE: Final = ("chess", "jwt", "cryptography", "http_message_signatures")
"""Meant for first use, never for the import."""

MINUTE_EVENT: Final[Event] = {
    "version": "0",
    "id": "00000000-0000-0000-0000-000000000000",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "000000000000",
    "time": "2027-01-15T08:00:00Z",
    "region": "eu-central-1",
    "resources": [],
    "detail": {},
}

_CPU: Final = "import resource; used = resource.getrusage(resource.RUSAGE_SELF); print(used.ru_utime + used.ru_stime)"
_LOADED: Final = "import json, sys; print(json.dumps(sorted(sys.modules)))"
_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")


class Interpreter:
    """Fresh interpreters of this Python that import from `folder`.

    Compiled files are kept in `cache`, or beside their sources if it is None.
    """

    def __init__(self, folder: Path, cache: Path | None, *options: str) -> None:
        self._folder = folder
        self._cache = cache
        self._options = options
        for statement in HANDLERS.values():
            self.run(statement)

    def run(self, code: str, *options: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run `code`, which reads `given`. Raises RuntimeError with what it printed if it fails."""
        done = subprocess.run(
            [sys.executable, *self._options, *options, "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
            cwd=self._folder,
            env=self._environment(),
            input=given,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done

    def cpu_ms(self, statement: str, rounds: int) -> list[float]:
        """CPU of whole processes that run a statement and nothing else."""
        return [float(self.run(f"{statement}\n{_CPU}").stdout) * 1_000 for _ in range(rounds)]

    def _environment(self) -> dict[str, str]:
        compiled = {"PYTHONPYCACHEPREFIX": str(self._cache)} if self._cache else {}
        return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | compiled


def measure(*, small: bool) -> list[Figure]:
    rounds = SMALL_ROUNDS if small else ROUNDS
    with tempfile.TemporaryDirectory() as scratch:
        checkout = Interpreter(ROOT, Path(scratch) / "cache")
        figures = _imports("checkout", checkout, rounds)
        if not small:
            figures += _imports("package", _packaged(Path(scratch) / "package"), rounds)
        loaded = set(json.loads(checkout.run(f"import app; {_LOADED}").stdout))
        early = [name for name in LATE if name in loaded]
        figures.append(Figure(f"of {', '.join(LATE)} loaded", len(early), " ".join(early), budget=0))
        return figures + _first_calls(checkout, rounds) + _costs(checkout)


def _imports(where: str, interpreter: Interpreter, rounds: int) -> list[Figure]:
    bare = interpreter.cpu_ms("pass", rounds)
    figures = [Figure(f"{where}: interpreter alone, p50", at_share(bare, 0.5), "ms")]
    for name, statement in HANDLERS.items():
        spent = interpreter.cpu_ms(statement, rounds)
        figures += [
            Figure(f"{where}: {name}, with interpreter, p50", at_share(spent, 0.5), "ms", budget=BUDGET_MS),
            Figure(f"{where}: {name}, with interpreter, least", min(spent), "ms"),
        ]
    return figures


def _packaged(folder: Path) -> Interpreter:
    """The zip as Lambda unpacks it: only what the app reads, compiled, nothing installed around it."""
    with zipfile.ZipFile(package_for_this_machine().zip_path) as archive:
        archive.extractall(folder)
    return Interpreter(folder, None, "-S")


def _first_calls(interpreter: Interpreter, rounds: int) -> list[Figure]:
    """CPU of the first call after the import, the wire answering from memory: what a cold start adds to a request."""
    nowhere()
    memory = MemoryTable()
    answer_from(memory)
    with door() as opened:
        match = Match(opened, "first")
        match.think(0)
        calls = {"move": (match.event(0, moves()[0]), memory.item), "flagfall": (MINUTE_EVENT, {})}
        os.environ["TIME_ANCHOR_MS"] = str(opened.now_ms)
        os.environ["TIME_ANCHOR_REAL_MS"] = str(time.time_ns() // 1_000_000)
        return [_first_call(interpreter, name, *call, rounds) for name, call in calls.items()]


def _first_call(interpreter: Interpreter, name: str, event: Event, item: Mapping[str, Any], rounds: int) -> Figure:
    given = json.dumps({"function": name, "event": event, "item": item})
    interpreter.run("import bench.first_call", given=given)
    spent = [float(interpreter.run("import bench.first_call", given=given).stdout) * 1_000 for _ in range(rounds)]
    return Figure(f"first call after the import: {name}, p50", at_share(spent, 0.5), "ms")


def _costs(interpreter: Interpreter) -> list[Figure]:
    """Own wall time of the modules that `import app` loads, by library."""
    costs: Counter[str] = Counter()
    for line in interpreter.run("import app", "-X", "importtime").stderr.splitlines():
        found = _LINE.match(line)
        if found:
            costs[found[2].partition(".")[0]] += int(found[1])
    return [Figure(f"import of {library}, wall", spent / 1_000, "ms") for library, spent in costs.most_common(TOP)]
