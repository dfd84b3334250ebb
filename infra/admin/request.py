"""`request METHOD PATH [BODY]`: any request to the API, signed."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING
from uuid import uuid4

from infra.admin.where import add_access, client_of

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("request", help="send any request, signed, and print the answer")
    parser.add_argument("method", type=str.upper, help="GET, POST, ...")
    parser.add_argument("path", type=_path, help="with its query, for instance '/v1/admin/me?event=open'")
    parser.add_argument("body", nargs="?", default="", help="JSON, sent as it is; - reads it from the standard input")
    parser.add_argument("--idempotency-key", help="that of an act asked for before (default for acts: a new one)")
    add_access(parser)
    parser.set_defaults(handle=_request)


def _path(text: str) -> str:
    if not text.startswith("/") or not text.isascii():
        raise argparse.ArgumentTypeError("a path begins with / and has ASCII letters only, others as %XX")
    return text


def _request(arguments: argparse.Namespace) -> int:
    body = sys.stdin.read() if arguments.body == "-" else arguments.body
    key = arguments.idempotency_key or (uuid4().hex if arguments.method == "POST" else "")
    headers = {"Idempotency-Key": key} if key else {}
    answer = client_of(arguments).request(arguments.method, arguments.path, body.encode(), headers)
    print(answer if isinstance(answer, str) else json.dumps(answer, indent=1, ensure_ascii=False))
    return 0
