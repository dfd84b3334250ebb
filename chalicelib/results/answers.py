"""From the errors of results to what the API says: one table, used by every endpoint of the slice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from chalicelib.core.problems import Problem
from chalicelib.results.model import Result
from chalicelib.results.recording import Busy
from chalicelib.results.rules import Invalid
from chalicelib.results.store import UnknownResult
from chalicelib.results.views import result_view

NAMING: Final = ("unknown_event", "unknown_guest", "unknown_member")
"""Codes of a body that names what does not exist."""

STATUS_OF_INVALID: Final = {"invalid_body": 400, "member_twice": 400}
"""Status of what a result cannot say; 422 for all others: the body is well-formed, but this server knows better."""


class Deleted(Exception):
    """The result was deleted."""


class StaleVersion(Exception):
    """The sender has seen another version than the one that stands; `current` is that."""

    def __init__(self, current: Result) -> None:
        super().__init__(f"version {current.version} stands")
        self.current = current


@contextmanager
def problems() -> Iterator[None]:
    """Turn the errors of the slice into Problems."""
    try:
        yield
    except Invalid as error:
        status = STATUS_OF_INVALID.get(error.code, 422)
        raise Problem(status, error.code, f"body: {error}", {"field": error.field}) from error
    except UnknownResult as error:
        raise Problem(404, "unknown_result", f"there is no result {error}") from error
    except Deleted as error:
        raise Problem(410, "result_deleted", "the result was deleted") from error
    except StaleVersion as error:
        stands = {"current_version": error.current.version, "result": result_view(error.current)}
        raise Problem(409, "stale_version", f"{error}; read it again", stands) from error
    except Busy as error:
        raise Problem(
            503, "busy", "the club is changing under many hands; try again", headers={"Retry-After": "1"}
        ) from error
