"""The arithmetic of ratings: games a second beside the libraries, and a whole log replayed and packed.

Seconds are those of the CPU: one core, whatever else runs. The libraries are called the way their documents show, in a
loop over the same games in the same run, so the ratios hold on any machine. riix knows one against one only; with its
dependencies it fills 700 MB, so it has a place of its own:
`.venv/bin/pip install --target .zeitnot/bench -r requirements-bench.txt`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from random import Random
from typing import Any, Final

import msgspec

from bench.figures import Figure
from chalicelib.core.durations import MINUTE
from chalicelib.ratings.model import Played, Values, Winner
from chalicelib.ratings.plackett_luce import START, rate_1v1, rate_2v2
from chalicelib.ratings.replay import Rules, rebuild
from infra.project import ROOT

GAMES: Final = 1_000_000
SMALL_GAMES: Final = 5_000
MEMBERS: Final = 5_000
PARTNERS: Final = 5
"""Of every member: so many pairs as a federation has, and not one for every game."""

CHUNK: Final = 1_024
LOOP: Final = 20_000
SMALL_LOOP: Final = 500
ROUNDS: Final = 5
OTHER_LIBRARIES: Final = ROOT / ".zeitnot" / "bench"

Ratings = dict[str, Values]


def measure(*, small: bool) -> list[Figure]:
    """The whole log first: what the libraries load would count as its memory."""
    rebuilt = _rebuilt(SMALL_GAMES if small else GAMES)
    return rebuilt + _side_by_side(SMALL_LOOP if small else LOOP, with_riix=not small)


def synthetic(count: int, size: int = 2) -> Iterator[Played]:
    """Games of `size` against `size`, a minute apart, made one by one. The strongest win most; a twelfth is drawn."""
    random = Random(1).random
    members = [f"member{number:06d}" for number in range(MEMBERS)]
    for number in range(count):
        a, b = int(random() * MEMBERS), int(random() * (MEMBERS - 2 * PARTNERS - 1)) + PARTNERS + 1
        b = (a + b) % MEMBERS
        chance = random()
        winner: Winner = "" if chance < 1 / 12 else "A" if chance < (0.7 if a > b else 0.4) else "B"
        partner = 1 + int(random() * PARTNERS)
        side_a = members[a], members[(a + partner) % MEMBERS]
        side_b = members[b], members[(b + partner) % MEMBERS]
        yield Played(number * MINUTE, f"g{number:011d}", side_a[:size], side_b[:size], winner)


def _rebuilt(count: int) -> list[Figure]:
    """A log from the first game to the last, both projections, each chunk of lines packed and counted."""
    making = _seconds(lambda: sum(1 for _ in synthetic(count)))
    encode = msgspec.msgpack.Encoder().encode
    packed = 0
    started = time.process_time()
    lines = rebuild(synthetic(count), {}, 0, Rules())
    while chunk := list(islice(lines, CHUNK)):
        packed += len(encode(chunk))
    seconds = time.process_time() - started
    return [
        Figure(f"{count:,} games rebuilt and packed", seconds, "s", budget=60),
        Figure("of it making the games", making, "s"),
        Figure("games a second", count / (seconds - making)),
        Figure(
            "peak memory of the process", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024, "MB", budget=300
        ),
        Figure("bytes a line", packed / count),
    ]


def _side_by_side(count: int, *, with_riix: bool) -> list[Figure]:
    """Each loop in every round, so that a busy moment hits all; the best round of each counts."""
    doubles, singles = list(synthetic(count)), list(synthetic(count, size=1))
    loops: dict[str, Callable[[], Any]] = {
        "2v2, ours": lambda: _ours_2v2(doubles),
        "2v2, openskill": lambda: _openskill(doubles),
        "1v1, ours": lambda: _ours_1v1(singles),
        "1v1, openskill": lambda: _openskill(singles),
    }
    riix = _riix(singles) if with_riix else None
    if riix:
        loops["1v1, riix"] = riix
    best = {name: min(times) for name, times in _rounds(loops).items()}
    figures = [Figure(f"{name}: games a second", count / seconds) for name, seconds in best.items()]
    figures.append(_share(best, "2v2, ours", "2v2, openskill", budget=10))
    figures.append(_share(best, "1v1, ours", "1v1, openskill"))
    if riix:
        figures.append(_share(best, "1v1, ours", "1v1, riix"))
    else:
        figures.append(Figure("1v1, riix", f"skipped: small, or not in {OTHER_LIBRARIES.relative_to(ROOT)}"))
    same = _ours_2v2(doubles) == _openskill(doubles) and _ours_1v1(singles) == _openskill(singles)
    figures.append(Figure("ratings differ from openskill's", float(not same), budget=0))
    return figures


def _rounds(loops: dict[str, Callable[[], Any]]) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            times[name].append(_seconds(loop))
    return times


def _share(best: dict[str, float], ours: str, theirs: str, budget: float | None = None) -> Figure:
    return Figure(f"{ours}: time, of that of {theirs}", best[ours] / best[theirs] * 100, "%", budget)


def _seconds(do: Callable[[], Any]) -> float:
    started = time.process_time()
    do()
    return time.process_time() - started


def _ours_2v2(games: Iterable[Played]) -> Ratings:
    known: Ratings = {}
    for game in games:
        (a, b), (c, d) = game.a, game.b
        known[a], known[b], known[c], known[d] = rate_2v2(
            known.get(a, START), known.get(b, START), known.get(c, START), known.get(d, START), game.winner
        )
    return known


def _ours_1v1(games: Iterable[Played]) -> Ratings:
    known: Ratings = {}
    for game in games:
        (a,), (b,) = game.a, game.b
        known[a], known[b] = rate_1v1(known.get(a, START), known.get(b, START), game.winner)
    return known


def _openskill(games: Iterable[Played]) -> Ratings:
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ranks: dict[Winner, list[float]] = {"A": [1, 2], "B": [2, 1], "": [1, 1]}
    known: dict[str, Any] = {}
    for game in games:
        teams = [[known.get(member) or model.rating() for member in side] for side in (game.a, game.b)]
        for side, rated in zip((game.a, game.b), model.rate(teams, ranks=ranks[game.winner]), strict=True):
            known.update(zip(side, rated, strict=True))
    return {member: (rating.mu, rating.sigma) for member, rating in known.items()}


def _riix(games: list[Played]) -> Callable[[], Any] | None:
    """The same games through riix, member names already turned into its indices; None if it is not there."""
    if not (OTHER_LIBRARIES / "riix").exists():
        return None
    sys.path.append(str(OTHER_LIBRARIES))
    import numpy  # type: ignore[import-not-found]
    from riix.models.weng_lin import WengLin  # type: ignore[import-not-found]

    members = sorted({game.a[0] for game in games} | {game.b[0] for game in games})
    numbers = {member: number for number, member in enumerate(members)}
    pairings = numpy.array([(numbers[game.a[0]], numbers[game.b[0]]) for game in games])
    outcomes = numpy.array([{"A": 1.0, "B": 0.0, "": 0.5}[game.winner] for game in games])
    return lambda: WengLin(members, model="bt").iterative_update(pairings, outcomes, time_step=1)
