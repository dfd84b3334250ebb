"""`adjust`, `pause`, `resume`, `adjudicate`, `reinstate`, `undo`: what a referee does to a game, signed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote
from uuid import uuid4

from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND, spelled
from infra.admin.client import Unreachable
from infra.admin.where import add_access, client_of

if TYPE_CHECKING:
    from infra.local import Commands

_UNITS: Final = {"d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND, "ms": 1}
_PART: Final = re.compile(r"(\d+)(ms|[dhms])")


def register(commands: Commands) -> None:
    adjust = _command(commands, "adjust", "correct an account")
    whose = adjust.add_mutually_exclusive_group(required=True)
    whose.add_argument("--player", help="whose account")
    whose.add_argument("--side", choices=("white", "black"), help="the same by colour")
    what = adjust.add_mutually_exclusive_group(required=True)
    what.add_argument("--delta", dest="delta_ms", type=duration, metavar="TIME", help="add 12h; take with --delta=-12h")
    what.add_argument("--to", dest="to_ms", type=duration, metavar="TIME", help="set to 10d4h")
    what.add_argument("--reset", action="store_const", const="start", help="to what the profile starts with")
    what.add_argument("--snapshot", type=int, metavar="VERSION", help="to what it held after this version of the game")

    for name, text in (("pause", "stop the clock"), ("resume", "take a reason for a pause away")):
        parser = _command(commands, name, text)
        parser.add_argument("--because", help="the reason of the pause that everybody sees (referee)")

    adjudicate = _command(commands, "adjudicate", "decide a game")
    adjudicate.add_argument("result", choices=("white", "black", "draw", "annul"))

    reinstate = _command(commands, "reinstate", "take a wrong end on time back")
    reinstate.add_argument(
        "--to", dest="to_ms", type=duration, metavar="TIME", required=True, help="what the side to move has then"
    )

    _command(commands, "undo", "take the last act of a referee back")


def duration(text: str) -> int:
    """
    >>> duration("10d4h"), duration("-90m"), duration("1500ms")
    (878400000, -5400000, 1500)
    """
    sign, parts = (-1, text[1:]) if text.startswith("-") else (1, text)
    if not parts or _PART.sub("", parts):
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write 12h, 10d4h, 90m, 30s")
    return sign * sum(int(count) * _UNITS[unit] for count, unit in _PART.findall(parts))


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text)
    parser.add_argument("game", help="its id")
    parser.add_argument("--reason", required=True, help="why, for the audit log")
    parser.add_argument("--version", type=int, help="only if the game still stands at this version")
    parser.add_argument("--dry-run", action="store_true", help="say what would happen, and do nothing")
    parser.add_argument("--idempotency-key", help="that of an act asked for before (default: a new one)")
    add_access(parser)
    parser.set_defaults(handle=_act, act=name)
    return parser


_FIELDS: Final = (
    *("reason", "version", "dry_run", "player", "side", "delta_ms", "to_ms", "reset", "snapshot"),
    *("because", "result"),
)


def _act(arguments: argparse.Namespace) -> int:
    body = {name: getattr(arguments, name) for name in _FIELDS if getattr(arguments, name, None) is not None}
    key = arguments.idempotency_key or uuid4().hex
    try:
        target = f"/v1/admin/games/{quote(arguments.game, safe='')}/{arguments.act}"
        done = client_of(arguments).post(target, body, key)
    except Unreachable:
        print(f"It may have been done. Ask again with --idempotency-key {key}", file=sys.stderr)
        raise
    print(_told(done))
    return 0


def _told(act: Mapping[str, Any]) -> str:
    lines = [f"{'would ' if act['dry_run'] else ''}{act['kind']} {act['game']} (act {act['id']}): {act['reason']}"]
    if act["applied_ms"] is not None:
        lines.append(f"  {act['side']}: asked for {spelled(act['requested_ms'])}, applied {spelled(act['applied_ms'])}")
    lines += [f"  {name}: {_state(act[name])}" for name in ("before", "after")]
    lines += [f"  warning ({warning['code']}): {warning['detail']}" for warning in act["warnings"]]
    return "\n".join(lines)


def _state(shown: Mapping[str, Any]) -> str:
    words = [
        f"version {shown['version']}, {shown['status']}",
        f"white {spelled(shown['white_ms'])}",
        f"black {spelled(shown['black_ms'])}",
    ]
    if shown["deadline_ms"] is not None:
        words.append(f"deadline {instant(shown['deadline_ms'])} ({shown['deadline_cause']})")
    if shown["pause_reasons"]:
        words.append(f"paused for {', '.join(shown['pause_reasons'])}")
    if shown["result"]:
        words.append(f"{shown['result']}, {shown['winner'] or 'nobody'} wins")
    return ", ".join(words)


def instant(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / SECOND, UTC).isoformat(sep=" ", timespec="seconds")
