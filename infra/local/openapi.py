"""`openapi`: the OpenAPI document, from the code into docs/."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infra.project import ROOT

if TYPE_CHECKING:
    from infra.local import Commands

KEPT: Final = ROOT / "docs" / "openapi.json"


def register(commands: Commands) -> None:
    parser = commands.add_parser("openapi", help="write docs/openapi.json from the code")
    parser.add_argument("--out", type=Path, default=KEPT, help="another file to write to")
    parser.set_defaults(handle=_write)


def _write(arguments: argparse.Namespace) -> int:
    arguments.out.write_text(rendered())
    print(arguments.out)
    return 0


def rendered() -> str:
    """The document as it is kept in the repository."""
    from chalicelib.catalogue import document

    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"
