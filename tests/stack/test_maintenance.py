"""Maintenance on a deployed stack: the roles of the API and of the minute's function may do what windows take."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any
from uuid import uuid4

import pytest

from infra.admin.client import Client
from infra.local import functions
from infra.local.api import Player
from infra.local.stack import RunningStack
from infra.project import ROOT
from tests.stack.test_desk import otto
from tests.stack.test_rights import Table, table

__all__ = ["otto", "table"]

pytestmark = pytest.mark.stack

CALLS = 30

HOUR_LONG = """
import os
from infra.local.stack import RunningStack
os.environ.update(RunningStack.find().environment())
from chalicelib.core.settings import settings
from chalicelib.core.signing import Admin
from chalicelib.desk import closing, ledger
from chalicelib.desk.windows import Record
from chalicelib.watch import watching
now_ms = settings().time.now_ms()
record = Record("abcdefghijkm", "window", "test", now_ms - 3_600_000, "otto", now_ms - 3_600_000)
ledger.save(record, lambda transaction: watching.open_window(transaction, record.window))
closing.close_at_rest(Admin("test", "otto", "operator", frozenset(), ""), record.id, now_ms)
"""
"""Opens a window an hour ago and closes it now, as `make run` would close a silence."""


def test_a_closed_window_is_taken_out_of_all_clocks_by_the_function_of_the_minute(
    stack: RunningStack, table: Table, otto: Client
) -> None:
    game = table.game()
    usual = {name: text for name, text in os.environ.items() if not name.endswith("_TABLE")}
    environment = {**usual, "ZEITNOT_HOME": str(stack.home.folder)}
    subprocess.run([sys.executable, "-c", HOUR_LONG], cwd=ROOT, env=environment, check=True)
    window = _settled(stack, otto, "abcdefghijkm")
    assert (window["state"], window["progress"]["failed"]) == ("closed", 0)
    assert kinds(table.white, game) == ["accepted", "shifted"]


def test_operators_announce_a_window_and_call_it_off(stack: RunningStack, otto: Client) -> None:
    before = otto.get("/v1/admin/windows")["windows"]
    now_ms = Player(stack, "anna").get("/v1/time")["now_ms"]
    wish = {"reason": "new disks", "from_ms": now_ms + 86_400_000}
    window = otto.post("/v1/admin/windows", wish, uuid4().hex)
    assert window["state"] == "planned"
    off = otto.post(f"/v1/admin/windows/{window['id']}/close", {}, uuid4().hex)
    assert off["state"] == "closed"
    assert otto.get("/v1/admin/windows")["windows"] == [off, *before]


def _settled(stack: RunningStack, otto: Client, window: str) -> dict[str, Any]:
    """The window when the function of the minute has done with it, which takes several calls if the stack is new."""
    for _ in range(CALLS):
        functions.on_schedule(stack, "MaintenanceFunction")
        found: dict[str, Any] = otto.get(f"/v1/admin/windows/{window}")
        if found["state"] == "closed":
            break
        time.sleep(1)
    return found


def kinds(player: Player, game: str) -> list[Any]:
    return [event["type"] for event in player.get(f"/v1/games/{game}")["events"]]
