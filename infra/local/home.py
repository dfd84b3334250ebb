"""The folder of one local stack: its state, the record of the run, and the lock that keeps a second run out."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.project import WORK

DEFAULT_PORT: Final = 8000


class AlreadyRunning(Exception):
    """Another `run` holds this folder."""


@dataclass(frozen=True, slots=True)
class Home:
    """`state` outlives runs; the rest belongs to one run. Delete the folder to start from nothing."""

    folder: Path

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def engine(self) -> Path:
        return self.state / "engine"

    @property
    def issuer_key(self) -> Path:
        return self.state / "issuer.pem"

    @property
    def virtual_time(self) -> Path:
        return self.state / "time.json"

    @property
    def seeded(self) -> Path:
        """Exists once the example games were loaded."""
        return self.state / "seeded"

    @property
    def engine_port(self) -> Path:
        """The port of the engine's last run: the addresses of queues, which functions hold, contain it."""
        return self.state / "engine-port"

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold the folder; raises AlreadyRunning. The lock ends with the process, however that ends."""
        self.state.mkdir(parents=True, exist_ok=True)
        with self._lock(fcntl.LOCK_EX):
            try:
                yield
            finally:
                self._record.unlink(missing_ok=True)

    def is_claimed(self) -> bool:
        """Whether a run holds the folder. A record alone says nothing: a killed run leaves one behind."""
        try:
            with self._lock(fcntl.LOCK_SH):
                return False
        except AlreadyRunning:
            return True

    def record(self, **facts: Any) -> None:
        """Note what a run is: its pid from the start, its addresses when it is ready."""
        unfinished = self._record.with_suffix(".part")
        unfinished.write_text(json.dumps(facts, indent=2) + "\n")
        unfinished.rename(self._record)

    def recorded(self) -> dict[str, Any] | None:
        """The record of the run that holds the folder; None if there is no run."""
        if not self._record.exists() or not self.is_claimed():
            return None
        facts: dict[str, Any] = json.loads(self._record.read_text())
        return facts

    @contextlib.contextmanager
    def _lock(self, kind: int) -> Iterator[None]:
        with (self.folder / "lock").open("a") as file:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError as held:
                raise AlreadyRunning(str(self.folder)) from held
            yield

    @property
    def _record(self) -> Path:
        return self.folder / "run.json"


def add_home(parser: argparse.ArgumentParser) -> None:
    """The option by which every command finds its stack."""
    parser.add_argument("--home", type=Path, default=WORK, help="folder of the stack (default: .zeitnot)")
