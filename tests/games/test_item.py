"""The item of a game: what is stored comes back, and the index shows what is due. No database is needed."""

from __future__ import annotations

import base64
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from chalicelib.clock.profiles import NAMED, Profile, named
from chalicelib.core.durations import DAY
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.item import SHARDS, GameItem, changes, game_of, game_of_image, index_keys, item_of
from chalicelib.games.making import Match, invitation, invite
from chalicelib.games.model import Game
from chalicelib.rules import referee
from tests.clock.effort import effort
from tests.games.table import ANNA, BERT, T0, Table, accepted, both_moved, invited, match, paired
from tests.games.test_history import eventful

RELEASE = T0 + 3 * DAY
SETUPS = [None, "4k3/8/8/8/8/8/4P3/4K3 b - - 12 40", "8/P6k/8/8/8/8/7K/8 w - - 0 1"]


def stored(game: Game) -> Game:
    """The game after a way through the wire format of the database."""
    return game_of(GameItem.from_raw_data(item_of(game).serialize()))


def image(game: Game) -> dict[str, Any]:
    """The item as a stream shows it: bytes as base64 text."""
    raw = item_of(game).serialize()
    return {
        name: {"B": base64.b64encode(value["B"]).decode()} if "B" in value else value for name, value in raw.items()
    }


def same(game: Game) -> None:
    assert stored(game) == game
    assert game_of_image(image(game)) == game


profiles = st.sampled_from(list(NAMED.values())) | st.builds(
    Profile,
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8),
    initial_buffer_ms=st.integers(1, DAY),
    increment_ms=st.integers(0, DAY),
    cap_ms=st.integers(DAY, 3_650 * DAY),
    first_move_limit_ms=st.none() | st.integers(1, DAY),
    first_move_scope=st.sampled_from(["game", "each_player"]),
    no_start=st.sampled_from(["loss", "abort"]),
    grace_ms=st.integers(0, 60_000),
)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
commands = st.one_of(
    st.tuples(st.just("move"), st.integers(0, 40)),
    st.tuples(st.just("offer"), st.sampled_from(list(Side))),
    st.tuples(st.just("desk"), st.builds(ask.Pause, names) | st.builds(ask.Resume, names)),
    st.tuples(st.just("desk"), st.builds(ask.Adjust, st.sampled_from(list(Side)), st.integers(-DAY, DAY).filter(bool))),
    st.tuples(st.just("desk"), st.builds(ask.ShiftForWindow, names, st.integers(T0, T0 + DAY), st.just(T0 + 2 * DAY))),
    st.tuples(st.just("resign"), st.sampled_from(list(Side))),
)
steps = st.lists(st.tuples(commands, st.integers(0, DAY)), max_size=12)


def play(table: Table, acts: list[tuple[tuple[str, Any], int]]) -> list[Game]:
    """Do what can be done of it; every game on the way."""
    games = [table.game]
    for (what, detail), wait in acts:
        table.wait(wait)
        command = detail
        if what == "move":
            legal = moves_of(table.game)
            command = ask.Move(table.to_move, table.game.ply, legal[detail % len(legal)] if legal else "")
        elif what == "offer":
            command = ask.OfferDraw(table.player(detail), table.game.ply)
        elif what == "resign":
            command = ask.Resign(table.player(detail))
        table.do(command)
        games.append(table.game)
    return games


def moves_of(game: Game) -> list[str]:
    import chess

    board = chess.Board(game.position.notation)
    return sorted(move.uci() for move in board.legal_moves)


@effort(60)
@given(
    st.tuples(profiles, profiles),
    st.sampled_from(SETUPS),
    st.sampled_from([{}, {"guillotine_ms": T0 + DAY, "guillotine_shifts": True, "flag_under_offer": "draw"}]),
    steps,
)
def test_games_reached_by_play_come_back_from_their_items(
    both: tuple[Profile, Profile], setup: str | None, terms: dict[str, Any], acts: list[tuple[tuple[str, Any], int]]
) -> None:
    table = paired(match(both[0], setup=setup, black=both[1]), **terms)
    for game in play(table, acts):
        same(game)


@effort(60)
@given(steps)
def test_changes_lead_from_one_item_to_the_next(acts: list[tuple[tuple[str, Any], int]]) -> None:
    """Applying an update to the item before gives the item after, attribute by attribute."""
    games = play(accepted(), acts)
    for before, after in zip([invited(), *games], games, strict=False):
        attributes = item_of(before).serialize()
        for action in changes(before, after):
            path, *value = action.values
            attributes.pop(str(path), None)
            attributes |= {str(path): new.value for new in value}
        assert attributes == item_of(after).serialize()


@effort(60)
@given(
    names,
    st.none() | names,
    st.sampled_from(["white", "black", "random"]),
    st.none() | st.tuples(st.integers(0, 3000), st.integers(0, 3000)),
)
def test_invitations_come_back_from_their_items(
    challenger: str, opponent: str | None, colour: Any, rating_range: Any
) -> None:
    wanted = match()
    sent = invitation(wanted, T0, challenger=challenger, opponent=opponent, colour=colour, rating_range=rating_range)
    same(invite("game", wanted, referee("chess"), sent, T0, fingerprint="print"))


def test_a_game_in_which_everything_happened_comes_back() -> None:
    same(eventful().game)
    for name in ("3+2", "T3_1", "30-30-1-half"):
        same(both_moved(match(named(name))).game)


def test_a_chess960_game_comes_back() -> None:
    wanted = Match("chess960", "4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", (named("T3_1"), named("30-30-1")), rated=False)
    same(paired(wanted).play("e1g1").game)


def test_a_move_changes_few_attributes() -> None:
    """What a write costs goes by what it changes."""
    table = both_moved().play("g1f3")
    before = table.game
    after = table.play("b8c6", every_ms=2 * DAY).game
    changed = {str(action.values[0]) for action in changes(before, after)}
    board = {"position", "seen", "log", "version"}
    clock = {"ply", "turn", "turn_ms", "black_ms", "deadline_ms"}
    assert changed == board | clock


@pytest.mark.parametrize("name", ["white_ms", "black_ms"])
def test_a_negative_account_is_refused_by_the_serializer(name: str) -> None:
    """The source's CHECK (settled 15), wherever the number comes from."""
    item = item_of(both_moved().game)
    setattr(item, name, 0)
    item.serialize()
    setattr(item, name, -1)
    with pytest.raises(ValueError, match=f"{name} must not be negative, not -1"):
        item.serialize()
    with pytest.raises(ValueError, match=f"{name} must not be negative, not -1"):
        getattr(GameItem, name).set(-1)


# --- the index


def test_the_index_shows_the_deadline_with_grace() -> None:
    table = both_moved(match(named("30-30-1")))
    assert index_keys(table.game) == (f"running{crc32(b'game') % SHARDS}", T0 + 30 * DAY + 1_500)
    assert index_keys(paired(match(named("30-30-1"))).game) == (f"running{crc32(b'game') % SHARDS}", T0 + 7 * DAY)


def test_the_index_shows_when_an_invitation_lapses() -> None:
    assert index_keys(invited()) == (f"running{crc32(b'game') % SHARDS}", T0 + 14 * DAY)


def test_a_paused_game_stands_apart_from_those_that_can_fall_due() -> None:
    table = both_moved()
    table.do(ask.Pause("x"), T0 + 7)
    assert index_keys(table.game) == (f"paused{crc32(b'game') % SHARDS}", T0 + 7)
    table.do(ask.Resume("x"), T0 + DAY)
    assert index_keys(table.game) == (f"running{crc32(b'game') % SHARDS}", T0 + 31 * DAY - 7)


def test_the_index_shows_an_ended_game_by_its_end() -> None:
    table = both_moved()
    table.do(ask.Resign(ANNA), T0 + 5)
    assert index_keys(table.game) == (f"ended{crc32(b'game') % SHARDS}", T0 + 5)
    declined = Table(invited())
    declined.do(ask.Decline(BERT), T0 + 6)
    assert index_keys(declined.game) == (f"ended{crc32(b'game') % SHARDS}", T0 + 6)


@effort(60)
@given(steps)
def test_the_index_is_always_the_deadline_of_the_game(acts: list[tuple[tuple[str, Any], int]]) -> None:
    for game in play(accepted(match(named("30-30-1"))), acts):
        keys, clock = index_keys(game), game.clock
        assert clock is not None
        if game.result is not None:
            assert keys == (f"ended{crc32(b'game') % SHARDS}", game.result.at_ms)
        elif clock.paused_at_ms is not None:
            assert keys == (f"paused{crc32(b'game') % SHARDS}", clock.paused_at_ms)
        else:
            deadline = clock.turn_started_at_ms + clock.account(clock.to_move).remaining_ms + 1_500
            limit = clock.first_move_due_ms
            assert keys is not None
            assert keys[1] == (deadline if limit is None else min(deadline, limit))
        shown = item_of(game).serialize()
        assert (shown["shard"], shown["deadline_ms"]) == ({"S": keys[0]}, {"N": str(keys[1])})


def test_games_spread_over_the_shards() -> None:
    game = both_moved().game
    shards = {keys[0] for number in range(100) if (keys := index_keys(replace(game, id=f"game-{number}")))}
    assert shards == {f"running{number}" for number in range(SHARDS)}
