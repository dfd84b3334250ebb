"""Ratings through HTTP: what was entered, as a client sees it."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.paging import cursor_of
from chalicelib.ratings import ledger, reading
from chalicelib.ratings.addresses import address
from chalicelib.ratings.board import shown
from chalicelib.ratings.decay import Runs
from chalicelib.ratings.model import Partition, Played, Winner
from chalicelib.ratings.store import RatingItem
from tests.games.conftest import Hand, Time
from tests.ratings.club import MEMBERS, Club, rated_anew

pytestmark = pytest.mark.engine

Door = Callable[..., Hand]
PEOPLE = ("anna", "bert", "carl", "dora")


@pytest.fixture
def reader(door: Door, now: Time) -> Hand:
    return door("reader", scope="read record")


@pytest.fixture
def base(club: Club, reader: Hand, now: Time) -> Club:
    """R01b: ab beat cd, ac beat bd, bc lost to ad; the last of them an hour ago."""
    games: list[tuple[str, str, Winner]] = [("anna bert", "carl dora", "A"), ("anna carl", "bert dora", "A")]
    games.append(("bert carl", "anna dora", "B"))
    for hour, (a, b, winner) in enumerate(games):
        club.enters(Played(now.ms - (3 - hour) * HOUR, f"g{hour + 1}", tuple(a.split()), tuple(b.split()), winner))
    club.passes()
    return club


def of(club: Club, path: str) -> str:
    return f"/v1/ratings/{address(club.partition)}/{path}"


def read(hand: Hand, path: str) -> Any:
    answer = hand.get(path)
    assert answer.status_code == 200, answer.body
    return answer.json_body


def code(hand: Hand, path: str) -> tuple[int, str]:
    answer = hand.get(path)
    return answer.status_code, answer.json_body["code"]


def pages(hand: Hand, path: str, of: str, meanwhile: Callable[[], object] = lambda: None) -> Iterator[Any]:
    """All entries of a list, page by page; between two pages something else happens."""
    cursor = ""
    while True:
        page = read(hand, path + cursor)
        yield from page[of]
        if page["next"] is None:
            return
        cursor = f"&cursor={page['next']}"
        meanwhile()


# --- boards


def test_a_board_says_what_was_played(base: Club, reader: Hand, now: Time) -> None:
    board = read(reader, of(base, "board"))
    assert (board["partition"], board["projection"], board["total"]) == (address(base.partition), "individual", 4)
    assert (board["generation"], board["as_of_ms"], board["next"]) == (1, now.ms - now.ms % 60_000, None)
    first = board["rows"][0]
    assert [row["subject"] for row in board["rows"]] == list(PEOPLE)
    assert (first["mu"], first["sigma"]) == pytest.approx((30.771713, 7.878812), abs=1e-6)
    assert first["ordinal"] == pytest.approx(first["mu"] - 3 * first["sigma"], abs=1e-12)
    assert (first["games"], first["wins"], first["losses"], first["draws"]) == (3, 3, 0, 0)
    assert first["last_game_ms"] == now.ms - HOUR
    assert (first["provisional"], first["mark"], first["margin"]) == (True, "?", 8)
    assert (first["members"], first["volatility"], first["established_until_ms"]) == (["anna"], None, None)
    pairs = read(reader, of(base, "board?projection=pair"))
    assert (pairs["total"], pairs["projection"]) == (6, "pair")
    assert pairs["rows"][0]["members"] == pairs["rows"][0]["subject"].split("+")


def test_a_partition_where_nothing_was_played_is_empty(club: Club, reader: Hand) -> None:
    board = read(reader, of(club, "board"))
    assert (board["rows"], board["total"], board["generation"], board["next"]) == ([], 0, 0, None)


def test_pages_have_every_row_once_while_others_change(club: Club, reader: Hand, now: Time) -> None:
    """Rows that change may move; those that stay as they are come once each, in the order of one instant."""
    club.has(120)
    others = ("yan", "zoe")
    seen = 0

    def somebody_plays() -> None:
        nonlocal seen
        seen += 1
        club.enters(Played((200 + seen) * HOUR, f"x{seen}", others[:1], others[1:], "A"))
        club.passes()
        now.pass_by(40 * DAY)
        ledger.tick(now.ms)

    ledger.tick(now.ms)
    at_first = {row["subject"]: row for row in read(reader, of(club, "board?limit=100"))["rows"]}
    rows = list(pages(reader, of(club, "board?limit=3"), "rows", somebody_plays))
    assert seen > 2
    mine = [row for row in rows if row["subject"] in MEMBERS]
    assert sorted(row["subject"] for row in mine) == sorted(MEMBERS)
    assert [row["ordinal"] for row in mine] == sorted((row["ordinal"] for row in mine), reverse=True)
    for row in mine:
        then = at_first[row["subject"]]
        assert (row["sigma"], row["ordinal"]) == (then["sigma"], then["ordinal"]), (
            "runs that came meanwhile do not show"
        )


def test_an_unchanged_board_is_not_sent_again(base: Club, reader: Hand, now: Time) -> None:
    for path in ("board", "members/anna"):
        mark = reader.get(of(base, path)).headers["ETag"]
        now.pass_by(HOUR)  # the next run of decay is at 04:00 in Berlin, that is 03:00
        again = reader.get(of(base, path), If_None_Match=mark)
        assert (again.status_code, again.body, again.headers["ETag"]) == (304, b"", mark)
        base.corrects("g2", "B" if base.results["g2"][1].winner == "A" else "A")  # type: ignore[union-attr]
        base.passes()
        assert reader.get(of(base, path), If_None_Match=mark).status_code == 200


def test_a_run_of_decay_changes_what_is_shown_and_nothing_that_is_stored(base: Club, reader: Hand, now: Time) -> None:
    stored = reading.board(base.partition, "individual")
    now.pass_by(32 * DAY)
    ledger.tick(now.ms)
    before = reader.get(of(base, "board"))
    now.pass_by(DAY)
    ledger.tick(now.ms)
    after = reader.get(of(base, "board"), If_None_Match=before.headers["ETag"])
    runs = ledger.runs()
    assert after.status_code == 200
    for row, was in zip(after.json_body["rows"], before.json_body["rows"], strict=True):
        wanted = shown(base.partition, row["subject"], stored[row["subject"]], runs, now.ms)
        assert (row["mu"], row["sigma"]) == wanted.values
        assert row["sigma"] > was["sigma"]
        assert row["ordinal"] < was["ordinal"]
    assert reading.board(base.partition, "individual") == stored


# --- one subject


def test_a_member_and_a_pair(base: Club, reader: Hand) -> None:
    anna = read(reader, of(base, "members/anna"))
    assert anna["standing"] == read(reader, of(base, "board"))["rows"][0]
    assert anna["standing"]["rank"] == 1
    pair = read(reader, of(base, "pairs/bert/anna"))
    assert pair == read(reader, of(base, "pairs/anna/bert"))
    assert pair["standing"]["subject"] == "anna+bert"
    assert pair["standing"]["games"] == 1


@pytest.mark.parametrize(
    "path", ["members/emil", "members/emil/history", "pairs/anna/emil", "pairs/emil/anna/history", "pairs/anna/anna"]
)
def test_who_never_played_is_unrated(base: Club, reader: Hand, path: str) -> None:
    assert code(reader, of(base, path)) == (404, "unrated")


def test_a_history_is_what_every_game_did(base: Club, reader: Hand) -> None:
    history = read(reader, of(base, "members/anna/history"))
    assert [(game["id"], game["games"], game["score"]) for game in history["games"]] == [
        *(("g3", 3, 1), ("g2", 2, 1), ("g1", 1, 1))
    ]
    newest, middle, oldest = history["games"]
    assert (oldest["before"]["mu"], oldest["ordinal_before"]) == (25, 0)
    for earlier, later in ((oldest, middle), (middle, newest)):
        assert later["before"] == earlier["after"]
        assert later["at_ms"] > earlier["at_ms"]
        assert later["change"] == later["ordinal_after"] - later["ordinal_before"]
    standing = read(reader, of(base, "members/anna"))["standing"]
    assert (newest["after"]["mu"], newest["after"]["sigma"]) == (standing["mu"], standing["sigma"])
    assert (newest["a"], newest["b"], newest["winner"]) == (["bert", "carl"], ["anna", "dora"], "B")
    assert len(read(reader, of(base, "pairs/dora/anna/history"))["games"]) == 1


def test_pages_of_a_history_while_the_log_changes_before_them(club: Club, reader: Hand) -> None:
    """An old result that is put in, or taken out, moves all numbers of the log, and no page."""
    club.has(40)
    name = MEMBERS[0]
    wanted = [game["id"] for game in read(reader, of(club, f"members/{name}/history?limit=1000"))["games"]]
    late = iter(range(100))

    def somebody_enters_an_old_result() -> None:
        club.enters(Played(0, f"old{next(late)}", ("yan",), ("zoe",), "A"))
        club.passes()

    path = of(club, f"members/{name}/history?limit=3")
    assert [game["id"] for game in pages(reader, path, "games", somebody_enters_an_old_result)] == wanted
    assert next(late) > 2


def test_a_history_shows_what_a_rest_had_made_of_the_ordinal(club: Club, reader: Hand, now: Time) -> None:
    """R15: who comes back and loses may stand better than right before the game."""
    first = now.ms - 60 * DAY
    club.enters(Played(first, "first", ("anna",), ("bert",), "A"))
    club.passes()
    RatingItem("DECAY", "2026-02-25", ran_ms=now.ms, caught_up=False).save()
    club.enters(Played(now.ms, "comeback", ("anna",), ("bert",), "B"))
    club.passes()
    comeback, opening = read(reader, of(club, "members/anna/history"))["games"]
    runs = ledger.runs()
    assert runs != Runs()
    assert comeback["before"] == opening["after"]
    assert comeback["ordinal_before"] == pytest.approx(opening["ordinal_after"] - 0.15 * runs.since(first, now.ms))
    assert runs.since(first, now.ms) > 0


# --- pools


def test_the_board_of_a_pool_and_a_players_pools(reader: Hand, now: Time) -> None:
    """R34: thirty games and a deviation below 110 make a position."""
    pool = Partition("POOL", "chess960/rapid")  # shared by all who are on this engine
    mark = uuid.uuid4().hex[:8]
    strong, weak, new = f"strong-{mark}", f"weak-{mark}", f"new-{mark}"
    winners: list[Winner] = ["B", "A", "A"] * 10
    games = [Played(now.ms - (40 - n) * HOUR, f"{n}", (strong,), (weak,), winner) for n, winner in enumerate(winners)]
    rated_anew(pool, [*games, Played(now.ms - HOUR, "x", (new,), (weak,), "")])
    board = read(reader, "/v1/ratings/pool:chess960:rapid/board")
    assert [(row["rank"], row["subject"]) for row in board["rows"]] == [(1, strong), (2, weak)]
    first = board["rows"][0]
    assert (first["mark"], first["provisional"], first["margin"]) == ("", False, round(first["sigma"]))
    assert first["ordinal"] == first["mu"] > 1500
    assert first["established_until_ms"] > now.ms
    mine = read(reader, f"/v1/players/{new}/pools")
    by_name = {view["partition"]: view for view in mine["pools"]}
    assert len(by_name) == 6
    assert by_name["pool:chess:rapid"]["standing"] is None
    standing = by_name["pool:chess960:rapid"]["standing"]
    assert (standing["rank"], standing["mark"], standing["games"], standing["draws"]) == (None, "?", 1, 1)
    assert standing == read(reader, f"/v1/ratings/pool:chess960:rapid/members/{new}")["standing"]
    now.pass_by(600 * DAY)
    assert read(reader, "/v1/ratings/pool:chess960:rapid/board")["rows"] == [], "nobody is sure of them any more"


@pytest.mark.parametrize("path", ["board?projection=pair", "pairs/anna/bert", "pairs/anna/bert/history"])
def test_pools_know_no_pairs(reader: Hand, path: str) -> None:
    assert code(reader, f"/v1/ratings/pool:chess:blitz/{path}") == (422, "single_players_only")


# --- predictions


def test_predictions(base: Club, reader: Hand) -> None:
    found = read(reader, of(base, "prediction?a=anna,bert&b=carl,emil"))
    assert found["unrated"] == ["emil"]
    assert found["expected_score"] > 0.5
    swapped = read(reader, of(base, "prediction?a=carl,emil&b=anna,bert"))
    assert found["expected_score"] + swapped["expected_score"] == pytest.approx(1)
    pairs = read(reader, of(base, "prediction?a=bert,anna&b=carl,dora&projection=pair"))
    assert (pairs["unrated"], pairs["a"], pairs["expected_score"] > 0.5) == ([], ["bert", "anna"], True)
    even = read(reader, "/v1/ratings/pool:chess:blitz/prediction?a=nobody1&b=nobody2")
    assert (even["expected_score"], even["unrated"]) == (0.5, ["nobody1", "nobody2"])


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ("a=anna&b=anna", (400, "member_twice")),
        ("a=anna,bert&b=bert", (400, "member_twice")),
        ("a=anna,anna&b=bert", (400, "member_twice")),
        ("a=anna,bert&b=carl&projection=pair", (422, "no_pair")),
        ("a=anna", (400, "b_required")),
        ("a=anna,&b=bert", (400, "invalid_query")),
        ("a=anna,bert,carl&b=dora", (400, "invalid_query")),
        ("a=*lobby&b=dora", (400, "invalid_query")),
    ],
)
def test_sides_that_cannot_be(base: Club, reader: Hand, query: str, refusal: tuple[int, str]) -> None:
    assert code(reader, of(base, f"prediction?{query}")) == refusal


# --- how far things are


def test_progress(base: Club, reader: Hand) -> None:
    assert read(reader, of(base, "progress")) == {
        "partition": address(base.partition),
        "generation": 1,
        "results": 3,
        "waiting": 0,
        "waiting_since_ms": None,
        "replay": None,
    }
    base.corrects("g1", "B")
    behind = read(reader, of(base, "progress"))
    assert (behind["waiting"], behind["waiting_since_ms"] is not None) == (1, True)


def test_the_ledger_of_decay(reader: Hand, now: Time) -> None:
    for _ in range(3):
        ledger.tick(now.ms)
        now.pass_by(DAY)
    whole = read(reader, "/v1/ratings/decay-runs?limit=100")
    dates = [run["date"] for run in whole["runs"]]
    assert dates == sorted(set(dates), reverse=True)
    assert len(dates) >= 3
    assert (whole["hour"], whole["zone"]) == (4, "Europe/Berlin")
    by_pages = itertools.islice(pages(reader, "/v1/ratings/decay-runs?limit=2", "runs"), len(dates))
    assert list(by_pages) == whole["runs"]


def test_the_ledger_is_for_organisers(door: Door) -> None:
    assert code(door("reader", scope="read play"), "/v1/ratings/decay-runs") == (403, "scope_required")


# --- bad addresses and cursors


@pytest.mark.parametrize("path", ["board", "members/anna", "pairs/a/b", "prediction?a=a&b=b", "progress"])
def test_addresses_of_nothing(reader: Hand, path: str) -> None:
    for made_up in ("world", "club:x", "pool:chess:bullet", "pool:chess%2Fblitz", "season:abcdefghjkmn", "%00"):
        assert code(reader, f"/v1/ratings/{made_up}/{path}") == (404, "unknown_partition"), made_up


@pytest.mark.parametrize("instant", [-1, 999_999_999_999_999])
def test_a_made_up_instant_in_a_cursor(base: Club, reader: Hand, instant: int) -> None:
    cursor = cursor_of(f"{instant}:0:-1.5:anna")
    assert code(reader, of(base, f"board?cursor={cursor}")) == (400, "invalid_cursor")
