"""`verify FILE`: replay every legacy move at its time and prove the same deadline at every ply. Only reads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from infra.migrate.shadow import add_look, look

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("verify", help="replay the moves and prove identical deadlines; needs move_times")
    add_look(parser)
    parser.set_defaults(handle=_verify)


def _verify(arguments: argparse.Namespace) -> int:
    return look(arguments, is_verifying=True)
