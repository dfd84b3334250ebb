"""The one interface behind which every game kind stands.

A referee is a pure judge: it holds no state of a game. What it needs to know of a game is its `Position`,
which the game item stores as it is; so a move costs the same on ply 10 and on ply 17 000.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from chalicelib.core.sides import Side


class IllegalMove(ValueError):
    """The move cannot be played here. The message says what is wrong and, where short, what would be right."""


class IllegalSetup(ValueError):
    """The set-up position cannot start a game. The message says why."""


class UnknownKind(ValueError):
    """There is no referee for this kind of game."""

    def __init__(self, kind: str, known: tuple[str, ...]) -> None:
        super().__init__(f"unknown kind of game {kind!r}; known: {', '.join(known)}")
        self.kind = kind
        self.known = known


class Position(Struct, frozen=True):
    """What a game item keeps of its board.

    `notation` is the board in the usual notation of the kind (chess: FEN). `repetitions` holds one 8-byte key for
    each position since the last irreversible ply, the current one last; kinds without a repetition rule leave it empty.
    """

    notation: str
    repetitions: bytes = b""


class End(Struct, frozen=True):
    """A game ended by rule. `winner` is None for a draw."""

    reason: str
    winner: Side | None


class Played(Struct, frozen=True):
    """A legal ply: the position after it, the move in its canonical spelling, and the end it caused, if any."""

    position: Position
    move: str
    end: End | None


class Referee(Protocol):
    """Judge of one kind of game."""

    @property
    def kind(self) -> str:
        """Name of the kind as stored in games, for instance "chess"."""

    def start(self, setup: str | None) -> Position:
        """The position a game starts from; `setup` None is the usual one. Raises IllegalSetup."""

    def to_move(self, position: Position) -> Side:
        """Whose turn it is."""

    def play(self, position: Position, move: str) -> Played:
        """Play `move`. Raises IllegalMove, also when the position has already ended by itself."""

    def end(self, position: Position) -> End | None:
        """The end that the position has by itself, without a claim."""

    def claims(self, position: Position) -> tuple[str, ...]:
        """Draws that the side to move may claim on the position as it stands."""

    def can_win(self, position: Position, side: Side) -> bool:
        """Whether any series of legal moves lets `side` win (FIDE Laws 6.9); False only where none can."""

    def notate(self, position: Position, move: str) -> str:
        """The move as people write it (chess: SAN)."""
