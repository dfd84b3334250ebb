"""Lists in pages: the query that asks for one, and cursors, which are places of rows that clients cannot read."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Annotated

import msgspec
from msgspec import Meta

from chalicelib.core.problems import Problem


class PageQuery(msgspec.Struct):
    """`cursor` as the page before gave it; `limit` entries a page."""

    cursor: Annotated[str, Meta(max_length=200)] | None = None
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


def cursor_of(entry: str | None) -> str | None:
    """An opaque cursor for the place of a list row."""
    return None if entry is None else base64.urlsafe_b64encode(entry.encode()).decode().rstrip("=")


def entry_of(cursor: str | None, pattern: re.Pattern[str]) -> str | None:
    """The list row of a cursor. Raises a 400 Problem for text that is not a row of this list."""
    if cursor is None:
        return None
    try:
        entry = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        entry = ""
    if not pattern.fullmatch(entry):
        raise Problem(400, "invalid_cursor", "the cursor is not one that this list gave out")
    return entry
