"""Game time: speeds may change, time may not."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.time import TimeSource
from infra.local.virtual_time import as_parameters, at_speed, in_words, kept_in, of_parameters

real_times = st.integers(min_value=0, max_value=2**43)
speeds = st.sampled_from([1, 2, 60, 1_000, 100_000])


@given(st.lists(st.tuples(real_times, speeds), min_size=1, max_size=8), st.integers(0, 10**6))
def test_never_runs_backwards_through_any_changes_of_speed(changes: list[tuple[int, int]], later: int) -> None:
    clock = TimeSource()
    seen = []
    for real_ms, speed in sorted(changes):
        seen.append(clock.at(real_ms))
        clock = at_speed(clock, speed, real_ms)
        seen.append(clock.at(real_ms))
        seen.append(clock.at(real_ms))
    seen.append(clock.at(max(changes)[0] + later))

    assert all(before <= after for before, after in pairwise(seen))


@given(real_times, speeds, speeds)
def test_a_change_of_speed_keeps_the_moment(real_ms: int, first: int, second: int) -> None:
    clock = at_speed(TimeSource(), first, real_ms // 2)

    assert at_speed(clock, second, real_ms).at(real_ms) == clock.at(real_ms)


def test_is_real_time_until_somebody_asks_for_more(tmp_path: Path) -> None:
    assert kept_in(tmp_path / "time.json", 1).at(1_234) == 1_234


def test_keeps_its_anchor_as_long_as_the_speed_stays(tmp_path: Path) -> None:
    path = tmp_path / "time.json"
    fast = kept_in(path, 1_000)

    assert kept_in(path, 1_000) == fast
    assert json.loads(path.read_text())["speed"] == 1_000


def test_going_back_to_real_speed_keeps_the_time_gained(tmp_path: Path) -> None:
    path = tmp_path / "time.json"
    path.write_text(json.dumps({"speed": 1_000, "anchor_real_ms": 0, "anchor_ms": 0}))

    slow = kept_in(path, 1)

    assert slow.anchor_ms == slow.anchor_real_ms * 1_000


@given(st.builds(TimeSource, speeds, real_times, real_times))
def test_the_template_s_parameters_tell_the_whole_of_it(source: TimeSource) -> None:
    assert of_parameters(as_parameters(source)) == source


def test_a_calendar_that_has_run_out_is_said_in_words_too() -> None:
    assert in_words(TimeSource(100_000), 2**43).startswith("beyond the year 9999, ")
