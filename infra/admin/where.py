"""Where the commands of the desk find the API, the store and the key of whoever gives them.

The API: --url, else ZEITNOT_URL, else the stack that runs on this machine. The store: that of the environment if
DESK_TABLE names a table (in the cloud, with the credentials that botocore finds), else that of the stack on this
machine.
The key: --key, else ZEITNOT_KEY, else the only one in the folder where new ones go.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from infra.admin.client import Client
from infra.admin.signer import Signer
from infra.local.stack import RunningStack
from infra.project import WORK


class NotFound(Exception):
    """There is no usable key file."""


def add_access(parser: argparse.ArgumentParser) -> None:
    """The options of every command that asks the API."""
    parser.add_argument("--url", default=os.environ.get("ZEITNOT_URL"), help="where the API is (ZEITNOT_URL)")
    parser.add_argument(
        *("--key", "-k"),
        type=Path,
        default=os.environ.get("ZEITNOT_KEY"),
        help=f"file of the key to sign with (ZEITNOT_KEY; default: the only one in {keys_folder()})",
    )


def keys_folder() -> Path:
    """The folder for private keys."""
    return Path(os.environ.get("ZEITNOT_HOME", WORK)) / "keys"


def client_of(arguments: argparse.Namespace) -> Client:
    """Raises NotFound or NotRunning."""
    return Client(arguments.url or RunningStack.find().url, _signer(arguments.key))


def lead_to_store() -> None:
    """Let the code of a slice run in this process against the store. Raises NotRunning."""
    if "DESK_TABLE" not in os.environ:
        os.environ.update(RunningStack.find().environment())


def _signer(path: Path | None) -> Signer:
    found = [path] if path else sorted(keys_folder().glob("*.json"))
    if len(found) != 1:
        raise NotFound(f"{keys_folder()} has {len(found)} keys: name one (--key, ZEITNOT_KEY) or make one: `key new`")
    try:
        return Signer.load(found[0])
    except FileNotFoundError as error:
        raise NotFound(f"There is no key file {found[0]}.") from error
    except (OSError, ValueError) as error:
        raise NotFound(str(error)) from error
