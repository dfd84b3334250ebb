"""The desk at the app's HTTP door, on the local engine."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.desk.hand import Referee, referee
from tests.faults.stores import Tables
from tests.games.conftest import Hand, Time, door, issuer, now

__all__ = ["door", "issuer", "now"]


@pytest.fixture
def desk(door: Callable[..., Hand]) -> Callable[..., Referee]:
    """Somebody with a key of their own for each call: `desk()`, `desk("director", events=("open",))`."""
    client = door("anna").client
    return lambda *about, **more: referee(client, *about, **more)


@pytest.fixture
def operator(desk: Callable[..., Referee]) -> Referee:
    return desk()


@pytest.fixture(scope="session")
def tables(storage: dict[str, str]) -> Tables:
    """Tables for tests that walk over all games."""
    return Tables(storage["AWS_ENDPOINT_URL"], "maintained")


@pytest.fixture
def alone(tables: Tables, on_engine: dict[str, str], now: Time, monkeypatch: pytest.MonkeyPatch) -> Time:
    """Empty tables, on which no scan ever ran; the real time of watch and windows is in the test's hands too."""
    tables.take(monkeypatch)
    for module in ("chalicelib.watch.watching", "chalicelib.desk.closing"):
        monkeypatch.setattr(f"{module}.real_ms", lambda: now.ms)
    return now
