"""The app in processes of its own, many at once, which may be killed on their way.

`Processes` starts one process that has imported everything; it forks a child for each request. The children begin
together, and die at the step they are told to, as a killed function does: without cleaning up, without an answer.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from infra.project import ROOT
from tests.games.conftest import Hand

Reply = tuple[int, Any]
"""Status and body."""


def ask(
    hand: Hand, path: str, body: Any = None, *, key: str = "", now_ms: int | None = None, die: str = ""
) -> dict[str, Any]:
    """A POST for `Processes`.

    `now_ms` is the real time that its process reads. `die` names a step: "before UpdateItem", "after UpdateItem",
    "before TransactWriteItems 2" (the second one), or "before the answer".
    """
    headers = {"authorization": f"Bearer {hand.token}", "idempotency-key": key, "content-type": "application/json"}
    return {"path": path, "headers": headers, "body": json.dumps(body or {}), "now_ms": now_ms, "die": die}


class Processes:
    """Where requests are carried out in processes of their own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def at_once(self, asks: Sequence[dict[str, Any]]) -> list[Reply | None]:
        """Carry out all at once; None for a process that died."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(list(asks)) + "\n")
        self._process.stdin.flush()
        replies = json.loads(self._process.stdout.readline())
        return [None if reply is None else (reply[0], reply[1]) for reply in replies]

    def one(self, what: dict[str, Any]) -> Reply | None:
        return self.at_once([what])[0]


@contextmanager
def processes(environment: Mapping[str, str]) -> Iterator[Processes]:
    """Processes that find store and issuer in these variables."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.races.processes"],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Processes(process)
        assert process.stdin is not None
        process.stdin.close()
        process.wait(10)


# --- on the other side


def _serve() -> None:
    # What is imported on first use costs every child a tenth of a second; so do clients. Connections are their own.
    import jwt.algorithms  # noqa: F401
    from chalice.config import Config
    from chalice.local import LocalGateway

    from app import app
    from chalicelib.games import pairings, rows
    from chalicelib.games.item import GameItem
    from chalicelib.rules import referee
    from chalicelib.watch.store import WatchItem

    referee("chess").start(None)
    gateway = LocalGateway(app, Config.create(project_dir=str(ROOT)))
    for model in (GameItem, rows.PlayerGameItem, pairings.PairingItem, WatchItem):
        assert model._get_connection().connection.client
    for line in sys.stdin:
        print(json.dumps(_all_at_once(json.loads(line), gateway.handle_request)), flush=True)


def _all_at_once(asks: list[dict[str, Any]], handle: Callable[..., dict[str, Any]]) -> list[Any]:
    start, go = os.pipe()
    pipes = [_fork(what, handle, start, go) for what in asks]
    os.close(start)
    os.close(go)
    replies = []
    for pid, pipe in pipes:
        with os.fdopen(pipe) as reader:
            text = reader.read()
        os.waitpid(pid, 0)
        replies.append(json.loads(text) if text else None)
    return replies


def _fork(what: dict[str, Any], handle: Callable[..., dict[str, Any]], start: int, go: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, reading
    os.close(go)
    os.close(reading)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.read(start, 1)
    _set_time(what["now_ms"])
    die_at(what["die"])
    response = handle("POST", what["path"], what["headers"], what["body"].encode())
    if what["die"] == "before the answer":
        os.kill(os.getpid(), signal.SIGKILL)
    os.write(writing, json.dumps([response["statusCode"], json.loads(response["body"])]).encode())
    os._exit(0)


def _set_time(now_ms: int | None) -> None:
    from chalicelib.core import time

    if now_ms is not None:
        time.real_ms = lambda: now_ms


def die_at(step: str) -> None:
    """Let this process be killed right before, or right after, its nth request of an operation."""
    from botocore.httpsession import URLLib3Session

    when, _, operation = step.partition(" ")
    operation, _, number = operation.partition(" ")
    send, left = URLLib3Session.send, [int(number) if number.isdigit() else 1]

    def watched(session: URLLib3Session, request: Any) -> Any:
        target = request.headers["X-Amz-Target"]
        is_meant = (target if isinstance(target, str) else target.decode()).endswith(f".{operation}")
        left[0] -= is_meant
        is_it = is_meant and left[0] == 0  # as of now: other threads count on while the answer is under way
        if is_it and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = send(session, request)
        if is_it and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    if step:
        URLLib3Session.send = watched  # type: ignore[method-assign]


if __name__ == "__main__":
    _serve()
