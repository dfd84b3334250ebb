"""What ratings say of a game that is not accepted yet: read for who looks at invitations, never for who moves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from chalicelib.core.logging import log
from chalicelib.games.invitations import Forecast
from chalicelib.games.model import Game, Invitation
from chalicelib.games.rated import pool_of
from chalicelib.ratings import lookup
from chalicelib.ratings.model import Partition


def forecasts(games: Iterable[Game], viewer: str, now_ms: int) -> dict[str, Forecast]:
    """The forecasts of those games that wait for an answer, by game id.

    Nobody is kept from their games because ratings cannot be read: then there are no forecasts.
    """
    by_pool: defaultdict[Partition, list[tuple[str, Invitation]]] = defaultdict(list)
    for game in games:
        if game.invitation is not None and not game.is_over:
            by_pool[pool_of(game)].append((game.id, game.invitation))
    try:
        return {
            game_id: found
            for pool, invitations in by_pool.items()
            for game_id, found in _in_pool(pool, invitations, viewer, now_ms).items()
        }
    except Exception:
        log().exception("no forecasts")
        return {}


def rating_for(game: Game, player: str, now_ms: int) -> int:
    """The rating with which a player would accept an invitation."""
    pool = pool_of(game)
    return lookup.in_pool(pool, [player], now_ms)[player].rounded


def _in_pool(
    pool: Partition, invitations: list[tuple[str, Invitation]], viewer: str, now_ms: int
) -> dict[str, Forecast]:
    rivals = {game_id: _rival(invitation, viewer) for game_id, invitation in invitations}
    known = lookup.in_pool(pool, {viewer, *filter(None, rivals.values())}, now_ms)
    return {
        game_id: Forecast(viewer, pool, known[viewer], known[rival] if rival else None)
        for game_id, rival in rivals.items()
    }


def _rival(invitation: Invitation, viewer: str) -> str | None:
    return invitation.opponent if viewer == invitation.challenger else invitation.challenger
