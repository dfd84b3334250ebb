"""Somebody with a key at the app's HTTP door."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from chalice.test import Client, HTTPResponse

from chalicelib.core.ids import random_id
from chalicelib.core.signing import Algorithm, Role
from chalicelib.desk import keys
from chalicelib.desk.keys import Key
from infra.admin.client import outgoing
from infra.admin.signer import Signer
from tests.games.conftest import PUBLIC_URL


@dataclass
class Referee:
    """A person, and the key with which they sign."""

    client: Client
    key: Key
    signer: Signer = field(repr=False)

    def get(self, target: str, **headers: str) -> HTTPResponse:
        return self.send("GET", target, **headers)

    def post(self, target: str, body: Any = None, key: str | None = None, **headers: str) -> HTTPResponse:
        sent = {"Idempotency-Key": key or uuid.uuid4().hex, "Content-Type": "application/json", **headers}
        return self.send("POST", target, json.dumps(body or {}).encode(), **sent)

    def send(self, method: str, target: str, body: bytes = b"", **headers: str) -> HTTPResponse:
        sent = {name.replace("_", "-"): text for name, text in headers.items()}
        signed = sent | self.signature(method, target, body, sent)
        return self.client.http.request(method, target, headers=signed, body=body)

    def signature(
        self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None, **changed: Any
    ) -> dict[str, str]:
        """The headers that sign this request; `changed` as in `Signer.headers`."""
        return self.signer.headers(outgoing(PUBLIC_URL, method, target, headers or {}, body), **changed)


def referee(
    client: Client,
    role: Role = "operator",
    events: tuple[str, ...] = (),
    name: str = "otto",
    algorithm: Algorithm = "ed25519",
    days: float = 1,
) -> Referee:
    """Somebody with a new key, which is stored."""
    now_ms = int(time.time() * 1_000)
    signer = Signer.new(random_id(), algorithm)
    until_ms = now_ms + round(days * 86_400_000)
    key = Key(signer.key_id, name, role, events, algorithm, signer.verifying, now_ms, until_ms)
    keys.add(key)
    return Referee(client, key, signer)
