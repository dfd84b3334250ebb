"""Fixtures for all tests."""

from __future__ import annotations

import pytest

from tests.engine_fixtures import engine, on_engine, stack, storage

__all__ = ["engine", "on_engine", "stack", "storage"]


@pytest.fixture(autouse=True)
def _unheard() -> None:
    """What a test has heard of the watch is not what the next one goes by."""
    from chalicelib.watch import watching

    watching.forget()
