"""Kind `openskill`: Plackett-Luce updates through the product's own arithmetic, at the tolerance of the contract.

Where a case gives the bits of the pinned library, how many of them came is counted; the same bits on another machine's
`exp` are no part of the contract. The chance to win is the customer's formula.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from chalicelib.ratings.plackett_luce import Parameters, rate, win_probability
from tests.conformance.verdict import Verdict, judged

TOLERANCE: Final = 1e-9


def judge(path: Path) -> Iterator[Verdict]:
    file = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(file, dict):
        raise ValueError("the file is no object with `vectors`")
    for number, vector in enumerate(file["vectors"], 1):
        identity = str(vector.get("id", f"vector {number}")) if isinstance(vector, dict) else f"vector {number}"
        counts: Counter[str] = Counter()
        verdict = judged(identity, lambda vector=vector, counts=counts: differences(vector, counts))
        yield Verdict(verdict.id, verdict.faults, counts)


def differences(vector: dict[str, Any], counts: Counter[str]) -> list[str]:
    teams = [[(player["mu"], player["sigma"]) for player in team] for team in vector["teams"]]
    got = rate(teams, vector["ranks"], Parameters(**vector.get("options", {})))
    wrong = []
    for number, (team, expected) in enumerate(zip(got, vector["expected"], strict=True), 1):
        for seat, (player, wanted) in enumerate(zip(team, expected, strict=True), 1):
            for name, value in zip(("mu", "sigma"), player, strict=True):
                if not abs(value - wanted[name]) <= TOLERANCE:
                    wrong.append(f"team {number} player {seat} {name}: expected {wanted[name]!r}, got {value!r}")
    if chance := vector.get("p_first_beats_second"):
        wanted, value = chance["seed_formula_1beta2"], win_probability(teams[0], teams[1])
        if not abs(value - wanted) <= TOLERANCE:
            wrong.append(f"chance of the first team: expected {wanted!r}, got {value!r}")
    if bits := vector.get("expected_hex"):
        counts["with the bits of the library"] += [[[x.hex() for x in p] for p in team] for team in got] == bits
    return wrong
