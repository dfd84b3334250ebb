"""Kind `timeout`: positions at flag fall. A side that can mate must never be called unable to.

A line is two characters, a space, and the first fields of a FEN: `W` in the first place if White can mate by some
series of legal moves, `B` in the second if Black can. A side called able to mate that is not loses half a point it
deserved; such sides are counted, not failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from chalicelib.core.sides import Side
from chalicelib.rules import referee
from chalicelib.rules.referee import Position
from tests.conformance.verdict import Verdict, judged, text_lines

REST_OF_FEN = ["w", "-", "-", "0", "1"]
"""What a FEN says by the fields it leaves out."""


def judge(path: Path) -> Iterator[Verdict]:
    for number, line in text_lines(path):
        if line.startswith("#"):
            continue
        counts: Counter[str] = Counter()
        verdict = judged(f"line {number}", lambda line=line, counts=counts: _faults(line, counts))
        yield Verdict(verdict.id, verdict.faults, counts)


def _faults(line: str, counts: Counter[str]) -> list[str]:
    able, fen = line[:2], line[2:].split()
    position = Position(" ".join([*fen, *REST_OF_FEN[len(fen) - 1 :]]))
    faults = []
    for side, letter, mark in ((Side.WHITE, "W", able[0]), (Side.BLACK, "B", able[1])):
        if mark not in (letter, "-"):
            raise ValueError(f"{able!r} is no classification")
        can_win = referee("chess").can_win(position, side)
        if mark == letter and not can_win:
            faults.append(f"expected that {side.colour} can win {' '.join(fen)}, got that it cannot")
        if mark == "-":
            counts["sides that cannot win"] += 1
            counts["of these recognised"] += not can_win
    return faults
