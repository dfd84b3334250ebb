"""Fixtures of the local engine, for tests of stores, races and the whole stack.

`engine` is an empty engine, `storage` adds the template's tables, queues and buckets to it, `on_engine` leads this
process there for one test. `stack` is the whole system, packaged and deployed on ports of its own; `started` makes
another one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.local.engine import Engine
from infra.local.home import Home
from infra.local.stack import RunningStack
from infra.local.storage import create_buckets, create_queues, create_tables
from infra.project import ROOT

STACK_STARTS_WITHIN = 240.0


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """A storage engine without persistence, shared by the session: use ids of your own."""
    with Engine() as running:
        yield running


@pytest.fixture(scope="session")
def storage(engine: Engine) -> dict[str, str]:
    """The engine with all that keeps state; returns every variable that a store needs to find it."""
    made = (create(engine.endpoint) for create in (create_tables, create_queues, create_buckets))
    return engine.environment | {name: value for variables in made for name, value in variables.items()}


@pytest.fixture
def on_engine(storage: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of `storage` in the environment of one test."""
    for name, value in storage.items():
        monkeypatch.setenv(name, value)
    return storage


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The system as `make run` starts it, with an empty state and without example games, shared by the session."""
    with started(tmp_path_factory.mktemp("stack")) as run:
        yield run.stack


@dataclass(frozen=True, slots=True)
class Run:
    """A stack and the process that keeps it running."""

    stack: RunningStack
    process: subprocess.Popen[bytes]


@contextmanager
def started(home: Path, *options: str) -> Iterator[Run]:
    """`run` on the state folder `home`, ready; stopped in peace at the end unless it has ended before.

    `options` are those of the command line: `started(home, "--speed", "1000")`.
    """
    log_path = home / "run.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "infra.local", "run", "--home", str(home), "--no-seed", *options],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        _await_ready(home, process, log_path)
        yield Run(RunningStack.find(home), process)
    finally:
        process.terminate()
        process.wait(90)


def _await_ready(home: Path, process: subprocess.Popen[bytes], log_path: Path) -> None:
    deadline = time.monotonic() + STACK_STARTS_WITHIN
    while not (Home(home).recorded() or {}).get("ready"):
        if process.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"the stack did not start\n{log_path.read_text(errors='replace')}")
        time.sleep(0.2)
