"""A partition on the engine for tests of the store (`test_store_*`) and of the API; the pure ones need nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chalicelib.core.settings import settings
from tests.games.conftest import door, issuer, now
from tests.ratings.club import Club
from tests.ratings.wire import wire

__all__ = ["wire"]

__all__ = ["door", "issuer", "now"]


@pytest.fixture
def club(on_engine: dict[str, str]) -> Iterator[Club]:
    """A club of its own, empty."""
    settings.cache_clear()
    yield Club()
    settings.cache_clear()
