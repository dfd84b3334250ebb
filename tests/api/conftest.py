"""The app behind a real HTTP server of one thread, on the engine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chalice.config import Config
from chalice.local import ChaliceRequestHandler, LocalDevServer

from infra.local.engine import free_port
from tests.games.conftest import Hand, door, issuer, now

__all__ = ["door", "issuer", "now"]


class _Prompt(ChaliceRequestHandler):
    """Sends an answer in one piece: head and body in two make every request on a kept connection wait for 40 ms."""

    wbufsize = -1
    disable_nagle_algorithm = True


@pytest.fixture
def address(door: Callable[..., Hand]) -> Iterator[str]:
    """Where the app answers over HTTP."""
    from app import app

    config = Config.create(project_dir=str(Path(__file__).parents[2]))
    port = free_port(0)
    server = LocalDevServer(app, config, "127.0.0.1", port, handler_cls=_Prompt)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.shutdown()
    thread.join(5)
