"""What a signed request costs in process: to verify its signature, and all of it, with a database that answers from
memory; and what the first one pays for loading the library."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Any, Final, get_args

from bench.door import nowhere
from bench.figures import Figure
from bench.memory import MemoryTable, answer_from
from chalicelib.core.ids import random_id
from chalicelib.core.signing import Algorithm, Message, claim, verify
from infra.admin.client import outgoing
from infra.admin.signer import Signer

URL: Final = "https://zeitnot.test"
TARGET: Final = "/v1/admin/games/abcdefghjkmn/adjust"
BODY: Final = b'{"player": "anna", "delta_ms": 86400000, "reason": "The server was down for a day", "dry_run": false}'
ME: Final = "/v1/admin/me"
REQUESTS: Final = 1_000
SMALL: Final = 20
BATCHES: Final = 10
FRESH: Final = 5

_LOAD: Final = """
import app, time
began = time.process_time()
import http_message_signatures
print(time.process_time() - began)
"""


def measure(*, small: bool) -> list[Figure]:
    each = (SMALL if small else REQUESTS) // BATCHES
    nowhere()
    figures = [figure for algorithm in get_args(Algorithm) for figure in _of(algorithm, each)]
    loads = [_load() for _ in range(1 if small else FRESH)]
    return [*figures, Figure("the library loaded by the first one, CPU, least", min(loads) * 1_000, "ms")]


def _of(algorithm: Algorithm, each: int) -> list[Figure]:
    signer = Signer.new(random_id(), algorithm)
    messages = [_signed(signer) for _ in range(each)]
    verifying = [_spent(lambda: _verify(messages, signer)) / each for _ in range(BATCHES)]
    memory = _OneKey(signer)
    answer_from(memory)
    whole, requests = [], memory.requests
    for _ in range(BATCHES):
        events = [_event(signer) for _ in range(each)]
        inside = memory.inside
        whole.append((_spent(lambda asked=events: _ask(asked)) - (memory.inside - inside)) / each)
    count = (memory.requests - requests) / (each * BATCHES)
    return [
        Figure(f"{algorithm}: verified, {len(BODY)} bytes of body, CPU, mean", _mean(verifying) * 1_000, "ms"),
        Figure(f"{algorithm}: the same, least", min(verifying) * 1_000, "ms"),
        Figure(f"{algorithm}: GET {ME} in the handler, CPU, mean", _mean(whole) * 1_000, "ms"),
        Figure(f"{algorithm}: the same, least", min(whole) * 1_000, "ms"),
        Figure(f"{algorithm}: DynamoDB requests for the signature", count),
    ]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _spent(work: Any) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _signed(signer: Signer) -> Message:
    message = outgoing(URL, "POST", TARGET, {"Idempotency-Key": "act-1"}, BODY)
    headers = {name.lower(): (text,) for name, text in signer.headers(message).items()}
    return Message(message.method, URL[8:], message.path, (), {**message.headers, **headers}, BODY)


def _verify(messages: list[Message], signer: Signer) -> None:
    for message in messages:
        now_ms = time.time_ns() // 1_000_000
        verify(message, claim(message, now_ms), signer.algorithm, signer.verifying)


def _ask(events: list[Mapping[str, Any]]) -> None:
    from app import app

    for event in events:
        answer = app(event, None)
        if answer["statusCode"] != 200:  # noqa: PLR2004
            raise RuntimeError(answer["body"])


def _event(signer: Signer) -> Mapping[str, Any]:
    headers = signer.headers(outgoing(URL, "GET", ME, {}, b""))
    return {
        "resource": ME,
        "path": ME,
        "headers": headers,
        "multiValueHeaders": {name: [text] for name, text in headers.items()},
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {"resourcePath": ME, "httpMethod": "GET", "path": ME, "domainName": URL[8:]},
        "body": None,
        "isBase64Encoded": False,
    }


class _OneKey(MemoryTable):
    """A desk with one key, on which every nonce is new."""

    def __init__(self, signer: Signer) -> None:
        from chalicelib.desk import keys

        super().__init__()
        now_ms = time.time_ns() // 1_000_000
        key = keys.Key(
            signer.key_id, "otto", "operator", (), signer.algorithm, signer.verifying, now_ms, now_ms + 86_400_000
        )
        self.key = keys._item(key).to_dynamodb_dict()

    def _content(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"Item": self.key} if operation == "GetItem" else {}


def _load() -> float:
    done = subprocess.run([sys.executable, "-c", _LOAD], capture_output=True, check=True, text=True)
    return float(json.loads(done.stdout))
