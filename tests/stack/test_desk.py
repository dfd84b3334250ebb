"""The desk on a deployed stack: the API may do what acts, audit and profiles take, and the stream follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from chalicelib.core.durations import HOUR
from infra.admin.client import Client, Refused
from infra.admin.signer import Signer
from infra.local.api import Player
from infra.local.stack import RunningStack
from tests.stack.test_rights import eventually
from tests.stack.test_signed_requests import admin

pytestmark = pytest.mark.stack


@pytest.fixture(scope="module")
def otto(stack: RunningStack) -> Client:
    made = admin(stack, "key", "new", f"otto-{uuid4().hex[:8]}", "--role", "operator")
    return Client(stack.url, Signer.load(Path(made.partition("private key: ")[2].strip())))


def act(client: Client, game: str, name: str, **body: Any) -> Any:
    return client.post(f"/v1/admin/games/{game}/{name}", {"reason": "test", **body}, uuid4().hex)


def test_a_referee_corrects_decides_and_takes_back(stack: RunningStack, otto: Client) -> None:
    white, black = (Player(stack, f"{name}-{uuid4().hex[:8]}") for name in ("w", "b"))
    wish = {"opponent": black.name, "profile": "30-30-1", "colour": "white"}
    game: str = white.post("/v1/challenges", wish, key=uuid4().hex)["id"]
    black.post(f"/v1/challenges/{game}/accept")

    def ended(player: Player) -> bool:
        return game in {card["id"] for card in player.get(f"/v1/players/{player.name}/games")["games"]}

    gift = act(otto, game, "adjust", side="white", delta_ms=-HOUR)
    assert white.get(f"/v1/games/{game}")["clock"]["deadline_ms"] == gift["after"]["deadline_ms"]
    act(otto, game, "adjudicate", result="black")
    eventually(lambda: ended(white) and ended(black))
    act(otto, game, "undo")
    assert not ended(white)
    assert not ended(black)
    assert white.post(f"/v1/games/{game}/moves", {"ply": 0, "move": "e2e4"})["type"] == "move"

    acts = otto.get(f"/v1/admin/audit?game={game}")["acts"]
    assert [one["kind"] for one in acts] == ["undo", "adjudicate", "adjust"]
    actor = acts[0]["actor"]
    assert len(otto.get(f"/v1/admin/audit?actor={actor}")["acts"]) >= 3
    assert otto.get("/v1/admin/audit")["acts"]
    assert otto.get(f"/v1/admin/audit/export?game={game}").count("\n") == 4


def test_an_operator_adds_and_retires_a_profile(stack: RunningStack, otto: Client) -> None:
    code = f"9-9-1.{uuid4().hex[:8]}"
    numbers = {"initial_buffer_ms": 9 * HOUR, "increment_ms": HOUR, "cap_ms": 9 * HOUR}
    otto.post("/v1/admin/profiles", {"code": code, "reason": "test", **numbers}, uuid4().hex)
    white = Player(stack, f"w-{uuid4().hex[:8]}")
    # Processes that have not heard of it yet ask again at once.
    assert white.post("/v1/challenges", {"opponent": "bert", "profile": code}, key=uuid4().hex)["id"]
    otto.post("/v1/admin/profiles/retire", {"code": code, "reason": "test"}, uuid4().hex)
    with pytest.raises(Refused, match="nothing_to_do"):
        otto.post("/v1/admin/profiles/retire", {"code": code, "reason": "test"}, uuid4().hex)
