"""Real results, where they are at hand: the libraries and the laws hold for the values that real logs come to."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from datetime import UTC, datetime
from math import isfinite
from random import Random

from msgspec.structs import replace
from openskill.models import PlackettLuce

from chalicelib.ratings.model import Played, Winner
from chalicelib.ratings.replay import Rules, States, rebuild
from tests.conformance.test_shared_files import shared
from tests.ratings.books import GLOBAL, Books, Log, bits, from_scratch

BESIDE_THE_LIBRARY = 1_000
IN_BOOKS = 500


def doubles() -> list[Played]:
    return sorted(_doubles(), key=lambda played: played.place)


def _doubles() -> Iterator[Played]:
    with gzip.open(shared("matches/matches_2v2.csv.gz"), "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            winner: Winner = row["winner"] if row["winner"] in ("A", "B") else ""  # type: ignore[assignment]
            yield Played(_ms(row["timestamp"]), row["id"], (row["a1"], row["a2"]), (row["b1"], row["b2"]), winner)


def singles() -> list[Played]:
    with gzip.open(shared("matches/matches_1v1.csv.gz"), "rt", encoding="utf-8") as file:
        games = [
            Played(_ms(row["timestamp"]), row["id"], (row["player_a"],), (row["player_b"],), _winner(row["score_a"]))
            for row in csv.DictReader(file)
        ]
    return sorted(games, key=lambda played: played.place)


def _winner(score: str) -> Winner:
    return "A" if float(score) == 1 else "B" if float(score) == 0 else ""


def _ms(timestamp: str) -> int:
    return round(datetime.fromisoformat(timestamp).astimezone(UTC).timestamp() * 1_000)


def test_every_game_of_all_real_logs_counts_once() -> None:
    for games, each in ((doubles(), 4), (singles(), 2)):
        states: States = {}
        count = sum(len(line.individual) for line in rebuild(games, states, 0, Rules()))

        rows = states["individual"].values()
        assert count == each * len(games) == sum(row.games for row in rows)
        assert all(isfinite(sum(row.values)) and row.values[1] > 0 for row in rows)
        assert sum(row.wins for row in rows) == sum(row.losses for row in rows) == sum(map(_won, games)) * each // 2
        assert max(row.last_no for row in rows) == len(games) - 1


def _won(played: Played) -> bool:
    return played.winner != ""


def test_real_logs_have_the_bits_of_the_library() -> None:
    ranks: dict[Winner, list[float]] = {"A": [1, 2], "B": [2, 1], "": [1, 1]}
    for games in (doubles(), singles()):
        some = games[:BESIDE_THE_LIBRARY]
        model = PlackettLuce()
        known = {member: model.rating() for game in some for member in game.a + game.b}
        for game in some:
            teams = [[known[member] for member in side] for side in (game.a, game.b)]
            for side, rated in zip((game.a, game.b), model.rate(teams, ranks=ranks[game.winner]), strict=True):
                known.update(zip(side, rated, strict=True))
        states: States = {}
        for _ in rebuild(some, states, 0, Rules()):
            pass

        assert {member: row.values for member, row in states["individual"].items()} == {
            member: (rating.mu, rating.sigma) for member, rating in known.items()
        }


def test_corrections_of_a_real_log_leave_the_bits_of_a_rebuild() -> None:
    random, books = Random(3), Books()
    for game in doubles()[:IN_BOOKS]:
        books.enter(game)
    books.settle()
    for number in range(5):
        game = random.choice(books.logs[GLOBAL].lines).played
        if number % 2:
            books.exclude(game.id)
        else:
            books.enter(replace(game, winner="B" if game.winner == "A" else "A"))
        books.settle()

    assert bits(books.logs[GLOBAL]) == bits(from_scratch(books, GLOBAL)) != bits(Log())
