"""`token PLAYER`: a bearer token on the command line."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from chalicelib.core.identity import PLAYER_ID
from infra.local.home import Home, add_home
from infra.local.issuer import DEFAULT_SCOPE, Issuer

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("token", help="print a bearer token of the local issuer")
    parser.add_argument("player", type=_player, help="the id that goes into the claim `sub`")
    parser.add_argument("--scope", default=DEFAULT_SCOPE, help="space separated (default: %(default)r)")
    add_home(parser)
    parser.set_defaults(handle=_print_token)


def _player(text: str) -> str:
    if not re.fullmatch(PLAYER_ID, text):
        raise argparse.ArgumentTypeError(f"{text!r} is no player id ({PLAYER_ID})")
    return text


def _print_token(arguments: argparse.Namespace) -> int:
    print(Issuer(Home(arguments.home).issuer_key).token(arguments.player, arguments.scope))
    return 0
