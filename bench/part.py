"""One part of the measurements, in whatever process it is called."""

from __future__ import annotations

import importlib
import logging
import os
from typing import Any


def measured(part: str) -> dict[str, Any]:
    """The figures of the module `bench.<part>`, by name."""
    logging.disable()
    os.environ["POWERTOOLS_LOG_LEVEL"] = "CRITICAL"
    figures: dict[str, Any] = importlib.import_module(f"bench.{part}").measure()
    return figures
