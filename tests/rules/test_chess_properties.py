"""The referee against a board that is kept beside it, and against anything that could be sent."""

from __future__ import annotations

import chess
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.core.sides import Side
from chalicelib.rules import referee
from chalicelib.rules.chess.notation import board_of, notation_of
from chalicelib.rules.referee import End, IllegalMove, IllegalSetup, Played, Position
from tests.rules.positions import CHESS, CHESS960, SETUPS, SETUPS_960

STARTS = [("chess", setup) for setup in SETUPS] + [("chess960", setup) for setup in SETUPS_960]
REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "dead_position",
    chess.Termination.SEVENTYFIVE_MOVES: "seventyfive_moves",
    chess.Termination.FIVEFOLD_REPETITION: "fivefold_repetition",
}
CHOICES = st.lists(st.integers(0, 2**16), max_size=60)
# Few different choices lead the pieces back and forth, so that positions repeat.
SHUFFLES = st.integers(1, 3).flatmap(lambda few: st.lists(st.integers(0, few), min_size=20, max_size=60))
ODD_TEXTS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="abcdefgh12345678qrbnQRBNKOx=+#-@0 ", max_size=9),
    st.sampled_from(
        ["", " ", "\x00", "0000", "--", "e2e4 ", "e2e9", "a0a1", "O-O-O", "e8=K", "\ud800", "𝔢2e4", "e2e4" * 2_500]
    ),
)


def end_of(board: chess.Board) -> End | None:
    outcome = board.outcome()
    if outcome is None:
        return None
    winner = None if outcome.winner is None else Side.WHITE if outcome.winner else Side.BLACK
    return End(REASONS[outcome.termination], winner)


def claims_of(board: chess.Board) -> tuple[str, ...]:
    if board.outcome():
        return ()
    threefold = ("threefold_repetition",) if board.is_repetition(3) else ()
    return (*threefold, "fifty_moves") if board.is_fifty_moves() else threefold


def choose(board: chess.Board, number: int, *, is_shuffle: bool) -> chess.Move:
    moves = list(board.legal_moves)
    quiet = [move for move in moves if not board.is_irreversible(move)] if is_shuffle else []
    moves = quiet or moves
    if is_shuffle and len(board.move_stack) >= 2:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if number and back in moves:
            return back
    return moves[number % len(moves)]


def compare_a_game(kind: str, setup: str | None, choices: list[int], *, is_shuffle: bool) -> None:
    judge = referee(kind)
    position = judge.start(setup)
    board = chess.Board(position.notation, chess960=kind == "chess960")
    for number in choices:
        assert judge.claims(position) == claims_of(board)
        assert judge.end(position) is None
        move = choose(board, number, is_shuffle=is_shuffle)
        san = board.san(move)
        assert judge.notate(position, move.uci()) == san
        answer = judge.play(position, move.uci())
        assert judge.play(position, san) == answer
        board.push(move)
        assert answer == Played(Position(board.fen(), answer.position.repetitions), move.uci(), end_of(board))
        assert len(answer.position.repetitions) <= 8 * (board.halfmove_clock + 1)
        position = answer.position
        assert judge.to_move(position) is (Side.WHITE if board.turn else Side.BLACK)
        assert judge.end(position) == answer.end
        if answer.end:
            break


@given(st.sampled_from(STARTS), CHOICES)
@settings(max_examples=60, deadline=None)
def test_a_game_is_judged_as_a_board_beside_it_says(start: tuple[str, str | None], choices: list[int]) -> None:
    compare_a_game(*start, choices, is_shuffle=False)


@given(st.sampled_from(STARTS), SHUFFLES)
@settings(max_examples=60, deadline=None)
def test_repetitions_are_counted_as_a_board_beside_it_says(start: tuple[str, str | None], choices: list[int]) -> None:
    compare_a_game(*start, choices, is_shuffle=True)


@given(st.sampled_from(STARTS), CHOICES)
@settings(max_examples=60, deadline=None)
def test_a_notation_is_read_back_as_the_same_board(start: tuple[str, str | None], choices: list[int]) -> None:
    kind, setup = start
    is_chess960 = kind == "chess960"
    board = chess.Board(referee(kind).start(setup).notation, chess960=is_chess960)
    for number in choices:
        if board.is_game_over():
            break
        board.push(choose(board, number, is_shuffle=False))
    assert notation_of(board) == board.fen()
    again = board_of(board.fen(), is_chess960=is_chess960)
    assert again == chess.Board(board.fen(), chess960=is_chess960)
    assert again.status() == board.status()


@given(st.sampled_from(STARTS), ODD_TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_legal_move_or_is_refused_as_one(start: tuple[str, str | None], text: str) -> None:
    kind, setup = start
    judge = referee(kind)
    position = judge.start(setup)
    board = chess.Board(position.notation, chess960=kind == "chess960")
    try:
        answer = judge.play(position, text)
    except IllegalMove as refusal:
        assert 0 < len(str(refusal)) < 300
    else:
        assert chess.Move.from_uci(answer.move) in board.legal_moves


@given(st.text(max_size=130), st.sampled_from([CHESS, CHESS960]))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_setup_or_is_refused_as_one(text: str, judge: object) -> None:
    assert_start_or_refusal(judge.kind, text)  # type: ignore[attr-defined]


@given(st.sampled_from([setup for _, setup in STARTS if setup]), st.data())
@settings(max_examples=300, deadline=None)
def test_a_damaged_fen_is_a_setup_or_is_refused_as_one(setup: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(setup)))
    inserted = data.draw(st.text(alphabet="KQRBNPkqrbnp12345678/ -wb0123abcdefghABCDEFGH~+", max_size=3))
    cut = data.draw(st.integers(0, 3))
    for kind in ("chess", "chess960"):
        assert_start_or_refusal(kind, setup[:at] + inserted + setup[at + cut :])


def assert_start_or_refusal(kind: str, setup: str) -> None:
    judge = referee(kind)
    try:
        position = judge.start(setup)
    except IllegalSetup as refusal:
        assert 0 < len(str(refusal)) < 500
    else:
        board = chess.Board(position.notation, chess960=kind == "chess960")
        assert board.is_valid()
        assert board.fen() == position.notation
        assert judge.end(position) is None
