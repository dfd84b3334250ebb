"""The desk at the app's HTTP door, on the local engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.desk.hand import Referee, referee
from tests.games.conftest import Hand, door, issuer, now

__all__ = ["door", "issuer", "now"]


@pytest.fixture
def desk(door: Callable[..., Hand]) -> Callable[..., Referee]:
    """Somebody with a key of their own for each call: `desk()`, `desk("director", events=("open",))`."""
    client = door("anna").client
    return lambda *about, **more: referee(client, *about, **more)


@pytest.fixture
def operator(desk: Callable[..., Referee]) -> Referee:
    return desk()
