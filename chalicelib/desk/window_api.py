"""Maintenance windows over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.problems import Problem
from chalicelib.desk import closing, ledger
from chalicelib.desk.signed import admin_of, admitted
from chalicelib.desk.windows import Record, WindowKind, WindowState, Work, of_silence
from chalicelib.watch import watching

endpoints: Final = Endpoints(__name__, admitted)

WINDOWS: Final = "/v1/admin/windows"


class WindowBody(msgspec.Struct, forbid_unknown_fields=True):
    """`from_ms`: when the window begins, ten seconds ahead or later; as soon as possible without it."""

    reason: Annotated[str, Meta(min_length=1, max_length=500)]
    from_ms: Annotated[int, Meta(ge=0, le=10**15)] | None = None


class WalkView(msgspec.Struct):
    """How far the walk over all games has come. One that shifted any clock, or failed at one, is followed by another.

    `done` games were looked at, `left` are ahead, `failed` could not be shifted and are tried again, of which `failing`
    names some. `shifted` are the clocks shifted by all walks; others were shifted by what happened in their games.
    """

    walk: int
    done: int
    left: int
    failed: int
    failing: list[str]
    shifted: int


class WindowView(msgspec.Struct):
    """A maintenance window, or a silence of the scan, which is closed like one. Times are game time.

    `planned`: it is to begin. `open`: it has begun. `closing`: it has ended and is being taken out of all clocks, and
    nothing is flagged yet. `closed`: all is as before. `progress` is there once the work has begun.
    """

    id: str
    kind: WindowKind
    state: WindowState
    reason: str
    from_ms: int
    until_ms: int | None
    opened_by: str
    opened_ms: int
    closed_by: str | None
    closed_ms: int | None
    settled_ms: int | None
    progress: WalkView | None


class Windows(msgspec.Struct):
    """All windows, newest first. `suspended`: nothing is flagged at this moment."""

    suspended: bool
    windows: list[WindowView]


@endpoints.add(
    Operation(
        "POST",
        WINDOWS,
        None,
        {201: WindowView},
        body=WindowBody,
        codes=("busy", "idempotency_key_reused", "window_stands", "window_too_soon"),
        needs_key=True,
        role="operator",
    )
)
def open_window(request: Request[WindowBody, NoQuery]) -> Answer:
    """Open a maintenance window: from its beginning on nothing is flagged, and its time is charged to nobody."""
    admin, key = admin_of(request), idempotency_key(request.headers)
    with _problems():
        record = closing.open_window(admin, key, request.body.reason, request.body.from_ms, request.now_ms)
    return Answer(_view(record, request.now_ms), 201, {"Location": f"{WINDOWS}/{record.id}"})


@endpoints.add(
    Operation(
        "POST",
        f"{WINDOWS}/{{window}}/close",
        None,
        {200: WindowView},
        codes=("busy", "unknown_window"),
        needs_key=True,
        role="operator",
    )
)
def close_window(request: Request[NoBody, NoQuery], window: str) -> Answer:
    """Close a window, or a silence; all clocks are then shifted by what of it lay in their turn."""
    with _problems():
        record = closing.close(admin_of(request), window, request.now_ms)
    return Answer(_view(record, request.now_ms))


@endpoints.add(
    Operation("GET", f"{WINDOWS}/{{window}}", None, {200: WindowView}, codes=("unknown_window",), role="operator")
)
def read_window(request: Request[NoBody, NoQuery], window: str) -> Answer:
    """A window, and how far settling it has come."""
    record = ledger.find(window) or _silence(request.now_ms)
    if record is None or record.id != window:
        raise Problem(404, "unknown_window", f"there is no window {window}")
    return Answer(_view(record, request.now_ms))


@endpoints.add(Operation("GET", WINDOWS, None, {200: Windows}, role="operator"))
def list_windows(request: Request[NoBody, NoQuery]) -> Answer:
    """All windows, and the silence of the scan that waits to be closed, if there is one."""
    records, silence = ledger.listed(), _silence(request.now_ms)
    if silence is not None and silence.id not in {record.id for record in records}:
        records.insert(0, silence)
    is_suspended = bool(watching.windows(request.now_ms, surely=True))
    return Answer(Windows(is_suspended, [_view(record, request.now_ms) for record in records]))


def _silence(now_ms: int) -> Record | None:
    silence = watching.silence_now()
    return of_silence(silence, now_ms) if silence else None


def _view(record: Record, now_ms: int) -> WindowView:
    work = record.work
    return WindowView(
        id=record.id,
        kind=record.kind,
        state=record.state_at(now_ms),
        reason=record.reason,
        from_ms=record.from_ms,
        until_ms=record.until_ms,
        opened_by=record.opened_by,
        opened_ms=record.opened_ms,
        closed_by=record.closed_by,
        closed_ms=record.closed_ms,
        settled_ms=record.settled_ms,
        progress=_progress(work) if work else None,
    )


def _progress(work: Work) -> WalkView:
    return WalkView(
        walk=work.walk,
        done=work.done,
        left=max(0, work.total - work.done) if work.place else 0,
        failed=work.failed,
        failing=list(work.failing),
        shifted=work.shifted,
    )


@contextmanager
def _problems() -> Iterator[None]:
    try:
        yield
    except closing.UnknownWindow as error:
        raise Problem(404, "unknown_window", f"there is no window {error}") from error
    except closing.WindowStands as error:
        raise Problem(
            409, "window_stands", f"the window {error} was opened and is not settled", {"window": str(error)}
        ) from error
    except closing.TooSoon as error:
        detail = f"a window can begin at {error} ms at the earliest, so that every process has heard of it"
        raise Problem(422, "window_too_soon", detail, {"earliest_ms": error.earliest_ms}) from error
    except closing.KeyReused as error:
        detail = "this Idempotency-Key was used for another request; take a new one"
        raise Problem(422, "idempotency_key_reused", detail) from error
    except closing.Busy as error:
        detail = "the ledger of windows is changing under many hands; try again"
        raise Problem(503, "busy", detail, headers={"Retry-After": "1"}) from error
