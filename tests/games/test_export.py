"""Games that leave the house: read back, they are the games that were played."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import chess.pgn

from tests.games.conftest import Hand
from tests.games.test_api import FOOLS_MATE, start


def finished(door: Callable[..., Hand], anna: Hand, number: int) -> str:
    """A game that Anna, with White, has lost; the fan-out, which has no stream here, is done by hand."""
    bert = door(f"bert{number}.export")
    body = {"opponent": bert.player, "profile": "30-30-1", "colour": "white"}
    game: str = anna.post("/v1/challenges", body, key=f"export-{number}").json_body["id"]
    bert.post(f"/v1/challenges/{game}/accept")
    for ply, move in enumerate(FOOLS_MATE):
        assert (anna, bert)[ply % 2].move(game, ply, move).status_code == 200
    from chalicelib.games import fan_out, store

    fan_out.ended(store.load(game))
    return game


def test_pages_hold_every_game_once_newest_first_even_when_games_end_meanwhile(door: Callable[..., Hand]) -> None:
    anna = door("anna.export")
    games = [finished(door, anna, number) for number in range(7)]
    seen, link, pages = [], "/v1/players/anna.export/export?format=ndjson&limit=3", 0
    while link:
        page = anna.get(link)
        *records, trailer = [json.loads(line) for line in page.body.decode().splitlines()]
        assert trailer["trailer"]["count"] == len(records)
        seen += [record["id"] for record in records]
        link = page.headers.get("Link", "").partition(">")[0].lstrip("<")
        pages += 1
        if pages == 1:
            games.append(finished(door, anna, 99))
    assert seen == games[6::-1]
    assert pages == 3


def test_a_pgn_read_back_has_the_moves_and_the_times(door: Callable[..., Hand]) -> None:
    game, white, black = start(door)
    for ply, move in enumerate(FOOLS_MATE):
        (white, black)[ply % 2].move(game, ply, move)
    record = json.loads(white.get(f"/v1/games/{game}/export?format=json").body)
    moves = [event for event in record["events"] if event["type"] == "move"]
    read = chess.pgn.read_game(io.StringIO(white.get(f"/v1/games/{game}/export").body.decode()))
    assert read is not None and read.errors == []
    assert read.headers["Result"] == "0-1"
    nodes = list(read.mainline())
    assert [node.move.uci() for node in nodes] == [event["move"] for event in moves] == FOOLS_MATE
    left = [event["white_ms" if ply % 2 == 0 else "black_ms"] for ply, event in enumerate(moves)]
    assert [round((node.clock() or 0) * 1000) for node in nodes] == left
    assert [round((node.emt() or 0) * 1000) for node in nodes] == [event["used_ms"] for event in moves]


def test_a_set_up_game_of_chess960_is_read_back_from_its_position(door: Callable[..., Hand]) -> None:
    setup = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    game, white, _ = start(door, kind="chess960", setup=setup)
    assert white.move(game, 0, "e1f3").status_code == 200
    read = chess.pgn.read_game(io.StringIO(white.get(f"/v1/games/{game}/export").body.decode()))
    assert read is not None and read.errors == []
    assert read.board().chess960
    assert [node.move.uci() for node in read.mainline()] == ["e1f3"]
