"""Errors to clients: problem documents (RFC 9457) with a stable `code`."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

PROBLEM_TYPE = "application/problem+json"


_LONGEST_DETAIL = 400


def _printable(text: str) -> str:
    """Text that may quote a client, fit for a document: no lone surrogates, and not endless."""
    return text[:_LONGEST_DETAIL].encode("utf-8", "backslashreplace").decode()


class Problem(Exception):
    """An answer that is not what the client wanted.

    `code` is stable and meant for programs, `detail` is for people. `members` are added to the document, for instance
    the current state of a game beside a refused move.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = _printable(detail)
        self.members = dict(members or {})
        self.headers = dict(headers or {})

    def document(self) -> dict[str, Any]:
        """
        >>> Problem(404, "unknown_game", "no game abc").document()["title"]
        'Not Found'
        """
        return {
            "type": f"urn:zeitnot:problem:{self.code}",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            **self.members,
        }
