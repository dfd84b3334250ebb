"""`seed`: play the example games, so that a new state has something to look at."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infra.local.play import play_archive
from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from infra.local import Commands

EXAMPLES: Final = Path(__file__).with_name("examples.pgn")


def register(commands: Commands) -> None:
    parser = commands.add_parser("seed", help="play the example games")
    parser.set_defaults(handle=_seed)


def _seed(_: argparse.Namespace) -> int:
    return play_archive(RunningStack.find(), EXAMPLES.read_text(), "30-30-1")
