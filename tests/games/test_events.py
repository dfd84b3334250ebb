"""The log as text: every event comes back from its word, and a log has as many events as it says."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chalicelib.core.sides import Side
from chalicelib.games import events
from chalicelib.games.events import Event, Log, read, write
from chalicelib.rules.referee import End
from tests.clock.effort import effort

T0 = 1_772_323_200_000
ODD = "ill: 38 °C @ home\t%20 ~!- ж 日本 🏳️\u2028\n"

sides = st.sampled_from(list(Side))
maybe_sides = st.none() | sides
instants = st.integers(0, 2**45)
amounts = st.integers(-(2**40), 2**40)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.just(ODD)
moves = st.from_regex(r"[a-o0-9][a-z0-9]{1,5}", fullmatch=True)
reasons = st.from_regex(r"[a-z_]{1,20}", fullmatch=True)
ends = st.none() | st.builds(End, reasons, maybe_sides)

anything = st.one_of(
    st.builds(events.Accepted, instants, sides),
    st.builds(events.Moved, instants, moves, st.integers(0, 1_000), ends),
    st.builds(events.DrawOffered, instants, sides),
    st.builds(events.DrawDeclined, instants, sides),
    st.builds(events.Ended, instants, reasons, maybe_sides, maybe_sides, texts),
    st.builds(events.Paused, instants, texts, texts),
    st.builds(events.Resumed, instants, texts, texts),
    st.builds(events.Adjusted, instants, sides, amounts, amounts, texts),
    st.builds(events.Reinstated, instants, sides, amounts, amounts, texts),
    st.builds(events.Undone, instants, st.integers(1, 10_000), texts),
    st.builds(events.Shifted, instants, texts, instants),
)


@effort(600)
@given(anything, st.just(T0) | instants)
@example(events.Paused(T0, ODD), T0)
@example(events.Paused(T0, ""), T0)
@example(events.Shifted(T0, "a:b@c d", T0 - 1), T0)
@example(events.Moved(T0 - 5, "e2e4"), T0)
def test_an_event_comes_back_from_its_word(event: Event, created: int) -> None:
    word = write(event, created)
    assert read(word, created) == event
    assert type(read(word, created)) is type(event)
    assert word.count("@") == 1
    assert word.split() == [word], "one word of the log"
    assert word.isascii()


@effort(150)
@given(st.lists(anything, max_size=12), instants)
def test_a_log_holds_its_events_in_order_and_counts_them(several: list[Event], created: int) -> None:
    log = Log(created)
    for number, event in enumerate(several):
        assert len(log) == number
        log = log.plus(event)
    assert list(log) == several
    assert list(log.backwards()) == several[::-1]
    assert len(log) == len(several)
    assert list(Log(created, log.text)) == several


@effort(150)
@given(st.lists(anything, min_size=2, max_size=6), instants)
def test_adding_an_event_leaves_the_text_before_as_it_is(several: list[Event], created: int) -> None:
    log = Log(created)
    for event in several:
        longer = log.plus(event)
        assert longer.text.startswith(log.text)
        assert longer.created_at_ms == created
        log = longer


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (events.Moved(T0 + 35, "e2e4"), "e2e4@z"),
        (events.Moved(T0 + 36, "e2e4", 250), "e2e4~250@10"),
        (events.Moved(T0, "d8h4", 0, End("checkmate", Side.BLACK)), "d8h4!checkmate:b@0"),
        (events.Moved(T0, "h8g8", 7, End("stalemate", None)), "h8g8~7!stalemate:-@0"),
        (events.Accepted(T0 + 1, Side.WHITE), "Aw@1"),
        (events.DrawOffered(T0 + 1, Side.WHITE), "Ow@1"),
        (events.DrawDeclined(T0 + 1, Side.BLACK), "Db@1"),
        (events.Ended(T0 + 1, "resignation", Side.BLACK, Side.WHITE), "Eresignation:b:w@1"),
        (events.Ended(T0 + 1, "time", None), "Etime:-:-@1"),
        (events.Paused(T0 + 1, "hall 2"), "Phall%202@1"),
        (events.Resumed(T0 + 1, "a:b", "k7"), "Ra%3Ab:k7@1"),
        (events.Ended(T0 + 1, "adjudication", Side.BLACK, key="k7"), "Eadjudication:b:-:k7@1"),
        (events.Reinstated(T0 + 1, Side.WHITE, 5, 4, "k7"), "Bw:5:4:k7@1"),
        (events.Undone(T0 + 1, 12, "k7"), "U12:k7@1"),
        (events.Resumed(T0 + 1, "hall 2"), "Rhall%202@1"),
        (events.Adjusted(T0 + 1, Side.WHITE, 172_800_000, -86_400_000), "Gw:172800000:-86400000@1"),
        (events.Adjusted(T0 + 1, Side.BLACK, 1, 1, "k:7"), "Gb:1:1:k%3A7@1"),
        (events.Shifted(T0 + 72, "night-3", T0 - 36), "Snight-3:-10@20"),
    ],
)
def test_how_events_are_written(event: Event, word: str) -> None:
    """Stored games hold these words: a change here breaks every game under way."""
    assert write(event, T0) == word
    assert read(word, T0) == event


@pytest.mark.parametrize(
    "word", ["", "@", "@1", "e2e4", "Zfoo@1", "Ax@1", "e2e4@", "e2e4@!", "Etime@1", "e2e4~x@1", "Gw:1@1"]
)
def test_what_was_never_written_is_not_read(word: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        read(word, T0)
