"""`window open|close|status`: maintenance windows, and outages that wait to be settled."""

from __future__ import annotations

import argparse
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from infra.admin.where import add_access, client_of

if TYPE_CHECKING:
    from infra.admin.client import Client
    from infra.local import Commands

_WINDOWS: Final = "/v1/admin/windows"
_POLL_SECONDS: Final = 5.0
_MILLIS: Final = 1_000


def register(commands: Commands) -> None:
    about = commands.add_parser("window", help="open and close maintenance windows, and settle outages")
    parts = about.add_subparsers(metavar="COMMAND", required=True)

    new = parts.add_parser("open", help="from then on nobody is flagged, and no time is charged")
    new.add_argument("reason", help="for the audit log")
    new.add_argument("--from-ms", type=int, help="when it begins, in ms of game time (default: in ten seconds)")
    new.set_defaults(handle=_open)

    close = parts.add_parser("close", help="end a window, or an outage; clocks are shifted by what of it was theirs")
    close.add_argument("id", nargs="?", help="as `status` shows it (default: the only one that has no end)")
    close.add_argument("--wait", action="store_true", help="until it is taken out of all clocks")
    close.set_defaults(handle=_close)

    status = parts.add_parser("status", help="windows and outages, newest first")
    status.set_defaults(handle=_status)

    for part in (new, close, status):
        part.add_argument("--idempotency-key", default=uuid4().hex, help="that of an act asked for before")
        add_access(part)


def _open(arguments: argparse.Namespace) -> int:
    body = {"reason": arguments.reason}
    if arguments.from_ms is not None:
        body["from_ms"] = arguments.from_ms
    print(_line(client_of(arguments).post(_WINDOWS, body, arguments.idempotency_key)))
    return 0


def _close(arguments: argparse.Namespace) -> int:
    client = client_of(arguments)
    window_id = arguments.id or _only_one(client)
    if window_id is None:
        print("There is not exactly one window without an end: name it (see `window status`).")
        return 1
    window = client.post(f"{_WINDOWS}/{window_id}/close", {}, arguments.idempotency_key)
    print(_line(window))
    while arguments.wait and window["state"] != "closed":
        time.sleep(_POLL_SECONDS)
        before, window = window, client.get(f"{_WINDOWS}/{window_id}")
        if _line(window) != _line(before):
            print(_line(window), flush=True)
    return 0


def _only_one(client: Client) -> str | None:
    ids = [window["id"] for window in client.get(_WINDOWS)["windows"] if window["until_ms"] is None]
    return ids[0] if len(ids) == 1 else None


def _status(arguments: argparse.Namespace) -> int:
    answer = client_of(arguments).get(_WINDOWS)
    print("Nothing is flagged at this moment." if answer["suspended"] else "Games are ended on time.")
    for window in answer["windows"]:
        print(_line(window))
    return 0


def _line(window: dict[str, Any]) -> str:
    until = _instant(window["until_ms"]) if window["until_ms"] is not None else "..."
    parts = [window["id"], window["state"], f"{_instant(window['from_ms'])} to {until}", window["reason"]]
    if progress := window["progress"]:
        names = f" ({', '.join(progress['failing'])})" if progress["failing"] else ""
        parts.append(
            f"walk {progress['walk']}: {progress['done']} done, {progress['left']} left, "
            f"{progress['failed']} failed{names}, {progress['shifted']} shifted"
        )
    return "  ".join(parts)


def _instant(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / _MILLIS, UTC).strftime("%Y-%m-%d %H:%M:%S")
