"""How games end on time: flags, first-move limits, the guillotine, and what saves whom."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from chalicelib.clock.profiles import Profile, named
from chalicelib.core.durations import DAY, SECOND
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.due import due, is_due
from chalicelib.games.events import Ended
from chalicelib.games.history import history
from tests.games.table import ANNA, BERT, LONG, PLAIN, T0, accepted, both_moved, match, paired

GRACE = 1_500
GRACIOUS = replace(PLAIN, grace_ms=GRACE)
LIMITED = replace(PLAIN, first_move_limit_ms=7 * DAY)

around = pytest.mark.parametrize("off", [-1, 0, 1])

PLAYERS_ACTS: list[ask.Command] = [
    ask.Move(ANNA, 2, "g1f3"),
    ask.Move(BERT, 2, "g1f3"),
    ask.Move(ANNA, 2, "e2e5"),
    ask.Resign(ANNA),
    ask.Resign(BERT),
    ask.OfferDraw(ANNA, 2),
    ask.OfferDraw(BERT, 2),
    ask.Abort(ANNA),
    ask.ClaimDraw(ANNA, 2, "threefold_repetition"),
]
DESK_ACTS: list[ask.Command] = [
    ask.Pause("illness"),
    ask.Resume("illness"),
    ask.Adjust(Side.WHITE, delta_ms=DAY),
    ask.Adjust(Side.BLACK, delta_ms=-DAY),
    ask.Adjust(Side.WHITE, to_ms=DAY),
]


# --- the flag


@around
@pytest.mark.parametrize("profile", [PLAIN, GRACIOUS])
def test_looking_ends_a_game_from_the_deadline_and_grace_on(profile: Profile, off: int) -> None:
    """P1: every instant is in time or too late; P2: the result carries the deadline itself."""
    table = both_moved(match(profile))
    instant = T0 + 30 * DAY + profile.grace_ms + off
    assert is_due(table.game, instant) == (off >= 0)
    outcome = table.do(ask.Look(), instant)
    assert (outcome.entry, outcome.refusal) == (None, None)
    assert table.result == (None if off < 0 else ("time", Side.BLACK, T0 + 30 * DAY))
    assert table.game.version == 2 + (off >= 0)


@around
def test_a_move_in_the_grace_is_in_time(off: int) -> None:
    table = both_moved(match(GRACIOUS))
    outcome = table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 30 * DAY + GRACE + off)
    if off >= 0:
        assert outcome.refusal is not None
        assert outcome.refusal.code == "game_over"
        assert table.result == ("time", Side.BLACK, T0 + 30 * DAY)
        return
    assert outcome.entry is not None
    assert (outcome.entry.white_ms, outcome.entry.overrun_ms) == (DAY, GRACE - 1)
    assert outcome.entry.event.at_ms == T0 + 30 * DAY + GRACE - 1


@around
@pytest.mark.parametrize("command", [*PLAYERS_ACTS, *DESK_ACTS])
def test_whatever_finds_the_deadline_passed_ends_the_game_and_refuses_itself(command: ask.Command, off: int) -> None:
    """P8, for every command there is."""
    table = both_moved()
    outcome = table.do(command, T0 + 30 * DAY + off)
    if off < 0:
        assert table.result is None or table.result[0] != "time"
        return
    assert outcome.refusal is not None
    assert (outcome.refusal.code, outcome.entry) == ("game_over", None)
    assert table.result == ("time", Side.BLACK, T0 + 30 * DAY)
    assert list(table.game.log)[-1] == Ended(T0 + 30 * DAY, "time", Side.BLACK)
    assert history(table.game)[-1].by is None
    assert table.game.version == 3


def test_there_is_one_end_whoever_looks_and_however_often() -> None:
    table = both_moved()
    for _ in range(3):
        table.do(ask.Look(), T0 + 31 * DAY)
    assert table.game.version == 3
    assert table.refused(ask.Move(ANNA, 2, "g1f3")) == "game_over"
    assert table.refused(ask.Resign(BERT)) == "game_over"


def test_each_side_is_flagged_under_its_own_profile() -> None:
    table = paired(match(PLAIN, black=named("T3_1")))
    table.do(ask.Move(ANNA, 0, "e2e4"), T0 + 9 * DAY)
    assert table.do(ask.Look(), T0 + 12 * DAY + GRACE - 1).game.version == 1
    table.do(ask.Look(), T0 + 12 * DAY + GRACE)
    assert table.result == ("time", Side.WHITE, T0 + 12 * DAY)


@pytest.mark.parametrize(
    ("setup", "winner"),
    [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None),
        ("4k3/4p3/8/8/8/8/8/4K2R w - - 0 1", Side.BLACK),
        ("4k3/8/8/8/8/8/4P3/4K1N1 w - - 0 1", None),
        ("4k1n1/8/8/8/8/8/4P3/4K3 w - - 0 1", Side.BLACK),
    ],
)
def test_an_opponent_who_cannot_mate_does_not_win_on_time(setup: str, winner: Side | None) -> None:
    """P13, FIDE 6.9: White oversteps; Black wins only if some series of legal moves mates."""
    table = paired(match(setup=setup))
    table.do(ask.Look(), T0 + 30 * DAY)
    assert table.result == ("time", winner, T0 + 30 * DAY)
    assert table.game.rates


@pytest.mark.parametrize(
    ("policy", "by", "winner"),
    [("loss", BERT, Side.BLACK), ("draw", BERT, None), ("draw", ANNA, Side.BLACK), ("loss", ANNA, Side.BLACK)],
)
def test_an_open_offer_of_the_winner_helps_only_if_the_event_says_so(policy: str, by: str, winner: Side | None) -> None:
    table = both_moved(flag_under_offer=policy)
    table.do(ask.OfferDraw(by, 2), T0 + DAY)
    table.do(ask.Look(), T0 + 30 * DAY)
    assert table.result == ("time", winner, T0 + 30 * DAY)
    assert table.game.offer is None


def test_an_offer_that_was_declined_or_has_lapsed_helps_nobody() -> None:
    table = both_moved(flag_under_offer="draw")
    table.do(ask.OfferDraw(BERT, 2))
    table.do(ask.DeclineDraw(ANNA, 2))
    table.do(ask.Look(), T0 + 30 * DAY)
    assert table.result is not None
    assert table.result[1] is Side.BLACK
    lapsed = both_moved(flag_under_offer="draw")
    lapsed.do(ask.OfferDraw(BERT, 2))
    lapsed.play("g1f3 b8c6").do(ask.Look(), T0 + 30 * DAY)
    assert lapsed.result is not None
    assert lapsed.result[1] is Side.BLACK


# --- the first move


@around
def test_who_does_not_open_within_the_limit_loses_and_nobody_gains_rating(off: int) -> None:
    table = paired(match(LIMITED))
    table.do(ask.Look(), T0 + 7 * DAY + off)
    if off < 0:
        assert table.result is None
        return
    assert table.result == ("no_start", Side.BLACK, T0 + 7 * DAY)
    assert table.game.status(T0 + 7 * DAY) == "finished"
    assert not table.game.rates


def test_a_missed_first_move_loses_even_against_somebody_who_could_not_mate() -> None:
    """Nothing has been played: FIDE 6.9 is about positions of a game that began."""
    table = paired(match(LIMITED, setup="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"))
    table.do(ask.Look(), T0 + 7 * DAY)
    assert table.result == ("no_start", Side.BLACK, T0 + 7 * DAY)


@pytest.mark.parametrize(("scope", "reason"), [("game", None), ("each_player", "no_start")])
def test_whether_the_limit_is_for_each_player_is_the_profiles_to_say(scope: str, reason: str | None) -> None:
    table = paired(match(replace(LIMITED, first_move_scope=scope))).play("e2e4", every_ms=DAY)
    table.do(ask.Look(), T0 + 8 * DAY)
    assert table.result == ((reason, Side.WHITE, T0 + 8 * DAY) if reason else None)


@pytest.mark.parametrize(("plies", "player"), [("", ANNA), ("e2e4", BERT)])
def test_a_live_game_that_nobody_starts_aborts_itself(plies: str, player: str) -> None:
    """Settled 28: each of the first two plies has 30 s of its own."""
    table = accepted(match(named("3+2"))).play(plies, every_ms=20 * SECOND)
    started = table.now_ms
    assert table.do(ask.Look(), started + 30 * SECOND - 1).game.result is None
    outcome = table.do(ask.Move(player, table.game.ply, "e2e4"), started + 30 * SECOND)
    assert outcome.refusal is not None
    assert outcome.refusal.code == "game_over"
    assert table.result == ("auto_aborted", None, started + 30 * SECOND)
    assert table.game.status(table.now_ms) == "aborted"
    assert not table.game.rates


@pytest.mark.parametrize(
    ("plies", "result"), [("", ("auto_aborted", None, T0 + 30 * SECOND)), ("e2e4", ("no_start", Side.WHITE, T0 + DAY))]
)
def test_what_a_missed_first_move_means_is_for_the_profile_of_who_missed_it(
    plies: str, result: tuple[str, Side | None, int]
) -> None:
    strict = replace(PLAIN, first_move_limit_ms=DAY, first_move_scope="each_player")
    table = paired(match(named("3+2"), black=strict)).play(plies)
    table.do(ask.Look(), T0 + DAY)
    assert table.result == result


def test_a_live_game_under_way_is_lost_on_time_without_grace() -> None:
    table = accepted(match(named("3+2"))).play("e2e4 e7e5")
    table.do(ask.Look(), T0 + 182 * SECOND - 1)
    assert table.result is None
    table.do(ask.Look(), T0 + 182 * SECOND)
    assert table.result == ("time", Side.BLACK, T0 + 182 * SECOND)


# --- the guillotine


@around
@pytest.mark.parametrize(
    ("black_ms", "winner"),
    [(15 * DAY - 1, Side.WHITE), (15 * DAY, None), (15 * DAY + 1, Side.BLACK)],
)
def test_the_guillotine_gives_the_game_to_who_has_more_time(black_ms: int, winner: Side | None, off: int) -> None:
    """White's 20 days have run for 5 when it falls."""
    table = both_moved(guillotine_ms=T0 + 5 * DAY)
    table.do(ask.Adjust(Side.WHITE, to_ms=20 * DAY))
    table.do(ask.Adjust(Side.BLACK, to_ms=black_ms))
    table.do(ask.Look(), T0 + 5 * DAY + off)
    if off < 0:
        assert table.result is None
        return
    assert table.result == ("guillotine", winner, T0 + 5 * DAY)
    assert table.game.rates


def test_a_lone_king_wins_by_the_guillotine() -> None:
    """The guillotine compares clocks, not boards (seed 000, 5)."""
    table = paired(match(setup="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), guillotine_ms=T0 + DAY)
    table.do(ask.Look(), T0 + DAY)
    assert table.result == ("guillotine", Side.BLACK, T0 + DAY)


@pytest.mark.parametrize(("shifts", "moved"), [(False, 0), (True, 3 * DAY)])
def test_a_pause_moves_the_guillotine_only_if_the_event_says_so(shifts: bool, moved: int) -> None:
    table = both_moved(guillotine_ms=T0 + 10 * DAY, guillotine_shifts=shifts)
    table.do(ask.Pause("illness"), T0 + DAY)
    table.do(ask.Resume("illness"), T0 + 4 * DAY)
    assert table.do(ask.Look(), T0 + 10 * DAY + moved - 1).game.result is None
    table.do(ask.Look(), T0 + 10 * DAY + moved)
    assert table.result == ("guillotine", Side.BLACK, T0 + 10 * DAY + moved)


# --- what is due


def test_what_is_due_is_what_ends_the_game_next() -> None:
    table = paired(match(LONG), guillotine_ms=T0 + 90 * DAY)
    seen = []
    for moves in ("", "e2e4", "e7e5"):
        table.play(moves)
        reached = due(table.game)
        assert reached is not None
        seen.append((reached.cause, reached.at_ms - T0, reached.effective_ms - reached.at_ms))
    assert seen == [("no_start", 7 * DAY, 0), ("time", 30 * DAY, GRACE), ("time", 30 * DAY, GRACE)]
    table.do(ask.Pause("x"))
    assert due(table.game) is None
    table.do(ask.Resume("x"))
    table.do(ask.Resign(ANNA))
    assert due(table.game) is None


def test_a_game_moves_on_from_flag_to_flag_of_its_players() -> None:
    """A whole game in which each side uses its time down to the last ms, then oversteps."""
    table = both_moved()
    for move in ["g1f3", "b8c6", "f1c4", "f8c5"]:
        table.do(ask.Move(table.to_move, table.game.ply, move), table.deadline - 1)
    assert table.game.clock is not None
    assert table.game.clock.white.remaining_ms == DAY + 1
    table.do(ask.Move(ANNA, 6, "e1g1"), table.deadline)
    assert table.result is not None
    assert table.result[:2] == ("time", Side.BLACK)
    assert table.result[2] == T0 + 60 * DAY - 2 + 2 * DAY + DAY + 1
