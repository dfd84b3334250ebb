"""What is measured: a number beside what it may be at most, and the machine it was measured on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

_YARDSTICK_ROUNDS: Final = 5
_THOUSAND: Final = 1_000


class Figure(Struct, frozen=True):
    """One figure. `value` is text where a number would say nothing ("skipped: ..."); `budget` is the most it may be."""

    name: str
    value: float | str
    unit: str = ""
    budget: float | None = None

    def shown(self, baseline: float | str | None = None) -> str:
        """The figure as a line.

        >>> Figure("reads per move", 1.25, budget=1).shown(1.0)
        'reads per move                                         1.25            budget 1, missed      baseline 1'
        """
        number = self.value if isinstance(self.value, str) else f"{plain(self.value):>10} {self.unit}"
        verdict = ""
        if self.budget is not None and not isinstance(self.value, str):
            verdict = f"budget {plain(self.budget)}, {'kept' if self.value <= self.budget else 'missed'}"
        past = "" if baseline is None else f"baseline {baseline if isinstance(baseline, str) else plain(baseline)}"
        return f"{self.name:<48} {number:<21} {verdict:<21} {past}".rstrip()


def plain(number: float) -> str:
    """A number with as many digits as are of interest.

    >>> [plain(number) for number in (1.0, 3.6249, 78.64, 12345.6)]
    ['1', '3.62', '78.6', '12,346']
    """
    return f"{number:,.0f}" if number >= _THOUSAND else f"{number:.3g}"


def at_share(values: Sequence[float], share: float) -> float:
    """The value below which `share` of all lie.

    >>> at_share([4, 1, 3, 2], 0.5), at_share([4, 1, 3, 2], 0.99)
    (3, 4)
    """
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def latencies(name: str, seconds: Sequence[float], budget_ms: float | None = None) -> list[Figure]:
    """p50 and p99 of durations, in ms; the budget is one for the p50."""
    return [
        Figure(f"{name}: p50", at_share(seconds, 0.5) * 1_000, "ms", budget_ms),
        Figure(f"{name}: p99", at_share(seconds, 0.99) * 1_000, "ms"),
    ]


def conditions() -> dict[str, Any]:
    """The machine, and how busy it is at this moment. `yardstick_ms` is the CPU of a fixed piece of plain Python, by
    which the figures of two machines, or of a busy and a quiet one, can be compared."""
    return {
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "yardstick_ms": round(min(_yardstick() for _ in range(_YARDSTICK_ROUNDS)) * 1_000, 1),
    }


def _yardstick() -> float:
    started = time.process_time()
    text = ""
    for number in range(200_000):
        text = f"{number}{text[:8]}"
    return time.process_time() - started
