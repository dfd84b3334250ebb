"""All endpoints, by section: what the app registers, and what the OpenAPI document describes."""

from __future__ import annotations

from itertools import chain
from typing import Any, Final

from chalicelib.clubs import api as clubs
from chalicelib.core.endpoint import Endpoints
from chalicelib.desk import api as desk_acts
from chalicelib.desk import keys_api as desk_keys
from chalicelib.desk import profile_api as desk_profiles
from chalicelib.desk import window_api as desk_windows
from chalicelib.games import api as games
from chalicelib.games import invitation_api as invitations
from chalicelib.games import pairing_api as pairings
from chalicelib.ratings import api as ratings
from chalicelib.reference import api as reference
from chalicelib.results import api as results
from chalicelib.results import rebuild_api as rebuilding


def document() -> dict[str, Any]:
    """The OpenAPI document of the whole API."""
    from chalicelib.reference.openapi import openapi

    return openapi(
        {section: [operation for part in parts for operation in part.operations] for section, parts in SECTIONS.items()}
    )


SECTIONS: Final[dict[str, tuple[Endpoints, ...]]] = {
    "games": (games.endpoints,),
    "invitations": (invitations.endpoints,),
    "pairings": (pairings.endpoints,),
    "clubs": (clubs.endpoints,),
    "results": (results.endpoints,),
    "ratings": (ratings.endpoints, rebuilding.endpoints),
    "desk": (desk_acts.endpoints, desk_profiles.endpoints, desk_windows.endpoints, desk_keys.endpoints),
    "reference": (reference.endpoints, reference.description(document)),
}

ENDPOINTS: Final[tuple[Endpoints, ...]] = tuple(chain.from_iterable(SECTIONS.values()))
