"""The rules of draws: offers, and claims by rule. Pure."""

from __future__ import annotations

from typing import Final

from chalicelib.core.sides import Side
from chalicelib.games.commands import AcceptDraw, ClaimDraw, DeclineDraw, OfferDraw
from chalicelib.games.events import DrawDeclined, DrawOffered, Ended, Moved
from chalicelib.games.history import history, running_clock
from chalicelib.games.model import Game
from chalicelib.games.ruling import Change, Refusal, Ruling, Scene, stale

OFFER_PAUSE: Final = 10
"""Own plies between a refused or lapsed draw offer and the next one (settled 6)."""


def offer(scene: Scene, command: OfferDraw) -> Ruling:
    if wrong_ply := stale(scene, command.ply):
        return wrong_ply
    side = scene.asker
    if scene.game.offer is not None and scene.game.offer.by is side.other:
        return Change(Ended(scene.now_ms, "agreement", None, side))
    return _too_soon(scene.game, side) or Change(DrawOffered(scene.now_ms, side))


def _too_soon(game: Game, side: Side) -> Refusal | None:
    entries = history(game)
    earlier = [entry.ply for entry in entries if isinstance(entry.event, DrawOffered) and entry.by is side]
    if not earlier:
        return None
    since = sum(
        1 for entry in entries if isinstance(entry.event, Moved) and entry.by is side and entry.ply >= earlier[-1]
    )
    if since >= OFFER_PAUSE:
        return None
    return Refusal("offer_too_soon", f"the next draw offer is possible after {OFFER_PAUSE - since} more own moves")


def accept(scene: Scene, command: AcceptDraw) -> Ruling:
    return _no_offer(scene, command.ply) or Change(Ended(scene.now_ms, "agreement", None, scene.asker))


def decline(scene: Scene, command: DeclineDraw) -> Ruling:
    return _no_offer(scene, command.ply) or Change(DrawDeclined(scene.now_ms, scene.asker))


def _no_offer(scene: Scene, ply: int) -> Refusal | None:
    if wrong_ply := stale(scene, ply):
        return wrong_ply
    open_offer = scene.game.offer
    if open_offer is None or open_offer.by is scene.side:
        return Refusal("no_offer", "the opponent has no draw offer open")
    return None


def claim(scene: Scene, command: ClaimDraw) -> Ruling:
    if wrong_ply := stale(scene, command.ply):
        return wrong_ply
    if scene.side is not running_clock(scene.game).to_move:
        return Refusal("not_your_turn", "a draw by rule is claimed by the side to move")
    claims = scene.referee.claims(scene.game.position)
    if command.reason not in claims:
        return Refusal(
            "no_claim", f"the position gives no {command.reason}; claims open: {', '.join(claims) or 'none'}"
        )
    return Change(Ended(scene.now_ms, command.reason, None, scene.asker))
