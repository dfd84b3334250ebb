"""The item of a game: the table as PynamoDB sees it, and the way from `Game` to item and back.

What the item holds is what `Game` holds; the two attributes of the `deadline` index are derived from it in the same
write. While something is due the index shows when; while the game is paused, since when; when it has ended, its end,
until the fan-out has done its work and takes it out (so a lost stream batch leaves a trace that the sweep finds). Each
stage has partitions of its own, so the scan for due games meets no others.
"""

from __future__ import annotations

import base64
import json
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action
from pynamodb.indexes import GlobalSecondaryIndex, KeysOnlyProjection
from pynamodb.models import Model

from chalicelib.clock.clock import Account, Clock
from chalicelib.clock.profiles import Profile
from chalicelib.core.database import NonNegative, Table
from chalicelib.core.settings import settings
from chalicelib.core.sides import Side
from chalicelib.games.due import due
from chalicelib.games.events import Log
from chalicelib.games.model import DrawOffer, Game, Invitation, Result, Terms
from chalicelib.rules.referee import Position

SHARDS: Final = 4
"""Partitions of the deadline index. One would do for 10 000 games; four keep a burst of moves off one key."""

RUNNING: Final = "running"
PAUSED: Final = "paused"
ENDED: Final = "ended"


class DeadlineIndex(GlobalSecondaryIndex["GameItem"]):  # type: ignore[no-untyped-call]
    class Meta:
        index_name = "deadline"
        projection = KeysOnlyProjection()

    shard = UnicodeAttribute(hash_key=True)
    deadline_ms = NumberAttribute(range_key=True)


class GameItem(Model):
    """A game as stored. Rarely changing parts are compact JSON; what a move changes has attributes of its own."""

    class Meta(Table):
        table_name = settings().games_table

    id = UnicodeAttribute(hash_key=True)
    version = NumberAttribute()
    kind = UnicodeAttribute()
    terms = UnicodeAttribute()
    setup = UnicodeAttribute(null=True)
    created_ms = NumberAttribute()
    white = UnicodeAttribute(null=True)
    black = UnicodeAttribute(null=True)
    first = UnicodeAttribute()
    profiles = UnicodeAttribute()
    position = UnicodeAttribute()
    seen = BinaryAttribute(legacy_encoding=False, null=True)
    log = UnicodeAttribute(null=True)
    invitation = UnicodeAttribute(null=True)
    released_ms = NumberAttribute(null=True)
    ply = NumberAttribute(null=True)
    turn = UnicodeAttribute(null=True)
    turn_ms = NumberAttribute(null=True)
    white_ms = NonNegative(null=True)
    black_ms = NonNegative(null=True)
    limits = UnicodeAttribute(null=True)
    offer = UnicodeAttribute(null=True)
    result = UnicodeAttribute(null=True)
    shard = UnicodeAttribute(null=True)
    deadline_ms = NumberAttribute(null=True)
    deadline = DeadlineIndex()


def index_keys(game: Game) -> tuple[str, int] | None:
    """What the deadline index is to show of a game whose fan-out is still to be done."""
    number = crc32(game.id.encode()) % SHARDS
    if game.result is not None:
        return f"{ENDED}{number}", game.result.at_ms
    if game.clock is not None and game.clock.paused_at_ms is not None:
        return f"{PAUSED}{number}", game.clock.paused_at_ms
    reached = due(game)
    return (f"{RUNNING}{number}", reached.effective_ms) if reached else None


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _profile_fields(profile: Profile) -> list[Any]:
    return [getattr(profile, name) for name in Profile.__struct_fields__]


@lru_cache(maxsize=256)
def _profiles_text(profiles: tuple[Profile, Profile]) -> str:
    white, black = profiles
    both = [white] if white == black else [white, black]
    return _compact([_profile_fields(profile) for profile in both])


@lru_cache(maxsize=256)
def _profiles(text: str) -> tuple[Profile, Profile]:
    read = [Profile(*fields) for fields in json.loads(text)]
    return read[0], read[-1]


@lru_cache(maxsize=256)
def _terms_text(terms: Terms) -> str:
    default = Terms(terms.origin)
    names = [name for name in Terms.__struct_fields__ if getattr(terms, name) != getattr(default, name)]
    return _compact({"origin": terms.origin, **{name: getattr(terms, name) for name in names}})


def _limits_text(clock: Clock) -> str | None:
    """The rarely used parts of a running clock, as far as they are set."""
    parts = {
        "first_move_due_ms": clock.first_move_due_ms,
        "paused_at_ms": clock.paused_at_ms,
        "pause_reasons": sorted(clock.pause_reasons) or None,
        "stopped": clock.stopped or None,
        "settled": clock.settled or None,
        "guillotine_ms": clock.guillotine_ms,
        "guillotine_shifts": clock.guillotine_shifts or None,
    }
    set_parts = {name: value for name, value in parts.items() if value is not None}
    return _compact(set_parts) if set_parts else None


def _clock(values: dict[str, Any], profiles: tuple[Profile, Profile]) -> Clock | None:
    if "turn_ms" not in values:
        return None
    limits = json.loads(values.get("limits", "{}"))
    return Clock(
        white=Account(profiles[0], int(values["white_ms"])),
        black=Account(profiles[1], int(values["black_ms"])),
        to_move=Side.of_letter(values["turn"]),
        ply=int(values["ply"]),
        turn_started_at_ms=int(values["turn_ms"]),
        first_move_due_ms=limits.get("first_move_due_ms"),
        paused_at_ms=limits.get("paused_at_ms"),
        pause_reasons=frozenset(limits.get("pause_reasons", ())),
        stopped=tuple((start, end) for start, end in limits.get("stopped", ())),
        settled=tuple((start, end) for start, end in limits.get("settled", ())),
        guillotine_ms=limits.get("guillotine_ms"),
        guillotine_shifts=limits.get("guillotine_shifts", False),
    )


def _invitation_text(invitation: Invitation) -> str:
    return _compact([getattr(invitation, name) for name in Invitation.__struct_fields__])


def _invitation(text: str) -> Invitation:
    challenger, opponent, colour, expires_at_ms, rating_range = json.loads(text)
    return Invitation(challenger, opponent, colour, expires_at_ms, tuple(rating_range) if rating_range else None)


def _result_text(result: Result) -> str:
    return f"{result.reason} {'-' if result.winner is None else result.winner.letter} {result.at_ms}"


def _result(text: str) -> Result:
    reason, winner, at_ms = text.split(" ")
    return Result(reason, None if winner == "-" else Side.of_letter(winner), int(at_ms))


def _offer(text: str) -> DrawOffer:
    return DrawOffer(Side.of_letter(text[0]), int(text[1:]))


def _attributes(game: Game) -> dict[str, Any]:
    """The item of a game as plain values, None for what is absent."""
    clock = game.clock
    keys = index_keys(game)
    return {
        "version": game.version,
        "kind": game.kind,
        "terms": _terms_text(game.terms),
        "setup": game.setup,
        "created_ms": game.created_at_ms,
        "white": game.white,
        "black": game.black,
        "first": game.first_to_move.letter,
        "profiles": _profiles_text(game.profiles),
        "position": game.position.notation,
        "seen": game.position.repetitions or None,
        "log": game.log.text or None,
        "invitation": _invitation_text(game.invitation) if game.invitation else None,
        "released_ms": game.released_at_ms,
        "ply": clock.ply if clock else None,
        "turn": clock.to_move.letter if clock else None,
        "turn_ms": clock.turn_started_at_ms if clock else None,
        "white_ms": clock.white.remaining_ms if clock else None,
        "black_ms": clock.black.remaining_ms if clock else None,
        "limits": _limits_text(clock) if clock else None,
        "offer": f"{game.offer.by.letter}{game.offer.ply}" if game.offer else None,
        "result": _result_text(game.result) if game.result else None,
        "shard": keys[0] if keys else None,
        "deadline_ms": keys[1] if keys else None,
    }


def item_of(game: Game) -> GameItem:
    return GameItem(game.id, **_attributes(game))


def changes(before: Game, after: Game) -> list[Action]:
    old = _attributes(before)
    actions: list[Action] = []
    for name, value in _attributes(after).items():
        if value == old[name]:
            continue
        attribute = getattr(GameItem, name)
        actions.append(attribute.remove() if value is None else attribute.set(value))
    return actions


def game_of(item: GameItem) -> Game:
    """The game of an item."""
    values = item.attribute_values
    profiles = _profiles(values["profiles"])
    return Game(
        id=values["id"],
        kind=values["kind"],
        terms=Terms(**json.loads(values["terms"])),
        setup=values.get("setup"),
        position=Position(values["position"], values.get("seen", b"")),
        first_to_move=Side.of_letter(values["first"]),
        profiles=profiles,
        log=Log(int(values["created_ms"]), values.get("log", "")),
        version=int(values["version"]),
        white=values.get("white"),
        black=values.get("black"),
        invitation=_invitation(values["invitation"]) if "invitation" in values else None,
        clock=_clock(values, profiles),
        released_at_ms=int(values["released_ms"]) if "released_ms" in values else None,
        offer=_offer(values["offer"]) if "offer" in values else None,
        result=_result(values["result"]) if "result" in values else None,
    )


def game_of_image(image: dict[str, Any]) -> Game:
    """The game of a stream image (DynamoDB JSON; binary attributes as base64 text)."""
    raw = {name: _with_bytes(value) for name, value in image.items()}
    return game_of(GameItem.from_raw_data(raw))


def _with_bytes(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64decode(value["B"])} if "B" in value and isinstance(value["B"], str) else value
