"""The profile called so and so. A process remembers for a few seconds what operators have said, and asks again."""

from __future__ import annotations

import time
from typing import Final

from msgspec import Struct, field

from chalicelib.clock.profiles import NAMED, Profile, UnknownProfile, named
from chalicelib.profiles import store
from chalicelib.profiles.store import Administered

REMEMBERED_SECONDS: Final = 10.0
"""So long may a retired profile still be taken for a new game, and one that was added may be missing from lists."""

_AGAIN_SECONDS: Final = 1.0
"""A code that is not known is asked for again after this: it may just have been added."""


class Retired(UnknownProfile):
    """New games may not use this profile any more."""


class _Memory(Struct):
    known: dict[str, Administered] = field(default_factory=dict)
    asked_at: float = float("-inf")


_memory: Final = _Memory()


def for_new_game(code: str) -> Profile:
    """The profile for a game that is about to be made. Raises UnknownProfile, Retired."""
    profile = find(code)
    if _known().get(code, Administered()).retired_ms is not None:
        raise Retired(f"profile {code!r} is retired: games under way keep it, new ones need another")
    return profile


def find(code: str) -> Profile:
    """The profile of this code, retired or not. Raises UnknownProfile."""
    try:
        return named(code)
    except UnknownProfile:
        added = _known().get(code) or _known(_AGAIN_SECONDS).get(code)
        if added is None or added.profile is None:
            raise
        return added.profile


def listed() -> list[tuple[Profile, int | None]]:
    """All profiles that have a name, built-in ones first, each with the time at which it was retired."""
    known = _known()
    others = [code for code in sorted(known) if code not in NAMED]
    profiles = [*NAMED.values(), *(known[code].profile or named(code) for code in others)]
    return [(profile, known.get(profile.code, Administered()).retired_ms) for profile in profiles]


def forget() -> None:
    """Ask again at the next occasion: something has changed."""
    _memory.asked_at = float("-inf")


def _known(older_than: float = REMEMBERED_SECONDS) -> dict[str, Administered]:
    now = time.monotonic()
    if now - _memory.asked_at >= older_than:
        _memory.known, _memory.asked_at = store.load_all(), now
    return _memory.known
