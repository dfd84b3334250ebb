"""One logger for all: structured lines, without bodies, tokens or signatures."""

from __future__ import annotations

from typing import Final

from aws_lambda_powertools import Logger

log: Final = Logger(service="zeitnot")
