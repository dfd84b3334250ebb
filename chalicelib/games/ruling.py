"""What a rule is asked and what it may answer: shared by the rules of play, draws, invitations and the desk."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from chalicelib.core.sides import Side
from chalicelib.games.events import Event
from chalicelib.games.model import Game
from chalicelib.rules.referee import Referee


class Refusal(Struct, frozen=True):
    """Why nothing was done: a stable code, and a sentence that says what is wrong and what would be right."""

    code: str
    detail: str


class Change(Struct, frozen=True):
    """An event, and what the event alone cannot tell: the board after a move, the players after an acceptance."""

    event: Event
    fields: dict[str, Any] = field(default_factory=dict)


Ruling = Change | Refusal | None
"""None: there is nothing to do."""


class Scene(Struct, frozen=True):
    """What a rule needs to know: the game as it stands, the instant, the judge, and who asks.

    `side` is that of the player who asks, None for somebody who does not play in the game.
    """

    game: Game
    now_ms: int
    referee: Referee
    side: Side | None

    @property
    def asker(self) -> Side:
        """The side that asks, for rules that only players meet."""
        if self.side is None:
            raise ValueError("nobody asks")
        return self.side


def over(game: Game) -> Refusal:
    """Nothing can be done in a game that is over."""
    reason = game.result.reason if game.result else "?"
    return Refusal("game_over", f"the game is over ({reason})")


def stale(scene: Scene, ply: int) -> Refusal | None:
    """A refusal of what was meant for another ply than the one that stands to be played."""
    if ply == scene.game.ply:
        return None
    return Refusal("wrong_ply", f"meant for ply {ply}, but the game stands at ply {scene.game.ply}")
