"""What ratings say of invitations, and seeks that want opponents of certain ratings."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.clock.profiles import named
from chalicelib.core.durations import HOUR
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games import forecasts, rated
from chalicelib.games.ruling import Refusal
from chalicelib.ratings import marking, reading
from chalicelib.ratings.addresses import address
from chalicelib.ratings.model import Change, Edit, Partition, Played
from chalicelib.ratings.prediction import expected_score
from chalicelib.ratings.recompute import recompute
from tests.games.conftest import Hand, Time
from tests.games.table import ANNA, BERT, CARL, Table, invited, match
from tests.games.test_api import start

Door = Callable[..., Hand]
POOL = Partition("POOL", "chess/rapid")
RAPID = {"profile": "10+5"}


# --- the rule


@pytest.mark.parametrize(
    ("rating", "accepted"), [(1399, False), (1400, True), (1500, True), (1600, True), (1601, False), (0, False)]
)
def test_both_ends_of_a_range_are_in_it(rating: int, accepted: bool) -> None:
    table = Table(invited(opponent=None, rating_range=(1400, 1600)))
    command = ask.Accept(CARL, Side.BLACK, rating)
    if accepted:
        assert table.do(command).refusal is None
        assert table.do(ask.Accept(CARL, Side.BLACK, 3_000)).refusal is None, (
            "sent again, whatever became of the rating"
        )
    else:
        assert table.refused(command) == "rating_out_of_range"


def test_the_refusal_names_range_and_rating() -> None:
    outcome = Table(invited(opponent=None, rating_range=(1400, 1600))).do(ask.Accept(CARL, Side.BLACK, 1700))
    assert outcome.refusal == Refusal(
        "rating_out_of_range", f"the seek wants ratings from 1400 to 1600; that of {CARL} is 1700"
    )


def test_who_is_new_stands_at_1500() -> None:
    assert ask.Accept(CARL, Side.BLACK).rating == 1500
    assert Table(invited(opponent=None, rating_range=(1500, 1500))).do(ask.Accept(CARL, Side.BLACK)).refusal is None
    assert Table(invited(opponent=None, rating_range=(1501, 4000))).refused(ask.Accept(CARL, Side.BLACK)) == (
        "rating_out_of_range"
    )


def test_a_range_says_nothing_about_who_may_not_accept_at_all() -> None:
    table = Table(invited(opponent=None, rating_range=(1400, 1600)))
    assert table.refused(ask.Accept(ANNA, Side.BLACK, 9)) == "own_invitation"
    assert Table(invited(opponent=BERT)).do(ask.Accept(BERT, Side.BLACK, 9)).refusal is None


@pytest.mark.parametrize(
    ("white", "black", "pool"),
    [
        ("3+2", "3+2", "pool:chess:blitz"),
        ("3+2", "10+5", "pool:chess:rapid"),
        ("30-30-1", "3+2", "pool:chess:classical"),
        ("30-30-1", "30-30-1", "pool:chess:classical"),
    ],
)
def test_the_pool_of_a_game(white: str, black: str, pool: str) -> None:
    assert address(rated.pool_of(invited(match(named(white), black=named(black))))) == pool


# --- through the door


def rate(now: Time, *results: tuple[str, str]) -> None:
    """Who won against whom; added to a pool that everybody on this engine shares."""
    games = [
        Played(now.ms - HOUR + n, uuid.uuid4().hex[:12], (winner,), (loser,), "A")
        for n, (winner, loser) in enumerate(results)
    ]
    edits = tuple(Edit(game.id, 1, played=game) for game in games)
    marking.put({POOL: Change(uuid.uuid4().hex, edits)})
    assert recompute(POOL, lambda _: [], lambda: False).outcome == "committed"


@pytest.fixture
def three(door: Door, now: Time) -> tuple[Hand, Hand, Hand]:
    """A strong player, a weak one and a new one."""
    mark = uuid.uuid4().hex[:8]
    strong, weak, new = (door(f"{name}-{mark}") for name in ("strong", "weak", "new"))
    rate(now, *[(strong.player, weak.player)] * 5)
    return strong, weak, new


def shown(hand: Hand) -> dict[str, Any]:
    (pool,) = [
        pool
        for pool in hand.get(f"/v1/players/{hand.player}/pools").json_body["pools"]
        if pool["partition"] == address(POOL)
    ]
    standing: dict[str, Any] = pool["standing"]
    return standing


def as_read(standing: dict[str, Any]) -> dict[str, Any]:
    return {
        "rating": round(standing["ordinal"]),
        "margin": standing["margin"],
        "provisional": standing["provisional"],
    }


@pytest.mark.engine
def test_a_challenge_shows_what_either_may_expect(three: tuple[Hand, Hand, Hand]) -> None:
    strong, weak, new = three
    made = strong.post("/v1/challenges", {"opponent": weak.player, **RAPID}).json_body
    views = [hand.get(f"/v1/games/{made['id']}").json_body["invitation"]["forecast"] for hand in (strong, weak)]
    for view, mine, theirs, may in zip(views, (strong, weak), (weak, strong), (False, True), strict=True):
        assert view["pool"] == "pool:chess:rapid"
        assert (view["mine"], view["theirs"]) == (as_read(shown(mine)), as_read(shown(theirs)))
        assert view["may_accept"] is may
    assert views[0] == made["invitation"]["forecast"]
    values = [reading.standing(POOL, "individual", hand.player) for hand in (strong, weak)]
    assert views[0]["expected_score"] == pytest.approx(expected_score(*(v.values for v in values if v)), abs=1e-3)
    assert views[0]["expected_score"] + views[1]["expected_score"] == pytest.approx(1)
    assert views[0]["expected_score"] > 0.6
    lists = weak.get("/v1/games").json_body
    assert [card["invitation"]["forecast"] for card in lists["challenges_in"]] == [views[1]]
    assert weak.post(f"/v1/challenges/{made['id']}/accept").status_code == 200
    assert strong.get(f"/v1/games/{made['id']}").json_body["invitation"] is None
    assert new.player not in str(views)


@pytest.mark.engine
def test_a_seek_is_for_those_in_its_range(three: tuple[Hand, Hand, Hand], door: Door) -> None:
    strong, weak, new = three
    seeker = door(f"seeker-{uuid.uuid4().hex[:8]}")
    asked = {**RAPID, "rating_range": [1490, 1510]}
    game = seeker.post("/v1/seeks", asked).json_body["id"]

    def forecast(hand: Hand) -> dict[str, Any]:
        (card,) = [card for card in hand.get("/v1/seeks?limit=100").json_body["games"] if card["id"] == game]
        view: dict[str, Any] = card["invitation"]["forecast"]
        return view

    assert [forecast(hand)["may_accept"] for hand in (strong, weak, new, seeker)] == [False, False, True, False]
    assert forecast(new)["mine"] == {"rating": 1500, "margin": 350, "provisional": True}
    assert forecast(new)["expected_score"] == 0.5
    assert (forecast(seeker)["theirs"], forecast(seeker)["expected_score"]) == (None, None)
    for path in ("seeks", "challenges"):
        refused = strong.post(f"/v1/{path}/{game}/accept")
        body = refused.json_body
        assert (refused.status_code, body["code"]) == (403, "rating_out_of_range")
        assert body["game"]["invitation"]["rating_range"] == asked["rating_range"]
        assert "1490 to 1510" in body["detail"]
        assert str(round(shown(strong)["ordinal"])) in body["detail"]
    assert new.post(f"/v1/seeks/{game}/accept").status_code == 200
    assert new.post(f"/v1/seeks/{game}/accept").status_code == 200


@pytest.mark.engine
def test_no_rating_is_read_for_a_move_or_for_an_invitation_without_a_range(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor for a game that runs: who plays does not wait for ratings, and does not depend on them."""
    game, white, black = start(door)
    challenge = white.post("/v1/challenges", {"opponent": black.player, **RAPID}).json_body["id"]

    def fails(*_: object) -> None:
        raise AssertionError("ratings were read")

    monkeypatch.setattr(forecasts.lookup, "in_pool", fails)
    assert white.move(game, 0, "e2e4").status_code == 200
    assert black.get(f"/v1/games/{game}").status_code == 200
    assert black.post(f"/v1/challenges/{challenge}/accept").status_code == 200


@pytest.mark.engine
def test_ratings_that_cannot_be_read_keep_nobody_from_their_games(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    _, white, black = start(door)
    white.post("/v1/challenges", {"opponent": black.player, **RAPID})

    def fails(*_: object) -> None:
        raise OSError("no ratings today")

    monkeypatch.setattr(forecasts.lookup, "in_pool", fails)
    (card,) = black.get("/v1/games").json_body["challenges_in"]
    assert card["invitation"]["forecast"] is None
