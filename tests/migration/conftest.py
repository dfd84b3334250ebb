"""Migrations into tables of their own on the engine, with the time in the hands of the test."""

from __future__ import annotations

import os
import signal
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from chalicelib.core import aws
from infra.migrate.__main__ import main
from tests.faults.conftest import alone
from tests.faults.stores import Tables, reconnect
from tests.games.conftest import Time, now
from tests.migration.exports import Game, write
from tests.races.processes import die_at

__all__ = ["alone", "now"]


@pytest.fixture(scope="session")
def tables(storage: dict[str, str]) -> Tables:
    """Tables for tests that walk over all games."""
    return Tables(storage["AWS_ENDPOINT_URL"], "migrated")


@dataclass
class Commands:
    """`python -m infra.migrate ...` in this process, or in one that is killed."""

    folder: Path
    time: Time

    def run(self, command: str, games: list[Game] | None = None, *options: str) -> int:
        """The exit code; `games` become the file."""
        return main(self._arguments(command, games, options))

    def run_killed(self, step: str, command: str, games: list[Game] | None = None, *options: str) -> None:
        """Run it in a process that gets killed at a step; see `tests.races.processes`."""
        arguments = self._arguments(command, games, options)
        child = os.fork()
        if child == 0:
            reconnect()
            aws._of_thread = threading.local()
            die_at(step)
            main(arguments)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    def _arguments(self, command: str, games: list[Game] | None, options: tuple[str, ...]) -> list[str]:
        if games is None:
            return [command, *options]
        return [command, str(write(self.folder / "games.csv", games)), *options]


@pytest.fixture
def migrate(alone: Time, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """The commands on empty tables; whoever waits makes the time pass."""
    monkeypatch.setattr("chalicelib.desk.closing.real_ms", lambda: alone.ms)
    for module in ("copying", "acting"):  # a thread makes clients of its own, which takes longer than what it does here
        monkeypatch.setattr(f"infra.migrate.{module}._AT_ONCE", 2)
    monkeypatch.setattr("infra.migrate.swap.sleep", lambda seconds: alone.pass_by(round(seconds * 1000)))
    return Commands(tmp_path, alone)
