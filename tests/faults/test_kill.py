"""The app's process dies at every step of a move; what was answered is there, and asking again settles the rest."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from chalicelib.games import store
from infra.project import ROOT
from tests.games.conftest import Hand
from tests.games.test_api import start

# What a step of the move path looks like on the wire, and whether the move has been stored by then.
STEPS = {
    "before the read": ("before-send.dynamodb.GetItem", False),
    "after the read": ("after-call.dynamodb.GetItem", False),
    "before the write": ("before-send.dynamodb.UpdateItem", False),
    "after the write": ("response-received.dynamodb.UpdateItem", True),
    "before the answer": ("after-call.dynamodb.UpdateItem", True),
}

MOVE_AND_DIE = """
import os, signal, sys
event, game, player = sys.argv[1:]
from chalicelib.core.settings import settings
from chalicelib.games.act import act
from chalicelib.games.commands import Move
from chalicelib.games.item import GameItem

def die(**_):
    os.kill(os.getpid(), signal.SIGKILL)

GameItem._get_connection().connection.client.meta.events.register(event, die)
act(game, Move(player, 0, "e2e4"), settings().time.now_ms())
"""


@pytest.mark.parametrize("step", STEPS)
def test_death_in_the_middle_of_a_move(door: Callable[..., Hand], on_engine: dict[str, str], step: str) -> None:
    event, is_stored = STEPS[step]
    game, white, _ = start(door)
    died = subprocess.run(
        [sys.executable, "-c", MOVE_AND_DIE, event, game, white.player],
        cwd=ROOT,
        env={**os.environ, **on_engine},
        capture_output=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    assert store.load(game).ply == int(is_stored)
    answers = [white.move(game, 0, "e2e4") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].body == answers[1].body
    assert len(store.load(game).log) == 2
