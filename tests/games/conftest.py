"""Games through the app's own HTTP door, in this process, on the local engine."""

from __future__ import annotations

import functools
import http.server
import itertools
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from chalice.test import Client, HTTPResponse

from infra.local.issuer import AUDIENCE, ISSUER, Issuer

PUBLIC_URL = "https://zeitnot.test"
"""Where clients find the app."""


@pytest.fixture(scope="session")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Issuer, str]]:
    """An issuer of tokens, and the URL at which it publishes its keys."""
    folder = tmp_path_factory.mktemp("issuer")
    made = Issuer(folder / "key.pem")
    (folder / "public").mkdir()
    (folder / "public" / "keys.json").write_text(json.dumps(made.key_set()))
    handler = functools.partial(_Silent, directory=str(folder / "public"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made, f"http://127.0.0.1:{server.server_port}/keys.json"
        server.shutdown()


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@dataclass
class Hand:
    """A player at the HTTP door."""

    client: Client
    player: str
    token: str
    keys: Iterator[int] = field(default_factory=itertools.count)

    def get(self, path: str, **headers: str) -> HTTPResponse:
        return self.client.http.get(path, headers=self._headers(headers))

    def post(self, path: str, body: Any = None, key: str | None = None, **headers: str) -> HTTPResponse:
        sent = {"Idempotency-Key": key or f"{self.player}-{next(self.keys)}", "Content-Type": "application/json"}
        return self.client.http.post(path, headers=self._headers(sent | headers), body=json.dumps(body or {}).encode())

    def put(self, path: str, body: Any, **headers: str) -> HTTPResponse:
        sent = self._headers({"Content-Type": "application/json", **headers})
        return self.client.http.put(path, headers=sent, body=json.dumps(body).encode())

    def delete(self, path: str, **headers: str) -> HTTPResponse:
        return self.client.http.delete(path, headers=self._headers(headers))

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **{k.replace("_", "-"): v for k, v in more.items()}}

    def move(self, game: str, ply: int, move: str) -> HTTPResponse:
        return self.post(f"/v1/games/{game}/moves", {"ply": ply, "move": move})


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The time that the app reads, in the hands of the test."""
    return Time(monkeypatch)


@dataclass
class Time:
    """Game time and real time, standing still until moved."""

    monkeypatch: pytest.MonkeyPatch
    ms: int = 1_772_323_200_000

    def __post_init__(self) -> None:
        self.monkeypatch.setattr("chalicelib.core.time.real_ms", lambda: self.ms)

    def pass_by(self, ms: int) -> None:
        self.ms += ms


@pytest.fixture
def door(on_engine: dict[str, str], issuer: tuple[Issuer, str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Hand]:
    """A way in for a player: `door("anna")`, `door("anna", scope="read")`."""
    made, url = issuer
    trusted = {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": url, "PUBLIC_URL": PUBLIC_URL}
    for name, value in trusted.items():
        monkeypatch.setenv(name, value)
    from app import app
    from chalicelib.core.settings import settings

    settings.cache_clear()
    client = Client(app, project_dir=str(Path(__file__).parents[2]))

    def enter(player: str, scope: str = "read play") -> Hand:
        return Hand(client, player, made.token(player, scope))

    return enter
