"""Draw offers and claims: bound to a ply, answered once, and the same again for whoever asks again."""

from __future__ import annotations

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.draws import OFFER_PAUSE
from chalicelib.games.events import DrawDeclined, DrawOffered, Ended, Moved
from chalicelib.games.model import DrawOffer
from tests.games.table import ANNA, BERT, CARL, T0, Table, both_moved, match, paired

SHUFFLE = "g1f3 g8f6 f3g1 f6g8"
"""Both knights out and back; twice makes the start occur three times."""

LATER = [0, 1, DAY, 400 * DAY]


def white_offers() -> Table:
    """Anna, to move at ply 2, has offered a draw."""
    table = both_moved()
    assert table.do(ask.OfferDraw(ANNA, 2), T0 + HOUR).refusal is None
    return table


# --- offers


@pytest.mark.parametrize(("player", "side"), [(ANNA, Side.WHITE), (BERT, Side.BLACK)])
def test_either_side_may_offer_on_any_turn(player: str, side: Side) -> None:
    table = both_moved()
    outcome = table.do(ask.OfferDraw(player, 2), T0 + HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == DrawOffered(T0 + HOUR, side)
    assert (outcome.entry.ply, outcome.entry.by) == (2, side)
    assert table.game.offer == DrawOffer(side, 2)
    assert table.deadline == T0 + 30 * DAY, "an offer costs nothing and moves nothing"


@pytest.mark.parametrize("ply", [0, 1, 3, -1, 10**9])
def test_offers_and_answers_for_another_ply_are_refused(ply: int) -> None:
    table = both_moved()
    assert table.refused(ask.OfferDraw(ANNA, ply)) == "wrong_ply"
    table.do(ask.OfferDraw(ANNA, 2))
    assert table.refused(ask.AcceptDraw(BERT, ply)) == "wrong_ply"
    assert table.refused(ask.DeclineDraw(BERT, ply)) == "wrong_ply"
    assert table.refused(ask.OfferDraw(BERT, ply)) == "wrong_ply"
    assert table.refused(ask.ClaimDraw(ANNA, ply, "fifty_moves")) == "wrong_ply"


def test_strangers_neither_offer_nor_answer() -> None:
    table = white_offers()
    for command in (ask.OfferDraw(CARL, 2), ask.AcceptDraw(CARL, 2), ask.DeclineDraw(CARL, 2)):
        assert table.refused(command) == "not_a_player"


def test_an_offer_accepted_is_a_draw() -> None:
    table = white_offers()
    outcome = table.do(ask.AcceptDraw(BERT, 2), T0 + 2 * HOUR)
    assert table.result == ("agreement", None, T0 + 2 * HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == Ended(T0 + 2 * HOUR, "agreement", None, Side.BLACK)
    assert (table.game.offer, table.game.rates, table.game.status(table.now_ms)) == (None, True, "finished")


def test_an_offer_declined_is_gone() -> None:
    table = white_offers()
    outcome = table.do(ask.DeclineDraw(BERT, 2), T0 + 2 * HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == DrawDeclined(T0 + 2 * HOUR, Side.BLACK)
    assert table.game.offer is None
    assert table.refused(ask.AcceptDraw(BERT, 2)) == "no_offer"


def test_declining_where_nothing_is_offered_is_not_the_decline_of_before() -> None:
    table = white_offers()
    table.do(ask.DeclineDraw(BERT, 2))
    table.play("g1f3 b8c6")
    assert table.refused(ask.DeclineDraw(BERT, 4)) == "no_offer"


@pytest.mark.parametrize("command", [ask.AcceptDraw, ask.DeclineDraw])
def test_nobody_answers_their_own_offer_or_none(command: type[ask.AcceptDraw | ask.DeclineDraw]) -> None:
    assert both_moved().refused(command(BERT, 2)) == "no_offer"
    assert white_offers().refused(command(ANNA, 2)) == "no_offer"


@pytest.mark.parametrize("by", [ANNA, BERT])
def test_the_next_move_of_either_side_makes_an_offer_lapse(by: str) -> None:
    table = both_moved()
    table.do(ask.OfferDraw(by, 2))
    table.play("g1f3")
    assert table.game.offer is None
    other = BERT if by == ANNA else ANNA
    assert table.refused(ask.AcceptDraw(other, 2)) == "wrong_ply"
    assert table.refused(ask.AcceptDraw(other, 3)) == "no_offer"


def test_two_offers_that_cross_are_an_agreement() -> None:
    table = white_offers()
    outcome = table.do(ask.OfferDraw(BERT, 2), T0 + 2 * HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == Ended(T0 + 2 * HOUR, "agreement", None, Side.BLACK)
    assert table.result == ("agreement", None, T0 + 2 * HOUR)


def test_two_offers_that_cross_are_an_agreement_even_if_the_second_would_come_too_soon() -> None:
    """Whoever offers agrees; the pause between offers protects the opponent, who has just offered."""
    table = both_moved()
    table.do(ask.OfferDraw(BERT, 2))
    table.play("g1f3")
    table.do(ask.OfferDraw(ANNA, 3))
    assert table.do(ask.OfferDraw(BERT, 3)).refusal is None
    assert table.result == ("agreement", None, T0)


def test_there_is_no_withdrawing_an_offer() -> None:
    table = white_offers()
    assert table.refused(ask.DeclineDraw(ANNA, 2)) == "no_offer"
    assert table.game.offer == DrawOffer(Side.WHITE, 2)


# --- once in ten own moves


def moves_of_white_until_offer(table: Table, declined: bool) -> int:
    """Play on after White's offer at ply 2 until White may offer again: White's moves in between."""
    if declined:
        table.do(ask.DeclineDraw(BERT, 2))
    own = 0
    knights = ["g1f3", "b8c6", "f3g1", "c6b8"]
    pawns = (f"{file}{start}{file}{end}" for file in "abcdfgh" for start, end in ((2, 3), (7, 6)))
    while own < 30:
        number = table.game.ply - 2
        is_pawn_turn = number % 6 in (4, 5)
        table.play(next(pawns, "") if is_pawn_turn else knights[number % 6])
        own += number % 2 == 0
        if number % 2 == 0 and table.do(ask.OfferDraw(ANNA, table.game.ply)).refusal is None:
            return own
    return own


@pytest.mark.parametrize("declined", [True, False])
def test_the_next_offer_is_possible_after_ten_own_moves(declined: bool) -> None:
    assert OFFER_PAUSE == 10
    assert moves_of_white_until_offer(white_offers(), declined) == 10


def test_an_offer_too_soon_says_how_long_to_wait() -> None:
    table = white_offers()
    table.do(ask.DeclineDraw(BERT, 2))
    table.play("g1f3 b8c6 f1c4")
    outcome = table.do(ask.OfferDraw(ANNA, 5))
    assert outcome.refusal is not None
    assert (outcome.refusal.code, outcome.entry) == ("offer_too_soon", None)
    assert outcome.refusal.detail == "the next draw offer is possible after 8 more own moves"


def test_each_side_waits_for_itself() -> None:
    table = white_offers()
    table.do(ask.DeclineDraw(BERT, 2))
    assert table.do(ask.OfferDraw(BERT, 2)).refusal is None
    assert table.game.offer == DrawOffer(Side.BLACK, 2)
    table.play("g1f3")
    assert table.refused(ask.OfferDraw(ANNA, 3)) == "offer_too_soon"
    assert table.refused(ask.OfferDraw(BERT, 3)) == "offer_too_soon"


# --- the same again


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("then", ["open", "declined", "accepted", "lapsed", "crossed"])
def test_an_offer_sent_again_gets_the_entry_it_got(then: str, later: int) -> None:
    table = both_moved()
    first = table.do(ask.OfferDraw(ANNA, 2))
    match then:
        case "declined":
            table.do(ask.DeclineDraw(BERT, 2))
        case "accepted":
            table.do(ask.AcceptDraw(BERT, 2))
        case "lapsed":
            table.play("g1f3 b8c6")
        case "crossed":
            table.do(ask.OfferDraw(BERT, 2))
    table.wait(later).do(ask.Look())
    before = table.game
    again = table.do(ask.OfferDraw(ANNA, 2))
    assert (again.entry, again.refusal, again.game) == (first.entry, None, before)
    assert isinstance(again.entry and again.entry.event, DrawOffered)


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("command", [ask.AcceptDraw(BERT, 2), ask.DeclineDraw(BERT, 2), ask.OfferDraw(BERT, 2)])
def test_an_answer_sent_again_gets_the_entry_it_got(command: ask.Command, later: int) -> None:
    table = white_offers()
    first = table.do(command)
    if not table.game.is_over:
        table.play("g1f3 b8c6")
    table.wait(later).do(ask.Look())
    before = table.game
    again = table.do(command)
    assert again.entry == first.entry is not None
    assert (again.refusal, again.game) == (None, before)


def test_an_acceptance_of_what_has_become_a_draw_otherwise_comes_too_late() -> None:
    table = white_offers()
    table.do(ask.AcceptDraw(BERT, 2))
    for command in (ask.AcceptDraw(ANNA, 2), ask.DeclineDraw(BERT, 2), ask.AcceptDraw(BERT, 1), ask.Resign(BERT)):
        assert table.refused(command) == "game_over"


def test_an_offer_at_another_ply_is_another_offer() -> None:
    table = white_offers()
    table.play("g1f3")
    assert table.refused(ask.OfferDraw(ANNA, 3)) == "offer_too_soon"


# --- claims


def test_a_threefold_repetition_is_claimed_by_the_side_to_move() -> None:
    table = paired().play(f"{SHUFFLE} {SHUFFLE}")
    assert table.refused(ask.ClaimDraw(BERT, 8, "threefold_repetition")) == "not_your_turn"
    assert table.refused(ask.ClaimDraw(ANNA, 8, "fifty_moves")) == "no_claim"
    assert table.refused(ask.ClaimDraw(ANNA, 4, "threefold_repetition")) == "wrong_ply"
    assert table.refused(ask.ClaimDraw(CARL, 8, "threefold_repetition")) == "not_a_player"
    outcome = table.do(ask.ClaimDraw(ANNA, 8, "threefold_repetition"), T0 + HOUR)
    assert table.result == ("threefold_repetition", None, T0 + HOUR)
    assert outcome.entry is not None
    assert outcome.entry.event == Ended(T0 + HOUR, "threefold_repetition", None, Side.WHITE)
    assert table.game.rates


def test_a_claim_lapses_with_the_position() -> None:
    table = paired().play(f"{SHUFFLE} {SHUFFLE} e2e4")
    assert table.refused(ask.ClaimDraw(BERT, 9, "threefold_repetition")) == "no_claim"


@pytest.mark.parametrize(("clock", "code"), [(98, "no_claim"), (99, None), (100, None)])
def test_fifty_moves_are_claimed_from_the_hundredth_ply_on(clock: int, code: str | None) -> None:
    table = paired(match(setup=f"4k3/8/8/8/8/8/8/R3K3 w - - {clock} 80")).play("a1b1")
    claim = ask.ClaimDraw(BERT, 1, "fifty_moves")
    if code:
        assert table.refused(claim) == code
        return
    assert table.do(claim).refusal is None
    assert table.result == ("fifty_moves", None, T0)


@pytest.mark.parametrize("later", LATER)
def test_a_claim_sent_again_gets_its_entry(later: int) -> None:
    table = paired().play(f"{SHUFFLE} {SHUFFLE}")
    claim = ask.ClaimDraw(ANNA, 8, "threefold_repetition")
    first = table.do(claim)
    again = table.do(claim, T0 + later)
    assert (again.entry, again.refusal, again.game) == (first.entry, None, first.game)
    for other in (
        ask.ClaimDraw(BERT, 8, "threefold_repetition"),
        ask.ClaimDraw(ANNA, 8, "fifty_moves"),
        ask.ClaimDraw(ANNA, 7, "threefold_repetition"),
    ):
        assert table.refused(other) == "game_over"


def test_the_fifth_repetition_ends_the_game_by_itself() -> None:
    table = paired().play(" ".join([SHUFFLE] * 4))
    assert table.result == ("fivefold_repetition", None, T0)
    last = list(table.game.log)[-1]
    assert isinstance(last, Moved)
    assert last.end is not None
