"""The function that makes ratings: where the slices that know what was played meet the one that rates it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from chalice.app import Blueprint, SQSEvent

from chalicelib.core.database import Table
from chalicelib.ratings.model import Edit, Partition, Played
from chalicelib.ratings.worker import consume

READ_SECONDS: Final = 30
"""How long a page of games or results may take: nobody waits for it at a door."""

blueprint: Final = Blueprint(__name__)


@blueprint.on_sqs_message(queue_arn="placeholder", batch_size=10)
def recompute(event: SQSEvent) -> dict[str, Any]:
    """Partitions that were woken, because something waits in them."""
    return consume(event, truth)


def truth(partition: Partition, edits: tuple[Edit, ...] = ()) -> Iterable[Played]:
    """What a partition rates, from where it was played or entered, in the order of its places, with edits over it."""
    # Only a reload asks; most invocations need neither games nor results, which are connected to when first read.
    Table.read_timeout_seconds = READ_SECONDS
    if partition.scope == "POOL":
        from chalicelib.games import rated

        return rated.played_in(partition, edits)
    from chalicelib.results.truth import played_in

    return played_in(partition, edits)
