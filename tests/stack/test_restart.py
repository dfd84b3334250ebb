"""What a player finds after the system went down and came up again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from infra.local.api import Player
from infra.local.stack import RunningStack
from infra.local.walkthrough import walkthrough
from tests.engine_fixtures import started

pytestmark = pytest.mark.stack


def first_move(stack: RunningStack) -> dict[str, Any]:
    """Play the first move of a new game, as the printed lines do; returns the game."""
    done = subprocess.run(["bash"], input=walkthrough(stack.url), capture_output=True, text=True, check=True)
    game: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return game


def test_a_killed_run_loses_no_move_and_no_time(tmp_path: Path) -> None:
    with started(tmp_path, "--speed", "60") as run:
        game = first_move(run.stack)
        run.process.kill()

    with started(tmp_path) as run:
        found = Player(run.stack, "bert").get(f"/v1/games/{game['id']}")

        assert found["events"] == game["events"]
        assert found["clock"]["deadline_ms"] == game["clock"]["deadline_ms"]
        assert found["now_ms"] >= game["now_ms"], "game time went back with the speed"
