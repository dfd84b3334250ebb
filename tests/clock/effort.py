"""How many examples property tests try: few in the suite, any number by `TEST_EFFORT=50 pytest tests/clock`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

EFFORT = int(os.environ.get("TEST_EFFORT", "1"))


def effort(examples: int, steps: int = 50) -> settings:
    """Settings for a property test. No deadline: tests never assert on timings."""
    return settings(
        max_examples=examples * EFFORT,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
