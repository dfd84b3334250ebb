"""`rebuild PARTITION`: have a partition rated again from what was entered or played; the way for an operator."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from chalicelib.ratings.addresses import UnknownPartition, address, partition_at
from chalicelib.ratings.model import Partition
from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("rebuild", help="rate a partition again from the results themselves")
    parser.add_argument(
        "partition", type=_partition, help="global, club:ID, event:ID, season:CLUB:ID or pool:KIND:TIME_CLASS"
    )
    parser.set_defaults(handle=_rebuild)


def _partition(text: str) -> Partition:
    try:
        return partition_at(text)
    except UnknownPartition as error:
        raise argparse.ArgumentTypeError(f"{text!r} can be the address of no partition") from error


def _rebuild(arguments: argparse.Namespace) -> int:
    os.environ.update(RunningStack.find().environment())
    from chalicelib.ratings import marking

    partition: Partition = arguments.partition
    change = marking.rebuild(partition, "operator")
    print(f"Ordered ({change.id}); GET /v1/ratings/{address(partition)}/progress says how far it is.")
    return 0
