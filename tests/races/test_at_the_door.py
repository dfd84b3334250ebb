"""Races through the app's own door: what players in a hurry are told, in threads and in processes of their own."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import chess
import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.games import flagfall, pairings, rows, store
from chalicelib.games.due import due
from tests.games.conftest import Hand, Time
from tests.games.test_api import start
from tests.races.conftest import rounds, sound, together
from tests.races.processes import Processes, ask

Door = Callable[..., Hand]

MANY_MOVES = "8/6k1/8/3Q4/8/8/8/R3K2R w KQ - 0 1"
MOVES = [move.uci() for move in chess.Board(MANY_MOVES).legal_moves][:32]


def words(game: str) -> list[str]:
    """What happened, without when."""
    return [word.partition("@")[0] for word in store.load(game).log.text.split()]


def assert_one_won(game: str, replies: list[tuple[int, Any]]) -> None:
    """Of different moves for the first ply one was played, and all others were shown it."""
    assert Counter(status for status, _ in replies) == {200: 1, 409: len(replies) - 1}
    won = next(body for status, body in replies if status == 200)
    assert words(game)[1:] == [won["move"]]
    for status, body in replies:
        if status == 409:
            assert body["code"] == "already_played"
            shown = body["game"]
            assert (shown["version"], shown["ply"], shown["events"][-1]["move"]) == (2, 1, won["move"])
    sound(game)


def test_of_32_different_moves_one_is_answered_200_and_31_are_shown_it(crowd: Door) -> None:
    assert len(set(MOVES)) == 32
    for _ in range(rounds(2)):
        game, white, _ = start(crowd, setup=MANY_MOVES)
        answers = together([partial(white.move, game, 0, move) for move in MOVES])
        assert_one_won(game, [(answer.status_code, answer.json_body) for answer in answers])


def test_of_32_processes_with_different_moves_one_plays(door: Door, forks: Processes) -> None:
    for _ in range(min(rounds(1), 20)):
        game, white, _ = start(door, setup=MANY_MOVES)
        replies = forks.at_once([ask(white, f"/v1/games/{game}/moves", {"ply": 0, "move": move}) for move in MOVES])
        assert_one_won(game, [reply for reply in replies if reply])
        assert None not in replies


def test_the_same_move_20_times_is_charged_once_at_its_first_receipt(crowd: Door, now: Time) -> None:
    for _ in range(rounds(2)):
        game, white, black = start(crowd)
        now.pass_by(6 * HOUR)
        answers = together([partial(white.move, game, 0, "e2e4")] * 20)
        first = answers[0].body
        assert {(answer.status_code, answer.body) for answer in answers} == {(200, first)}
        assert answers[0].json_body["used_ms"] == 6 * HOUR
        assert answers[0].json_body["at_ms"] == now.ms

        now.pass_by(DAY)
        assert white.move(game, 0, "e2e4").body == first
        black.move(game, 1, "e7e5")
        now.pass_by(DAY)
        later = together([partial(white.move, game, 0, "e2e4")] * 20)
        assert {(answer.status_code, answer.body) for answer in later} == {(200, first)}
        assert words(game) == ["Ab", "e2e4", "e7e5"]
        sound(game)


def test_devices_that_disagree_hear_the_same_truth(crowd: Door) -> None:
    for _ in range(rounds(4)):
        game, white, _ = start(crowd)
        moves = ["e2e4"] * 8 + ["d2d4"] * 8
        answers = together([partial(white.move, game, 0, move) for move in moves])
        _, played = words(game)
        assert [answer.status_code for answer in answers] == [200 if move == played else 409 for move in moves]


@pytest.mark.parametrize(
    ("moved_at", "scanned_at"), [(-1, -1), (0, 0), (1, 1), (-1, 0), (-1, 1)], ids=lambda offset: f"{offset:+d}"
)
def test_two_scans_a_move_and_a_read_around_the_deadline(
    crowd: Door, now: Time, alone: None, moved_at: int, scanned_at: int
) -> None:
    """A flag that falls while a move in time is still on its way may win; a move that comes late never does."""
    for number in range(rounds(6)):
        game, white, black = start(crowd, profile="T3_1")
        reached = due(store.load(game))
        assert reached is not None
        now.ms = reached.effective_ms + moved_at
        acts: list[Callable[[], Any]] = [
            partial(flagfall.scan, reached.effective_ms + scanned_at),
            partial(white.move, game, 0, "e2e4"),
            partial(black.get, f"/v1/games/{game}"),
            partial(flagfall.scan, reached.effective_ms + scanned_at),
        ]
        turn = number % len(acts)
        done = together(acts[turn:] + acts[:turn])
        _, moved, read, _ = done[-turn:] + done[:-turn]

        is_in_time = moved.status_code == 200
        assert is_in_time or moved_at == scanned_at >= 0 or scanned_at >= 0 > moved_at
        assert not (is_in_time and moved_at >= 0)
        assert words(game) == (["Ab", "e2e4"] if is_in_time else ["Ab", "Etime:b:-"])
        assert read.status_code == 200
        if is_in_time or moved_at >= 0:
            assert read.json_body["status"] == ("active" if is_in_time else "finished")
        if not is_in_time:
            assert moved.json_body["code"] == "game_over"
            result = moved.json_body["game"]["result"]
            assert (result["reason"], result["winner"], result["at_ms"]) == ("time", "black", reached.at_ms)
        sound(game)


def test_of_eight_who_accept_a_seek_one_plays(crowd: Door) -> None:
    for _ in range(rounds(4)):
        mark = uuid.uuid4().hex[:8]
        seeker, *guests = (crowd(f"guest{number}-{mark}") for number in range(9))
        game = seeker.post("/v1/seeks", {"profile": "30-30-1"}).json_body["id"]
        answers = together([partial(guest.post, f"/v1/seeks/{game}/accept") for guest in guests])
        assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 7}
        for guest, answer in zip(guests, answers, strict=True):
            assert rows.running_of(guest.player) == ([game] if answer.status_code == 200 else [])
            assert answer.status_code == 200 or answer.json_body["code"] == "already_accepted"
        assert game not in rows.running_of(rows.LOBBY)
        assert rows.running_of(seeker.player) == [game]
        assert len(words(game)) == 1


def test_crossing_offers_are_both_answered_200(crowd: Door) -> None:
    for _ in range(rounds(6)):
        game, white, black = start(crowd)
        answers = together([partial(hand.post, f"/v1/games/{game}/draw-offer", {"ply": 0}) for hand in (white, black)])
        assert [answer.status_code for answer in answers] == [200, 200]
        assert sorted(answer.json_body["type"] for answer in answers) == ["draw_offered", "end"]
        assert words(game)[2].startswith("Eagreement:-:")
        again = [hand.post(f"/v1/games/{game}/draw-offer", {"ply": 0}) for hand in (white, black)]
        assert [answer.body for answer in again] == [answer.body for answer in answers]


def test_acceptance_against_withdrawal_and_refusal(crowd: Door) -> None:
    for _ in range(rounds(6)):
        anna, bert = (crowd(f"{name}-{uuid.uuid4().hex[:8]}") for name in ("anna", "bert"))
        game = anna.post("/v1/challenges", {"opponent": bert.player, "profile": "30-30-1"}).json_body["id"]
        verbs = [(bert, "accept"), (anna, "withdraw"), (bert, "decline")]
        answers = together([partial(hand.post, f"/v1/challenges/{game}/{verb}") for hand, verb in verbs])
        assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 2}
        assert len(words(game)) == 1


def test_one_pairing_posted_eight_times_makes_every_game_once(crowd: Door) -> None:
    for _ in range(min(rounds(1), 50)):
        mark = uuid.uuid4().hex[:8]
        arbiter = crowd("arbiter", scope="record")
        boards = [{"white": f"w{number}-{mark}", "black": f"b{number}-{mark}"} for number in range(34)]
        body = {"event": "Open", "profile": "T3_1", "boards": boards}
        answers = together([partial(arbiter.post, "/v1/pairings", body, key=mark)] * 8)
        assert {answer.status_code for answer in answers} <= {201, 503}
        answers.append(arbiter.post("/v1/pairings", body, key=mark))
        made = [answer.json_body["games"] for answer in answers if answer.status_code == 201]
        assert made == [made[0]] * len(made)
        assert [{"white": game.white, "black": game.black} for game in store.load_many(made[0])] == boards
        for board, game in zip(boards, made[0], strict=True):
            assert rows.running_of(board["white"]) == rows.running_of(board["black"]) == [game]
        assert answers[-1].json_body["id"] not in list(pairings.unfinished(10**15))
