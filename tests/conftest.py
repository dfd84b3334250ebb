"""Fixtures for all tests."""

from __future__ import annotations

from tests.engine_fixtures import engine, on_engine, stack, storage

__all__ = ["engine", "on_engine", "stack", "storage"]
