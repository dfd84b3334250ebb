"""The app in this process, called as Lambda calls it: an event of API Gateway in, an answer out. Tokens are real."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from functools import cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Final
from unittest.mock import patch

from bench.real_game import thought_ms
from chalicelib.core.settings import settings
from infra.local.engine import Engine, environment_for
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from infra.local.storage import create_queues, create_tables

CHALLENGES: Final = "/v1/challenges"
ACCEPT: Final = "/v1/challenges/{game_id}/accept"
MOVES: Final = "/v1/games/{game_id}/moves"

START_MS: Final = 1_800_000_000_000
"""Game time at the beginning of a measurement."""

Event = Mapping[str, Any]


class Door:
    """The way in for players, and game time, which stands still between their acts."""

    def __init__(self, issuer: Issuer) -> None:
        from app import app

        self._app = app
        self._token = cache(issuer.token)
        self.now_ms = START_MS

    def event(self, player: str, route: str, game: str | None, body: Mapping[str, Any], key: str = "") -> Event:
        """What API Gateway makes of a POST."""
        headers = {
            "Accept": "*/*",
            "Authorization": f"Bearer {self._token(player)}",
            "Content-Type": "application/json",
            "Host": "abcdefghij.execute-api.eu-central-1.amazonaws.com",
            "User-Agent": "bench",
            "X-Forwarded-For": "192.0.2.1",
            **({"Idempotency-Key": key} if key else {}),
        }
        path = route.replace("{game_id}", game or "")
        return {
            "resource": route,
            "path": path,
            "httpMethod": "POST",
            "headers": headers,
            "multiValueHeaders": {name: [value] for name, value in headers.items()},
            "queryStringParameters": None,
            "multiValueQueryStringParameters": None,
            "pathParameters": {"game_id": game} if game else None,
            "stageVariables": None,
            "requestContext": {
                "resourcePath": route,
                "httpMethod": "POST",
                "path": f"/api{path}",
                "stage": "api",
                "requestId": str(uuid.uuid4()),
                "identity": {"sourceIp": "192.0.2.1", "userAgent": "bench"},
            },
            "body": json.dumps(body),
            "isBase64Encoded": False,
        }

    def answer(self, event: Event) -> dict[str, Any]:
        """The app's answer to an event, as it is given to API Gateway."""
        answer: dict[str, Any] = self._app(event, None)
        return answer

    def post(self, player: str, route: str, game: str | None, body: Mapping[str, Any], key: str = "") -> Any:
        return accepted(self.answer(self.event(player, route, game, body, key)))


def accepted(answer: dict[str, Any]) -> Any:
    """The body of an answer. Figures of refused requests would be worthless: raises RuntimeError for a refusal."""
    if answer["statusCode"] >= HTTPStatus.BAD_REQUEST:
        raise RuntimeError(f"{answer['statusCode']} {answer['body']}")
    return json.loads(answer["body"])


class Match:
    """Two players and their game. `terms` replaces or (None) removes parts of the body of the challenge."""

    def __init__(self, door: Door, name: str, terms: Mapping[str, Any] | None = None) -> None:
        self.door = door
        # As long as the ids of Cognito.
        self.players = [str(uuid.uuid5(uuid.NAMESPACE_URL, f"{name}/{side}")) for side in ("white", "black")]
        body = {"opponent": self.players[1], "profile": "30-30-1", "colour": "white", **(terms or {})}
        challenge = {name: value for name, value in body.items() if value is not None}
        self.game: str = door.post(self.players[0], CHALLENGES, None, challenge, key=name)["id"]
        door.post(self.players[1], ACCEPT, self.game, {})

    def think(self, ply: int) -> None:
        self.door.now_ms += thought_ms(ply)

    def event(self, ply: int, move: str) -> Event:
        return self.door.event(self.players[ply % 2], MOVES, self.game, {"ply": ply, "move": move})

    def play(self, ply: int, move: str) -> None:
        """Think and move."""
        self.think(ply)
        accepted(self.door.answer(self.event(ply, move)))


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """An engine with empty tables and queues, to which the environment of this process leads."""
    with Engine() as running:
        os.environ.update(running.environment)
        os.environ.update(create_tables(running.endpoint) | create_queues(running.endpoint))
        yield running


def nowhere() -> None:
    """Lead this process to a database that does not exist, for those who answer in its place."""
    os.environ.update(environment_for("http://127.0.0.1:9"))


@contextlib.contextmanager
def door() -> Iterator[Door]:
    """The app on whatever database the environment leads to."""
    with _issuer() as trusted:
        opened = Door(trusted)
        settings.cache_clear()
        with patch("chalicelib.core.time.real_ms", lambda: opened.now_ms):
            yield opened


@contextlib.contextmanager
def _issuer() -> Iterator[Issuer]:
    """An issuer of tokens whom the app in this process trusts; it publishes its keys on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        made = Issuer(Path(folder) / "private" / "key.pem")
        public = Path(folder) / "public"
        public.mkdir()
        (public / "keys.json").write_text(json.dumps(made.key_set()))
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(public))) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/keys.json"
            os.environ.update({"JWT_ISSUER": ISSUER, "JWT_AUDIENCE": AUDIENCE, "JWT_JWKS_URL": url})
            yield made
            server.shutdown()


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass
