"""Referees: who may do what on a board, and when a game is over. Pure."""

from __future__ import annotations

from functools import cache

from chalicelib.rules.referee import Referee, UnknownKind

KINDS = ("chess", "chess960")


@cache
def referee(kind: str) -> Referee:
    """The referee of a kind of game; its rules are loaded on first use. Raises UnknownKind."""
    if kind not in KINDS:
        raise UnknownKind(kind, KINDS)
    from chalicelib.rules.chess.referee import ChessReferee

    return ChessReferee(kind)
