"""`audit`: what was done at the desk, latest first, page after page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from infra.admin.acts import instant
from infra.admin.client import Client
from infra.admin.where import add_access, client_of

if TYPE_CHECKING:
    from infra.local import Commands

_MOST = 100


def register(commands: Commands) -> None:
    parser = commands.add_parser("audit", help="who did what at the desk, when and why (default: today)")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--game", help="acts on a game")
    which.add_argument("--profile", help="acts on a profile")
    which.add_argument("--actor", help="acts of a person")
    which.add_argument("--day", help="acts of a day, as 2026-11-30 (UTC)")
    parser.add_argument("--export", action="store_true", help="all of each act, as JSON, one a line")
    add_access(parser)
    parser.set_defaults(handle=_audit)


def _audit(arguments: argparse.Namespace) -> int:
    named = {name: getattr(arguments, name) for name in ("game", "profile", "actor", "day") if getattr(arguments, name)}
    for act in _acts(client_of(arguments), named):
        print(json.dumps(act, ensure_ascii=False) if arguments.export else _line(act))
    return 0


def _acts(client: Client, named: dict[str, str]) -> Iterator[dict[str, Any]]:
    cursor: str | None = None
    while True:
        query = named | {"limit": str(_MOST)} | ({"cursor": cursor} if cursor else {})
        page = client.get(f"/v1/admin/audit?{urlencode(query)}")
        yield from page["acts"]
        cursor = page["next"]
        if cursor is None:
            return


def _line(act: dict[str, Any]) -> str:
    return f"{instant(act['at_ms'])}  {act['actor']}  {act['kind']}  {act['subject']}  {act['reason']}"
