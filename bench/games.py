"""A real game of 80 plies, and the app in this process on an engine of its own."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from chalice.test import Client

from infra.local.engine import Engine
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from infra.local.storage import create_queues, create_tables
from infra.project import ROOT

PLIES: Final = 80


def moves(plies: int = PLIES) -> list[str]:
    """A legal game of so many plies without an end: captures and pawns first, then knights and rooks wandering."""
    import chess

    board = chess.Board()
    played = []
    for ply in range(plies):
        legal = sorted(board.legal_moves, key=lambda move: (board.is_capture(move), move.uci()))
        for offset in range(len(legal)):
            move = legal[(ply * 7 + offset) % len(legal)]
            board.push(move)
            if not board.is_game_over(claim_draw=True):
                played.append(move.uci())
                break
            board.pop()
    return played


@contextlib.contextmanager
def app_on_engine() -> Iterator[tuple[Client, Issuer, Engine]]:
    """The app of this process on the tables of a new engine, with real tokens."""
    with tempfile.TemporaryDirectory() as folder, Engine() as engine, key_server(Path(folder)) as (issuer, url):
        names = {**engine.environment, **create_tables(engine.endpoint), **create_queues(engine.endpoint)}
        os.environ.update(names | {"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": url})
        from app import app
        from chalicelib.core.settings import settings

        settings.cache_clear()
        yield Client(app, project_dir=str(ROOT)), issuer, engine


@contextlib.contextmanager
def key_server(folder: Path) -> Iterator[tuple[Issuer, str]]:
    """An issuer of tokens whose keys are published on this machine."""
    issuer = Issuer(folder / "key.pem")

    class Keys(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(issuer.key_set()).encode())

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Keys) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield issuer, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class Table:
    """Two players at the app's door."""

    def __init__(self, client: Client, issuer: Issuer, name: str) -> None:
        self.client = client
        self.players = [f"{name}-white", f"{name}-black"]
        self.tokens = [issuer.token(player) for player in self.players]
        body = {"opponent": self.players[1], "profile": "30-30-1", "colour": "white"}
        self.game = self.post(0, "/v1/challenges", body)["id"]
        self.post(1, f"/v1/challenges/{self.game}/accept", {})

    def post(self, seat: int, path: str, body: dict[str, Any]) -> Any:
        headers = {
            "Authorization": f"Bearer {self.tokens[seat]}",
            "Content-Type": "application/json",
            "Idempotency-Key": self.players[0],
        }
        answer = self.client.http.post(path, headers=headers, body=json.dumps(body).encode())
        if answer.status_code >= http.HTTPStatus.BAD_REQUEST:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.body!r}")
        return answer.json_body

    def move(self, ply: int, move: str) -> None:
        self.post(ply % 2, f"/v1/games/{self.game}/moves", {"ply": ply, "move": move})
