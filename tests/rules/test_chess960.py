"""Chess960: start positions, and castling in all its spellings."""

from __future__ import annotations

import pytest

from chalicelib.rules.referee import IllegalMove, IllegalSetup
from tests.rules.positions import CHESS, CHESS960, played


def test_start_positions_have_numbers() -> None:
    assert CHESS960.start("518") == CHESS960.start(None)
    assert CHESS960.start("0").notation == "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
    assert len({CHESS960.start(str(number)).notation for number in range(960)}) == 960


@pytest.mark.parametrize("setup", ["960", "-1", "1000", "5 1 8", "٥"])
def test_other_numbers_are_refused(setup: str) -> None:
    with pytest.raises(IllegalSetup):
        CHESS960.start(setup)


def test_numbers_are_no_setups_of_chess() -> None:
    with pytest.raises(IllegalSetup):
        CHESS.start("518")


def test_castling_rights_may_come_as_x_fen_or_shredder_fen() -> None:
    x_fen = CHESS960.start("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1")
    assert CHESS960.start("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1") == x_fen


def test_a_right_of_an_inner_rook_names_its_file() -> None:
    inner = CHESS960.start("k7/8/8/8/8/8/8/1K2RR2 w E - 0 1")
    assert inner.notation == "k7/8/8/8/8/8/8/1K2RR2 w E - 0 1"
    beside = CHESS960.start("k7/8/8/8/8/8/8/1K2R2R w E - 0 1")
    assert CHESS960.play(beside, "b1e1").position.notation == "k7/8/8/8/8/8/8/5RKR b - - 1 1"


def test_rights_need_king_and_rook_on_the_back_rank() -> None:
    with pytest.raises(IllegalSetup, match="castling right"):
        CHESS960.start("4k3/8/8/8/8/8/1R6/4K3 w B - 0 1")


@pytest.mark.parametrize("move", ["e1g1", "O-O"])
def test_castling_is_spelled_king_takes_rook(move: str) -> None:
    answer = CHESS960.play(CHESS960.start("4k3/8/8/8/8/8/8/1R2KR2 w BF - 0 1"), move)
    assert answer.move == "e1f1"
    assert answer.position.notation == "4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1"


def test_queenside_by_the_way_of_the_king() -> None:
    answer = CHESS960.play(CHESS960.start("4k3/8/8/8/8/8/8/1R2KR2 w BF - 0 1"), "e1c1")
    assert answer.move == "e1b1"
    assert answer.position.notation == "4k3/8/8/8/8/8/8/2KR1R2 b - - 1 1"


def test_a_step_that_the_king_can_also_make_is_that_step() -> None:
    beside = "4k3/8/8/8/8/8/8/R4K1R w HA - 0 1"
    assert CHESS960.play(CHESS960.start(beside), "f1g1").position.notation == "4k3/8/8/8/8/8/8/R5KR b - - 1 1"
    assert CHESS960.play(CHESS960.start(beside), "f1h1").position.notation == "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"


def test_a_king_on_its_target_castles_by_taking_the_rook() -> None:
    home = CHESS960.start("4k3/8/8/8/8/8/8/R5KR w HA - 0 1")
    assert CHESS960.play(home, "g1h1").position.notation == "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"
    with pytest.raises(IllegalMove):
        CHESS960.play(home, "g1g1")


@pytest.mark.parametrize("move", ["e1g1", "e1f1", "O-O"])
def test_castling_through_check_is_refused(move: str) -> None:
    with pytest.raises(IllegalMove):
        CHESS960.play(CHESS960.start("4k1r1/8/8/8/8/8/8/1R2KR2 w BF - 0 1"), move)


def test_a_castling_target_takes_no_promotion() -> None:
    with pytest.raises(IllegalMove):
        CHESS960.play(CHESS960.start("4k3/8/8/8/8/8/8/1R2KR2 w BF - 0 1"), "e1g1q")


def test_black_castles_too() -> None:
    answer = played("1r2kr2/3p1p2/8/8/8/8/3P1P2/1R2KR2 w BFbf - 0 1", "e1g1 e8c8", "chess960")
    assert answer.move == "e8b8"
    assert answer.position.notation == "2kr1r2/3p1p2/8/8/8/8/3P1P2/1R3RK1 w - - 2 2"
