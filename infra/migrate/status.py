"""`status`: how far the migration has come. Only reads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from infra.migrate.source import in_words, lead_to_store
from infra.migrate.standing import standing, walked

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("status", help="say how far the migration has come")
    parser.set_defaults(handle=_status)


def _status(_: argparse.Namespace) -> int:
    lead_to_store()
    found = standing(walked())
    print(f"{len(found.behind):8} copies wait for `delta`")
    for at_ms, ids in sorted(found.caught_up.items()):
        print(f"{len(ids):8} copies have caught up with the freeze at {in_words(at_ms)} and wait for `swap`")
    released = sum(map(len, found.released.values()))
    print(f"{released:8} games were released here: {found.running} run, {found.plies} plies were played")
    print(f"{len(found.returned):8} games stand still for the way back")
    print(f"{found.ended_before:8} copies ended with their games before the swap")
    return 0
