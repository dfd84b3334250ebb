"""Faults are injected into games that are played through the app's own door."""

from __future__ import annotations

import pytest

from tests.faults.stores import Tables
from tests.faults.wire import line
from tests.games.conftest import Time, door, issuer, now

__all__ = ["door", "issuer", "line", "now"]


@pytest.fixture(scope="session")
def tables(storage: dict[str, str]) -> Tables:
    """Tables for tests that walk over all games."""
    return Tables(storage["AWS_ENDPOINT_URL"], "alone")


@pytest.fixture
def alone(tables: Tables, on_engine: dict[str, str], now: Time, monkeypatch: pytest.MonkeyPatch) -> Time:
    """Empty tables, on which no scan ever ran; real time, for the watch over the scan, is in the test's hands too."""
    tables.take(monkeypatch)
    monkeypatch.setattr("chalicelib.watch.watching.real_ms", lambda: now.ms)
    return now
