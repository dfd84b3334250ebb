"""The two sides of a game."""

from __future__ import annotations

from enum import IntEnum
from typing import Literal


class Side(IntEnum):
    """White or Black; usable as an index into a pair ordered (white, black).

    >>> Side.WHITE.other.name
    'BLACK'
    >>> Side.of_letter("b").colour
    'black'
    """

    WHITE = 0
    BLACK = 1

    @property
    def other(self) -> Side:
        return Side(1 - self)

    @property
    def letter(self) -> Literal["w", "b"]:
        return "w" if self is Side.WHITE else "b"

    @property
    def colour(self) -> Literal["white", "black"]:
        return "white" if self is Side.WHITE else "black"

    @staticmethod
    def of_letter(letter: str) -> Side:
        """Raises KeyError for anything but 'w' and 'b'."""
        return {"w": Side.WHITE, "b": Side.BLACK}[letter]
