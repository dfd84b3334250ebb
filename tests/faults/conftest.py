"""Faults are injected into games that are played through the app's own door."""

from __future__ import annotations

from tests.games.conftest import door, issuer, now

__all__ = ["door", "issuer", "now"]
