"""Moves, resignation and abort: whose turn it is, which ply is meant, and what the same command sent again gets."""

from __future__ import annotations

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.events import Ended, Moved
from chalicelib.games.history import history
from chalicelib.games.making import invite
from chalicelib.games.model import Invitation
from chalicelib.games.playing import ABORT_PLIES
from chalicelib.rules import referee
from chalicelib.rules.referee import End
from tests.games.table import ANNA, BERT, CARL, T0, Table, accepted, both_moved, invited, match, paired

ITALIAN = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5"
FOOLS_MATE = "f2f3 e7e5 g2g4 d8h4"
LATER = [0, 1, DAY, 400 * DAY]
"""A day, or a year after the game was lost on time."""


def test_a_move_is_played_charged_and_logged() -> None:
    table = both_moved()
    outcome = table.do(ask.Move(ANNA, 2, "g1f3"), T0 + 3 * DAY)
    entry = outcome.entry
    assert entry is not None
    assert entry.event == Moved(T0 + 3 * DAY, "g1f3")
    assert (entry.version, entry.ply, entry.by) == (3, 2, Side.WHITE)
    assert (entry.white_ms, entry.black_ms) == (28 * DAY, 30 * DAY)
    assert (entry.used_ms, entry.increment_ms, entry.lapsed_ms, entry.overrun_ms) == (3 * DAY, DAY, 0, 0)
    assert (table.game.ply, table.game.version, len(table.game.log)) == (3, 3, 3)
    assert table.game.position == referee("chess").play(both_moved().game.position, "g1f3").position


def test_a_move_at_the_wrong_time_is_refused() -> None:
    table = paired().play("e2e4")
    assert table.refused(ask.Move(ANNA, 1, "d2d4")) == "not_your_turn"
    assert table.refused(ask.Move(BERT, 2, "e7e5")) == "wrong_ply"
    assert table.refused(ask.Move(ANNA, 2, "d2d4")) == "wrong_ply"
    assert table.refused(ask.Move(CARL, 1, "e7e5")) == "not_a_player"


@pytest.mark.parametrize("move", ["e7e4", "e2e4", "", "e7", "xyz", "e7e5q", "0000", "O-O", "e7e5 ", "E7E5", "ä" * 500])
def test_an_illegal_move_changes_nothing(move: str) -> None:
    assert paired().play("e2e4").refused(ask.Move(BERT, 1, move), T0 + DAY) == "illegal_move"


@pytest.mark.parametrize("move", ["d2d4", "e2e5", ""])
def test_another_move_for_a_taken_ply_is_told_so(move: str) -> None:
    table = paired().play("e2e4 e7e5 g1f3")
    assert table.refused(ask.Move(ANNA, 0, move)) == "already_played"


@pytest.mark.parametrize(("player", "ply", "side"), [(BERT, 0, "White"), (ANNA, 1, "Black"), (BERT, 2, "White")])
def test_a_move_for_a_taken_ply_of_the_opponent_is_told_whose_it_is(player: str, ply: int, side: str) -> None:
    table = paired().play("e2e4 e7e5 g1f3")
    for move in ("e2e4", "e7e5", "g1f3", "d2d4"):
        refusal = table.do(ask.Move(player, ply, move)).refusal
        assert refusal is not None
        assert refusal.code == "not_your_turn"
        assert refusal.detail == f"ply {ply} is {side}'s to play; the game stands at ply 3"


def test_a_stranger_resending_a_move_is_still_a_stranger() -> None:
    assert paired().play("e2e4").refused(ask.Move(CARL, 0, "e2e4")) == "not_a_player"


@pytest.mark.parametrize("later", LATER)
def test_every_move_sent_again_gets_the_entry_it_got(later: int) -> None:
    """Settled 1: at any later time, whatever has happened to the game since."""
    table, sent = paired(), []
    for ply, move in enumerate(ITALIAN.split()):
        command = ask.Move(table.to_move, ply, move)
        outcome = table.do(command, T0 + ply * HOUR)
        sent.append((command, outcome.entry))
    table.wait(later).do(ask.Look())
    assert table.game.is_over == (later > 40 * DAY)
    for command, entry in sent:
        again = table.do(command)
        assert again.entry == entry is not None
        assert again.refusal is None


def test_a_move_sent_again_ends_the_game_when_its_time_is_up() -> None:
    """The answer is the entry of the move; that the game has been lost since is in the game."""
    table = paired()
    first = table.do(ask.Move(ANNA, 0, "e2e4"))
    again = table.do(ask.Move(ANNA, 0, "e2e4"), T0 + 31 * DAY)
    assert again.entry == first.entry
    assert table.result == ("time", Side.WHITE, T0 + 30 * DAY)
    assert again.game.version == first.game.version + 1


@pytest.mark.parametrize("sent", ["e1g1", "e1h1"])
@pytest.mark.parametrize("again", ["e1g1", "e1h1"])
def test_castling_spelled_otherwise_is_the_same_move(sent: str, again: str) -> None:
    table = paired().play(ITALIAN)
    first = table.do(ask.Move(ANNA, 6, sent))
    assert first.entry is not None
    assert first.entry.event == Moved(T0, "e1g1")
    table.play("g8f6")
    second = table.do(ask.Move(ANNA, 6, again), T0 + DAY)
    assert (second.entry, second.refusal) == (first.entry, None)
    assert table.refused(ask.Move(ANNA, 6, "e1f1")) == "already_played"


def test_castling_in_chess960_is_king_takes_rook() -> None:
    setup = "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1"
    table = paired(match(kind="chess960", setup=setup))
    first = table.do(ask.Move(ANNA, 0, "e1g1"))
    assert first.entry is not None
    assert first.entry.event == Moved(T0, "e1g1")
    assert table.game.position.notation.startswith("4k3/8/8/8/8/8/8/1R3RK1 b")
    assert table.do(ask.Move(ANNA, 0, "e1g1"), T0 + DAY).entry == first.entry


def test_promotions_to_different_pieces_are_different_moves() -> None:
    table = paired(match(setup="8/P6k/8/8/8/8/7K/8 w - - 0 1"))
    first = table.do(ask.Move(ANNA, 0, "a7a8r"))
    assert table.do(ask.Move(ANNA, 0, "a7a8r")).entry == first.entry is not None
    assert table.refused(ask.Move(ANNA, 0, "a7a8q")) == "already_played"


def test_mate_ends_the_game_with_the_move() -> None:
    table = paired().play(FOOLS_MATE, every_ms=HOUR)
    assert table.result == ("checkmate", Side.BLACK, T0 + 4 * HOUR)
    last = history(table.game)[-1]
    assert last.event == Moved(T0 + 4 * HOUR, "d8h4", 0, End("checkmate", Side.BLACK))
    assert (last.increment_ms, last.lapsed_ms) == (0, 0)
    assert table.game.status(table.now_ms) == "finished"
    assert table.game.rates
    assert table.refused(ask.Move(ANNA, 4, "e1f2")) == "game_over"
    assert table.do(ask.Move(BERT, 3, "d8h4"), T0 + DAY).entry == last


def test_stalemate_is_a_draw() -> None:
    table = paired(match(setup="7k/8/5K2/6Q1/8/8/8/8 w - - 0 1")).play("g5g6")
    assert table.result == ("stalemate", None, T0)


@pytest.mark.parametrize(("off", "ends"), [(-1, "checkmate"), (0, "time"), (1, "time")])
def test_mate_counts_up_to_the_last_millisecond(off: int, ends: str) -> None:
    table = paired().play("f2f3 e7e5 g2g4")
    outcome = table.do(ask.Move(BERT, 3, "d8h4"), table.deadline + off)
    assert table.result is not None
    assert table.result[:2] == (ends, Side.BLACK if ends == "checkmate" else Side.WHITE)
    assert (outcome.refusal.code if outcome.refusal else None) == (None if off < 0 else "game_over")


def test_two_moves_for_one_ply_have_one_winner() -> None:
    """U13, as far as a decision goes: whoever comes second is told what stands."""
    table = both_moved()
    legal = ["g1f3", "d2d4", "f1c4", "b1c3"]
    codes = [o.refusal.code if o.refusal else "played" for o in (table.do(ask.Move(ANNA, 2, m)) for m in legal)]
    assert codes == ["played"] + ["already_played"] * 3
    assert len(table.game.log) == 3


def test_lag_given_back_is_in_the_log() -> None:
    table = both_moved()
    outcome = table.do(ask.Move(ANNA, 2, "g1f3", lag_ms=400), T0 + DAY + 1_000)
    assert outcome.entry is not None
    assert outcome.entry.event == Moved(T0 + DAY + 1_000, "g1f3", lag_ms=400)
    assert outcome.entry.used_ms == DAY + 600
    assert outcome.entry.white_ms == 30 * DAY - 600


@pytest.mark.parametrize("off", [-5, -1, 0, 1])
def test_a_move_never_comes_before_the_turn_it_is_made_in(off: int) -> None:
    """C48: the host that takes Black's move is behind the one that took White's."""
    table = paired()
    table.do(ask.Move(ANNA, 0, "e2e4"), T0 + HOUR)
    outcome = table.do(ask.Move(BERT, 1, "e7e5"), T0 + HOUR + off)
    assert outcome.entry is not None
    assert outcome.entry.event.at_ms == T0 + HOUR + max(0, off)
    assert outcome.entry.used_ms == max(0, off)


# --- resignation


@pytest.mark.parametrize(("player", "winner"), [(ANNA, Side.BLACK), (BERT, Side.WHITE)])
def test_either_side_may_resign_at_any_time(player: str, winner: Side) -> None:
    table = both_moved()
    outcome = table.do(ask.Resign(player), T0 + HOUR)
    assert table.result == ("resignation", winner, T0 + HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == Ended(T0 + HOUR, "resignation", winner, winner.other)
    assert (outcome.entry.white_ms, outcome.entry.black_ms) == (30 * DAY - HOUR, 30 * DAY)
    assert table.game.rates


@pytest.mark.parametrize("later", LATER)
def test_a_resignation_sent_again_gets_its_entry_and_the_opponents_comes_too_late(later: int) -> None:
    table = both_moved()
    first = table.do(ask.Resign(BERT), T0 + HOUR)
    again = table.do(ask.Resign(BERT), T0 + HOUR + later)
    assert (again.entry, again.refusal, again.game) == (first.entry, None, first.game)
    assert table.refused(ask.Resign(ANNA)) == "game_over"


def test_strangers_do_not_resign() -> None:
    assert both_moved().refused(ask.Resign(CARL)) == "not_a_player"


@pytest.mark.parametrize("player", [ANNA, BERT])
def test_a_lost_game_cannot_be_resigned(player: str) -> None:
    table = both_moved()
    outcome = table.do(ask.Resign(player), T0 + 30 * DAY)
    assert outcome.refusal is not None
    assert outcome.refusal.code == "game_over"
    assert table.result == ("time", Side.BLACK, T0 + 30 * DAY)


# --- abort


@pytest.mark.parametrize("player", [ANNA, BERT])
@pytest.mark.parametrize(("plies", "code"), [(0, None), (1, None), (2, None), (3, "too_late_to_abort")])
def test_a_game_can_be_aborted_up_to_two_plies(plies: int, code: str | None, player: str) -> None:
    assert ABORT_PLIES == 2
    table = accepted().play(" ".join(ITALIAN.split()[:plies]))
    if code:
        assert table.refused(ask.Abort(player)) == code
        return
    outcome = table.do(ask.Abort(player), T0 + HOUR)
    assert outcome.refusal is None
    assert table.result == ("aborted", None, T0 + HOUR)
    assert table.game.status(T0 + HOUR) == "aborted"
    assert not table.game.rates


@pytest.mark.parametrize("later", LATER)
def test_an_abort_sent_again_gets_its_entry(later: int) -> None:
    table = accepted()
    first = table.do(ask.Abort(ANNA), T0 + 5)
    again = table.do(ask.Abort(ANNA), T0 + 5 + later)
    assert (again.entry, again.refusal, again.game) == (first.entry, None, first.game)
    assert table.refused(ask.Abort(BERT)) == "game_over"


@pytest.mark.parametrize("plies", [0, 1, 2, 3])
def test_a_paired_game_cannot_be_aborted(plies: int) -> None:
    table = paired().play(" ".join(ITALIAN.split()[:plies]))
    assert table.refused(ask.Abort(ANNA)) == "not_abortable"


def test_a_seek_makes_a_game_that_can_be_aborted() -> None:
    table = Table(invited(opponent=None))
    table.do(ask.Accept(CARL, Side.BLACK))
    assert table.do(ask.Abort(CARL)).refusal is None
    assert table.refused(ask.Abort(BERT)) == "not_a_player"


# --- before the release, and playing against oneself


@pytest.mark.parametrize(("off", "code"), [(-1, "not_started"), (0, None), (1, None)])
def test_nobody_plays_before_the_release(off: int, code: str | None) -> None:
    table = paired(release_at_ms=T0 + DAY)
    table.now_ms = T0 + DAY + off
    assert table.game.status(table.now_ms) == ("created" if off < 0 else "active")
    if code:
        for command in (ask.Move(ANNA, 0, "e2e4"), ask.Resign(BERT), ask.OfferDraw(ANNA, 0), ask.Abort(ANNA)):
            assert table.refused(command) == code
        return
    outcome = table.do(ask.Move(ANNA, 0, "e2e4"))
    assert outcome.entry is not None
    assert outcome.entry.used_ms == off


def test_nothing_is_charged_before_the_release() -> None:
    table = paired(release_at_ms=T0 + DAY)
    assert table.do(ask.Look(), T0).game.version == 0
    assert table.deadline == T0 + 31 * DAY
    assert table.do(ask.Look(), T0 + 31 * DAY - 1).game.version == 0
    assert table.do(ask.Look(), T0 + 31 * DAY).game.is_over


def test_the_invitation_of_a_challenger_who_is_also_the_opponent_cannot_be_accepted() -> None:
    wanted = match()
    sent = Invitation(ANNA, ANNA, "white", T0 + DAY)
    table = Table(invite("game", wanted, referee("chess"), sent, T0))
    assert table.refused(ask.Accept(ANNA, Side.BLACK)) == "own_invitation"
