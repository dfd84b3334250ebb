"""Ids: random where nothing is known, derived where a request must not act twice."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_LETTERS: Final = "23456789abcdefghijkmnpqrstuvwxyz"
ID_LENGTH: Final = 12
ENTITY_ID: Final = r"[0-9a-z]{12}"
GAME_ID: Final = ENTITY_ID
RESULT_ID: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""Of results as they are imported; all others have twelve letters."""


def random_id() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(ID_LENGTH))


def derived_id(*parts: str) -> str:
    """The same id for the same parts, ever: what a repeated request makes is what the first one made.

    >>> derived_id("anna", "key-1") == derived_id("anna", "key-1") != derived_id("ann", "akey-1")
    True
    """
    digest = int.from_bytes(_digest(parts), "big")
    letters = []
    for _ in range(ID_LENGTH):
        digest, index = divmod(digest, len(_LETTERS))
        letters.append(_LETTERS[index])
    return "".join(letters)


def fingerprint(*parts: str) -> str:
    """A short mark of what a request asked for, to tell a repeated key from a reused one."""
    return _digest(parts).hex()[:16]


def _digest(parts: tuple[str, ...]) -> bytes:
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
