"""A bad line between the app and the database: faults at chosen requests, below botocore and its retries."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partialmethod
from types import SimpleNamespace
from typing import Any, Final

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError
from botocore.httpsession import URLLib3Session

IS_SOAK: Final = "ZEITNOT_ROUNDS" in os.environ
"""Whether every fault is to meet every request, or only so many that all kinds have been met."""

ONCE: Final = ("answer lost", "connection lost", "refused", "server error", "throttled")
"""Faults that a retry of botocore gets over."""

ARRIVED: Final = ("answer lost", "connection lost")
"""Faults after which the request has been carried out all the same."""

FOR_GOOD: Final = ("answer lost", "refused", "throttled")


@dataclass
class Line:
    """Numbers the requests to DynamoDB from 1, and lets faults happen to some of them."""

    faults: Sequence[str] = ()
    first: int = 0
    for_good: bool = False
    seen: list[str] = field(default_factory=list)
    is_asked_again: bool = True
    """Whether botocore may repeat a request."""
    between: Callable[[], None] = lambda: None
    """Happens at the fault, before anything is sent again."""

    def breaks(self, *faults: str, first: int, for_good: bool = False) -> None:
        """The faults meet one request each, from number `first` of now on; `for_good`: the last one stays."""
        self.faults, self.first, self.for_good = faults, first, for_good
        self.seen = []

    def is_mended(self) -> None:
        self.breaks(first=0)

    def send(self, session: URLLib3Session, request: Any) -> Any:
        operation = _operation(request)
        self.seen.append(operation)
        fault = self._fault(len(self.seen) - self.first)
        if fault is None:
            return _SEND(session, request)
        if fault in ARRIVED:
            _SEND(session, request)
        self.between()
        return _broken(fault, request, operation)

    def _fault(self, turn: int) -> str | None:
        if 0 <= turn < len(self.faults):
            return self.faults[turn]
        return self.faults[-1] if self.for_good and turn >= 0 else None


def _broken(fault: str, request: Any, operation: str) -> AWSResponse:
    """What botocore gets instead of an answer."""
    match fault:
        case "answer lost" | "server error":
            return _error(request, 500, "InternalServerError")
        case "connection lost":
            raise ConnectionClosedError(endpoint_url=request.url)
        case "refused":
            raise EndpointConnectionError(endpoint_url=request.url)
        case "throttled":
            return _error(request, 400, "ProvisionedThroughputExceededException")
        case "conflict":
            return _conflict(request, operation)
    raise ValueError(fault)


_SEND: Final = URLLib3Session.send


def _operation(request: Any) -> str:
    target = request.headers["X-Amz-Target"]
    return (target.decode() if isinstance(target, bytes) else str(target)).partition(".")[2]


def _conflict(request: Any, operation: str) -> AWSResponse:
    """Another transaction holds the item. Requests that only read never meet this."""
    if operation == "TransactWriteItems":
        items = len(json.loads(request.body)["TransactItems"])
        reasons = [{"Code": "TransactionConflict", "Message": "ongoing"}] + [{"Code": "None"}] * (items - 1)
        return _error(request, 400, "TransactionCanceledException", CancellationReasons=reasons)
    return _error(request, 400, "TransactionConflictException")


def _error(request: Any, status: int, code: str, **more: Any) -> AWSResponse:
    document = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": f"{code} [injected]", **more}
    headers = HTTPHeaders.from_dict({"content-type": "application/x-amz-json-1.0"})
    return AWSResponse(request.url, status, headers, _Raw(json.dumps(document).encode()))


class _Raw:
    def __init__(self, body: bytes) -> None:
        self._body = body

    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self._body


def _through(session: URLLib3Session, line: Line, request: Any) -> Any:
    return line.send(session, request)


@pytest.fixture
def line(on_engine: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Line:
    """The line of this process, whole until a test breaks it.

    Botocore does not pause between its attempts, and has as many as it wants: it allows a process a limited number.
    """
    made = Line()
    monkeypatch.setattr("botocore.retries.quota.RetryQuota.acquire", lambda quota, amount: made.is_asked_again)
    monkeypatch.setattr(URLLib3Session, "send", partialmethod(_through, made))
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda seconds: None))
    return made
