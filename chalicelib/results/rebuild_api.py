"""Rebuilding the ratings of a club from its results, over HTTP. It stands here because ratings know no clubs."""

from __future__ import annotations

from typing import Final

import msgspec

from chalicelib.clubs import lookup
from chalicelib.clubs.answers import problems as of_clubs
from chalicelib.clubs.model import ADMIN, UnknownSeason
from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request
from chalicelib.core.problems import Problem
from chalicelib.ratings import marking
from chalicelib.ratings.addresses import address
from chalicelib.ratings.answers import partition_named
from chalicelib.ratings.model import Partition
from chalicelib.ratings.views import Address

endpoints: Final = Endpoints(__name__)


class RebuildView(msgspec.Struct):
    """A rebuild that was ordered; `change` waits in the partition until it is done."""

    partition: Address
    change: str


@endpoints.add(
    Operation(
        "POST",
        "/v1/ratings/{partition}/rebuild",
        "record",
        {202: RebuildView},
        codes=(
            *("operator_only", "role_required", "unknown_club", "unknown_event"),
            *("unknown_partition", "unknown_season"),
        ),
    )
)
def rebuild(request: Request[NoBody, NoQuery], partition: str) -> Answer:
    """Have a club's partition rated again from the results themselves; a club_admin of the club may."""
    wanted = partition_named(partition)
    with of_clubs():
        lookup.require_role(_club_of(wanted), request.player, (ADMIN,))
    change = marking.rebuild(wanted, request.player)
    name = address(wanted)
    return Answer(RebuildView(name, change.id), status=202, headers={"Location": f"/v1/ratings/{name}/progress"})


def _club_of(partition: Partition) -> str:
    """The club to which a partition belongs. Raises UnknownEvent, UnknownSeason, and a 403 Problem if it has none."""
    match partition.scope:
        case "CLUB":
            return partition.ref
        case "EVENT":
            return lookup.event(partition.ref).club
        case "SEASON":
            span = lookup.season_span(partition)
            if span is None:
                raise UnknownSeason(partition.ref.partition("/")[2])
            return span[0]
    raise Problem(403, "operator_only", f"{address(partition)} belongs to no club; an operator can rebuild it")
