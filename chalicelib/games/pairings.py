"""Bulk pairing in DynamoDB: the games of an event, all or none.

One conditional write decides that a pairing exists, with everything its games need; making them is then only a
matter of time. `make` does it at once, in transactions that may be repeated at will; if it is cut short, the minute
sweep finds the pairing in the sparse index `pending` and makes the rest. Game ids follow from the pairing, so nothing
can be made twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import PutError
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model

from chalicelib.clock.profiles import Profile, named
from chalicelib.core.database import Table, update
from chalicelib.core.ids import derived_id
from chalicelib.core.settings import settings
from chalicelib.games import store
from chalicelib.games.bodies import Board, PairingsBody
from chalicelib.games.making import Match, pair
from chalicelib.games.model import Game, Terms
from chalicelib.rules import referee

GAMES_A_TRANSACTION: Final = 33
"""A transaction takes 100 items; a game is three: itself and a row for each player."""

_PENDING: Final = "pending"


class Pairing(Struct, frozen=True):
    """A bulk pairing as decided: what was asked for, by whom, and when (game time).

    `profiles` are those that its codes meant when it was decided: they may be retired before all its games are made.
    """

    id: str
    body: PairingsBody
    fingerprint: str
    created_at_ms: int
    profiles: tuple[Profile, ...] = ()

    @property
    def release_at_ms(self) -> int:
        return self.created_at_ms if self.body.release_at_ms is None else self.body.release_at_ms

    @property
    def profile_codes(self) -> list[str]:
        pairs = (board.profiles for board in self.body.boards if board.profiles)
        return sorted({self.body.profile, *(code for pair in pairs for code in (pair.white, pair.black))})

    @property
    def game_ids(self) -> list[str]:
        return [derived_id(self.id, str(number)) for number in range(len(self.body.boards))]


class PendingIndex(GlobalSecondaryIndex["PairingItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "pending"
        projection = KeysOnlyProjection()

    pending = UnicodeAttribute(hash_key=True)
    created_ms = NumberAttribute(range_key=True)


class PairingItem(Model):
    class Meta(Table):
        table_name = settings().pairings_table

    id = UnicodeAttribute(hash_key=True)
    body = UnicodeAttribute()
    fingerprint = UnicodeAttribute()
    created_ms = NumberAttribute()
    profiles = UnicodeAttribute(null=True)
    pending = UnicodeAttribute(null=True)
    pending_index = PendingIndex()


def games(pairing: Pairing) -> list[Game]:
    """The games of a pairing. Raises UnknownKind, IllegalSetup if any cannot be made."""
    judge = referee(pairing.body.kind)
    known = {profile.code: profile for profile in pairing.profiles}
    both = known[pairing.body.profile]
    terms = Terms(
        "pairing",
        rated=pairing.body.rated,
        event=pairing.body.event,
        flag_under_offer=pairing.body.flag_under_offer,
        guillotine_ms=pairing.body.guillotine_at_ms,
    )
    made = []
    for game_id, board in zip(pairing.game_ids, pairing.body.boards, strict=True):
        match = Match(pairing.body.kind, board.setup, _profiles(board, known, both), pairing.body.rated)
        game = pair(game_id, match, judge, terms, pairing.created_at_ms, pairing.release_at_ms)
        made.append(replace(game, white=board.white, black=board.black))
    return made


def _profiles(board: Board, known: Mapping[str, Profile], both: Profile) -> tuple[Profile, Profile]:
    return (known[board.profiles.white], known[board.profiles.black]) if board.profiles else (both, both)


def decide_pairing(pairing: Pairing) -> Pairing:
    """Make the pairing a fact; returns the one that is, which may be an earlier one of the same id."""
    item = PairingItem(
        pairing.id,
        body=msgspec.json.encode(pairing.body).decode(),
        fingerprint=pairing.fingerprint,
        created_ms=pairing.created_at_ms,
        profiles=msgspec.json.encode(pairing.profiles).decode(),
        pending=_PENDING,
    )
    try:
        item.save(PairingItem.id.does_not_exist())
    except PutError as error:
        if error.cause_response_code != "ConditionalCheckFailedException":
            raise
        return load(pairing.id)
    return pairing


def find(pairing_id: str) -> Pairing | None:
    """The pairing of this id, if it was decided."""
    try:
        return load(pairing_id)
    except PairingItem.DoesNotExist:
        return None


def load(pairing_id: str) -> Pairing:
    item = PairingItem.get(pairing_id, consistent_read=True)
    body = msgspec.json.decode(item.body, type=PairingsBody)
    decided = Pairing(item.id, body, item.fingerprint, int(item.created_ms))
    text = item.attribute_values.get("profiles")
    if text is None:
        return replace(decided, profiles=tuple(named(code) for code in decided.profile_codes))
    return replace(decided, profiles=msgspec.json.decode(text, type=tuple[Profile, ...]))


def make(pairing: Pairing) -> None:
    """Make the games that do not exist yet, then take the pairing off the pending list. May be repeated at will."""
    made = games(pairing)
    for start in range(0, len(made), GAMES_A_TRANSACTION):
        _make_some(made[start : start + GAMES_A_TRANSACTION])
    update(PairingItem(pairing.id), [PairingItem.pending.remove()], PairingItem.id.exists())


def _make_some(some: list[Game]) -> None:
    rows = [(player, game.id) for game in some for player in (game.white, game.black) if player]
    try:
        store.create(some, rows)
    except store.AlreadyCreated:
        known = {game.id for game in store.load_many(game.id for game in some)}
        for game in some:
            if game.id not in known:
                _make_some([game])


def unfinished(before_ms: int) -> Iterator[str]:
    """Ids of pairings decided before `before_ms` (game time) whose games may not all exist."""
    for item in PairingItem.pending_index.query(_PENDING, PairingItem.created_ms <= before_ms):
        yield item.id
