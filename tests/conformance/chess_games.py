"""Kind `chess_games`: whole games, ply by ply, through the referee."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess

from chalicelib.rules import referee
from chalicelib.rules.referee import IllegalMove, IllegalSetup, Position, Referee
from tests.conformance.verdict import Verdict, json_lines, judged

KIND_OF_VARIANT = {"standard": "chess", "chess960": "chess960"}
REASON_OF_AUTOMATIC_END = {"insufficient_material": "dead_position"}
"""The files name the cause; here the end is named as the Laws do (5.2.2)."""


def judge(path: Path) -> Iterator[Verdict]:
    for identity, read in json_lines(path):
        yield judged(identity, lambda read=read: differences(read()))


def differences(game: dict[str, Any]) -> list[str]:
    """What contradicts the case; nothing if it passes."""
    judge_of_kind = referee(KIND_OF_VARIANT[game["variant"]])
    try:
        position = judge_of_kind.start(game["start_fen"])
    except IllegalSetup as error:
        return [f"expected a game from {game['start_fen']}, got IllegalSetup: {error}"]
    moves = game["moves"].split()
    last = game["automatic_end_ply"] or len(moves)
    for ply, move in enumerate(moves[:last], 1):
        try:
            played = judge_of_kind.play(position, move)
        except IllegalMove as error:
            return [f"expected ply {ply} {move} to be accepted, got IllegalMove: {error}"]
        position = played.position
    if last < len(moves):
        return _refusal_of_the_next(judge_of_kind, position, moves[last], game)
    return [*_wrong_position(position, game), *_wrong_end(judge_of_kind, position, game)]


def _wrong_position(position: Position, game: dict[str, Any]) -> list[str]:
    if _comparable(position.notation) == _comparable(game["final_fen"]):
        return []
    return [f"expected {game['final_fen']}, got {position.notation}"]


def _comparable(fen: str) -> str:
    """A FEN in one spelling, for both X-FEN and Shredder-FEN are in use."""
    return chess.Board(fen, chess960=True).fen()


def _wrong_end(judge_of_kind: Referee, position: Position, game: dict[str, Any]) -> list[str]:
    expected = _reason(game["automatic_end"])
    ended = judge_of_kind.end(position)
    got = ended.reason if ended else None
    return [] if got == expected else [f"expected the end {expected}, got {got}"]


def _refusal_of_the_next(judge_of_kind: Referee, position: Position, move: str, game: dict[str, Any]) -> list[str]:
    wrong = _wrong_end(judge_of_kind, position, game)
    try:
        judge_of_kind.play(position, move)
    except IllegalMove as error:
        if "over" not in str(error):
            wrong.append(f"expected {move} to be refused because the game is over, got: {error}")
        return wrong
    return [*wrong, f"expected {move} to be refused because the game is over, got it accepted"]


def _reason(automatic_end: str | None) -> str | None:
    return None if automatic_end is None else REASON_OF_AUTOMATIC_END.get(automatic_end, automatic_end)
