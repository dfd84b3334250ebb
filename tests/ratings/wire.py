"""The requests of a pass, counted at the wire, with something that happens before or after one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partialmethod
from typing import Any, Final

import pytest
from botocore.httpsession import URLLib3Session

READS: Final = ("GetItem", "BatchGetItem", "Query", "Scan", "GET")


class Killed(BaseException):
    """The process is gone: nothing catches this, nothing cleans up."""


@dataclass
class Wire:
    """`seen` are the operations sent, S3's by their method. At request number `at`, from 1 and among those that write,
    `event` happens: before it is sent or, if `late`, after it was carried out."""

    at: int = 0
    late: bool = False
    event: Callable[[], Any] = lambda: None
    seen: list[str] = field(default_factory=list)

    def expects(self, at: int = 0, event: Callable[[], Any] = lambda: None, *, late: bool = False) -> None:
        """From now on; no event with number 0."""
        self.at, self.event, self.late, self.seen = at, event, late, []

    @property
    def writes(self) -> list[str]:
        return [operation for operation in self.seen if operation not in READS]

    def send(self, session: URLLib3Session, request: Any) -> Any:
        operation = _operation(request)
        self.seen.append(operation)
        is_meant = self.at > 0 and operation not in READS and len(self.writes) == self.at
        if is_meant and not self.late:
            self._happens()
        answer = _SEND(session, request)
        if is_meant and self.late:
            self._happens()
        return answer

    def _happens(self) -> None:
        event = self.event
        kept = self.seen
        self.expects()
        event()
        self.seen = kept


_SEND: Final = URLLib3Session.send


def _operation(request: Any) -> str:
    target = request.headers.get("X-Amz-Target")
    if target is None:
        return str(request.method)
    return (target.decode() if isinstance(target, bytes) else str(target)).partition(".")[2]


def _through(session: URLLib3Session, wire: Wire, request: Any) -> Any:
    return wire.send(session, request)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    """The wire of this process."""
    made = Wire()
    monkeypatch.setattr(URLLib3Session, "send", partialmethod(_through, made))
    return made
