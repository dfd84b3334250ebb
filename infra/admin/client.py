"""Signed requests over HTTP."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from chalicelib.core.signing import Message, authority_of
from infra.admin.signer import Signer

_TIMEOUT: Final = 60.0


class Refused(Exception):
    """The API answered with a problem document; `code` is its code."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {document.get('code')}: {document.get('detail')}")
        self.status = status
        self.code = str(document.get("code", ""))
        self.document = document


class Unreachable(Exception):
    """Nobody answered at this address."""


def outgoing(url: str, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Message:
    """The message that a request for `target` ("/v1/admin/me?event=open") to a server at `url` is."""
    address, asked = urlsplit(url), urlsplit(target)
    return Message(
        method=method,
        authority=authority_of(address),
        path=address.path.rstrip("/") + asked.path,
        query=tuple(parse_qsl(asked.query, keep_blank_values=True)),
        headers={name.lower(): (text,) for name, text in headers.items()},
        body=body,
    )


@dataclass(frozen=True, slots=True)
class Client:
    """Asks the API at `url` ("https://example.org") as the person whose key `signer` is."""

    url: str
    signer: Signer = field(repr=False)

    def get(self, target: str) -> Any:
        return self.request("GET", target)

    def post(self, target: str, body: Any = None, key: str = "") -> Any:
        """`key` is the Idempotency-Key: the same one when an act is asked for again."""
        headers = {"Idempotency-Key": key} if key else {}
        return self.request("POST", target, json.dumps({} if body is None else body).encode(), headers)

    def request(self, method: str, target: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Any:
        """The answer: what its JSON says, or text. Raises Refused or Unreachable.

        Every call is signed anew, so that to ask again after a lost answer is never taken for a replay.
        """
        sent = {"Content-Type": "application/json", **(headers or {})} if body else dict(headers or {})
        message = outgoing(self.url, method, target, sent, body)
        try:
            status, kind, text = self._exchange(method, target, body, sent | self.signer.headers(message))
        except (OSError, http.client.HTTPException) as error:
            raise Unreachable(f"{self.url} does not answer: {error}") from error
        answer: Any = json.loads(text) if "json" in kind and "ndjson" not in kind and text else text
        if status >= http.client.BAD_REQUEST:
            raise Refused(status, answer if isinstance(answer, dict) else {"detail": answer[:200]})
        return answer

    def _exchange(self, method: str, target: str, body: bytes, headers: dict[str, str]) -> tuple[int, str, str]:
        address = urlsplit(self.url)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        connection = kind(address.hostname or "", address.port, timeout=_TIMEOUT)
        try:
            connection.request(method, address.path.rstrip("/") + target, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers.get("content-type", ""), answer.read().decode(errors="replace")
        finally:
            connection.close()
