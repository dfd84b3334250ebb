"""One logger for all: structured lines, without bodies, tokens or signatures."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aws_lambda_powertools import Logger


@cache
def log() -> Logger:
    """The logger; its library is loaded with the first line, not with the app.

    It has another name than the app, whose own logger Chalice sets up: every line would come twice. The place in the
    code, which the message names anyway, is left out, and RFC 3339 is the form of time that costs least to write.
    """
    from aws_lambda_powertools import Logger

    return Logger(service="zeitnot-server", location=None, use_rfc3339=True, utc=True)
