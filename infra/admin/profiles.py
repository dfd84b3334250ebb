"""`profiles list|add|retire`: the time controls that new games may use."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING
from uuid import uuid4

from infra.admin.acts import duration, instant
from infra.admin.where import add_access, client_of

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    about = commands.add_parser("profiles", help="list, add and retire time controls")
    parts = about.add_subparsers(metavar="COMMAND", required=True)

    shown = parts.add_parser("list", help="all that have a name, and those that are retired")
    add_access(shown)
    shown.set_defaults(handle=_list)

    new = parts.add_parser("add", help="add one")
    new.add_argument("code")
    for option, text in (("start", "what an account starts with"), ("increment", "what a move earns")):
        new.add_argument(f"--{option}", type=duration, required=True, metavar="TIME", help=text)
    new.add_argument("--cap", type=duration, metavar="TIME", help="the most that it holds (default: the start)")
    new.add_argument("--first-move", type=duration, metavar="TIME", help="limit of the first move (default: none)")
    new.add_argument("--grace", type=duration, default=1_500, metavar="TIME", help="after the deadline (1500ms)")
    _finish(new)
    new.set_defaults(handle=_add)

    retire = parts.add_parser("retire", help="let no new game use one; games under way keep it")
    retire.add_argument("code")
    _finish(retire)
    retire.set_defaults(handle=_retire)


def _finish(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reason", required=True, help="why, for the audit log")
    add_access(parser)


def _list(arguments: argparse.Namespace) -> int:
    for one in client_of(arguments).get("/v1/admin/profiles")["profiles"]:
        retired = f", retired {instant(one['retired_ms'])}" if one["retired_ms"] is not None else ""
        origin = "built in" if one["is_built_in"] else "added"
        print(f"{one['profile']['code']:<16} {one['profile']['text']['en']} ({origin}{retired})")
    return 0


def _add(arguments: argparse.Namespace) -> int:
    body = {
        "code": arguments.code,
        "initial_buffer_ms": arguments.start,
        "increment_ms": arguments.increment,
        "cap_ms": arguments.start if arguments.cap is None else arguments.cap,
        "first_move_limit_ms": arguments.first_move,
        "grace_ms": arguments.grace,
        "reason": arguments.reason,
    }
    print(json.dumps(client_of(arguments).post("/v1/admin/profiles", body, uuid4().hex)["profile"]))
    return 0


def _retire(arguments: argparse.Namespace) -> int:
    body = {"code": arguments.code, "reason": arguments.reason}
    act = client_of(arguments).post("/v1/admin/profiles/retire", body, uuid4().hex)
    print(f"{arguments.code} is retired (act {act['id']})")
    return 0
