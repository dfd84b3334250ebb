"""Ratings read through the deployed API: the role of its function may read all that they are made of."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any
from uuid import uuid4

import pytest

from infra.local.api import Player
from infra.local.stack import RunningStack
from infra.project import ROOT
from tests.stack.test_rights import Table, eventually

pytestmark = pytest.mark.stack


def test_a_club_orders_its_rebuild(stack: RunningStack) -> None:
    admin = Player(stack, f"admin-{uuid4().hex[:8]}", scope="read record")
    club = admin.post("/v1/clubs", {"name": "Club", "time_zone": "Europe/Berlin"}, key="club")["id"]
    path = f"/v1/ratings/club:{club}"

    assert admin.post(f"{path}/rebuild")["partition"] == f"club:{club}"

    eventually(lambda: admin.get(f"{path}/progress")["generation"])
    assert admin.get(f"{path}/progress")["waiting"] == 0
    assert admin.get(f"{path}/board?projection=pair")["rows"] == []
    assert admin.get("/v1/ratings/decay-runs")["zone"] == "Europe/Berlin"


def test_a_pool_from_its_games_to_a_challenge_and_a_rebuild(stack: RunningStack) -> None:
    table = Table(stack)
    game = table.game()
    table.white.post(f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"})
    table.black.post(f"/v1/games/{game}/resign")
    pool = "pool:chess:classical"

    def standing() -> Any:
        pools = table.white.get(f"/v1/players/{table.white.name}/pools")["pools"]
        return next(view["standing"] for view in pools if view["partition"] == pool)

    assert eventually(standing)["wins"] == 1
    (entry,) = table.white.get(f"/v1/ratings/{pool}/members/{table.white.name}/history")["games"]
    assert (entry["id"], entry["score"]) == (game, 1)
    sides = f"a={table.white.name}&b={table.black.name}"
    assert table.white.get(f"/v1/ratings/{pool}/prediction?{sides}")["expected_score"] > 0.5
    wish = {"opponent": table.white.name, "profile": "30-30-1"}
    challenge = table.black.post("/v1/challenges", wish, key=uuid4().hex)
    assert challenge["invitation"]["forecast"]["expected_score"] < 0.5
    generation = table.white.get(f"/v1/ratings/{pool}/progress")["generation"]
    command = [sys.executable, "-m", "infra.local", "rebuild", pool]
    subprocess.run(command, env={**os.environ, "ZEITNOT_HOME": str(stack.home.folder)}, check=True, cwd=ROOT)
    eventually(lambda: table.white.get(f"/v1/ratings/{pool}/progress")["generation"] > generation)
    assert standing()["wins"] == 1
