"""A player at the front door of the running stack: HTTP with one kept connection, and patience with a busy server."""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from infra.local.stack import RunningStack

_ATTEMPTS: Final = 5
_TIMEOUT: Final = 60.0


class Refused(Exception):
    """The API answered with a problem document; `code` is its code."""

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        super().__init__(f"{status} {document.get('code')}: {document.get('detail')}")
        self.status = status
        self.code = str(document.get("code", ""))


@dataclass
class Player:
    """One player's way to the API. Every act may be sent again: moves by their content, others by their key."""

    stack: RunningStack
    name: str
    scope: str = "read play"
    connection: http.client.HTTPConnection | None = field(default=None, repr=False)
    token: str = field(default="", repr=False)

    def get(self, path: str) -> Any:
        return self._call("GET", path, None, {})

    def post(self, path: str, body: Any = None, key: str = "") -> Any:
        """Raises Refused with the problem that the API answered."""
        return self._call("POST", path, body or {}, {"Idempotency-Key": key} if key else {})

    def _call(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        self.token = self.token or self.stack.token(self.name, self.scope)
        sent = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                status, answer = self._exchange(method, path, body, sent)
            except (OSError, http.client.HTTPException):
                self.connection = None
                if attempt == _ATTEMPTS:
                    raise
            else:
                if status < http.client.BAD_REQUEST:
                    return answer
                if status < http.client.INTERNAL_SERVER_ERROR or attempt == _ATTEMPTS:
                    raise Refused(status, answer)
            time.sleep(0.1 * attempt)
        raise AssertionError("unreachable")

    def _exchange(self, method: str, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any]:
        if self.connection is None:
            address = urlsplit(self.stack.url)
            self.connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_TIMEOUT)
        self.connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        try:
            return answer.status, json.loads(text) if text else {}
        except ValueError:
            return answer.status, {"code": "not_json", "detail": text[:200].decode(errors="replace")}
