"""Marks of what a client has at hand (RFC 9110, ETag and If-None-Match)."""

from __future__ import annotations

from collections.abc import Mapping


def is_at_hand(mark: str, headers: Mapping[str, str]) -> bool:
    """Whether If-None-Match names a mark; strong or weak makes no difference to a read.

    >>> is_at_hand('W/"5"', {"if-none-match": '"4", "5"'}), is_at_hand('"5"', {})
    (True, False)
    """
    named = {one.strip().removeprefix("W/") for one in headers.get("if-none-match", "").split(",")}
    return mark.removeprefix("W/") in named
