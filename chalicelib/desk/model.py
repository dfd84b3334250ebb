"""Acts of the desk as the audit log keeps them: who did what to what, when and why, and how it stood before and after.

All of it is pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from chalicelib.clock import clock as clocks
from chalicelib.clock.profiles import Profile
from chalicelib.core.durations import HOUR, spelled
from chalicelib.core.ids import derived_id
from chalicelib.core.sides import Side
from chalicelib.core.signing import Admin
from chalicelib.games.commands import DeskCommand
from chalicelib.games.decide import Outcome
from chalicelib.games.due import due
from chalicelib.games.events import Adjusted
from chalicelib.games.history import Entry
from chalicelib.games.model import Game, Status

GameActKind = Literal["adjust", "pause", "resume", "adjudicate", "reinstate", "undo"]
ActKind = Literal[GameActKind, "add_profile", "retire_profile", "open_window", "close_window"]
SideName = Literal["white", "black"]

LITTLE: Final = HOUR
"""A deadline nearer than this is worth a warning."""


class Snapshot(Struct, frozen=True):
    """A game at the instant of an act; balances are live ones, in ms, instants in ms since the epoch.

    `result` is the reason of the end and `winner` who won by it.
    """

    version: int
    status: Status
    to_move: SideName
    white_ms: int
    black_ms: int
    deadline_ms: int | None
    deadline_cause: Literal["time", "no_start", "guillotine"] | None
    guillotine_ms: int | None
    pause_reasons: tuple[str, ...]
    result: str | None
    winner: SideName | None


class Act(Struct, frozen=True):
    """An act as it was done. `subject` is "game#<id>", "profile#<code>" or "window#<id>".

    `signature` is the nonce of the signed request. `requested_ms` and `applied_ms` are what a correction was to put on
    an account, and did; `side` is whose account. `version` is the one that the act made of a game.
    `fingerprint` marks the request, for its idempotency key.
    """

    id: str
    at_ms: int
    actor: str
    key_id: str
    signature: str
    kind: ActKind
    subject: str
    reason: str
    fingerprint: str
    version: int | None = None
    before: Snapshot | None = None
    after: Snapshot | None = None
    side: SideName | None = None
    requested_ms: int | None = None
    applied_ms: int | None = None
    profile: Profile | None = None


class Order(Struct, frozen=True):
    """What an admin wants done to a game, and why. The key of the command is the id of the act."""

    admin: Admin
    kind: GameActKind
    command: DeskCommand
    reason: str
    fingerprint: str


class Warning(Struct, frozen=True):
    """Something that whoever acts should have seen; `code` is stable."""

    code: Literal["clamped", "deadline_stays", "guillotine_lifted", "little_left"]
    detail: str


def act_id(admin: Admin, subject: str, key: str) -> str:
    """The same id for the same key of the same admin, ever: what is asked for again is not done again."""
    return derived_id("act", admin.key_id, subject, key)


def subject_of_game(game_id: str) -> str:
    return f"game#{game_id}"


def snapshot(game: Game, at_ms: int) -> Snapshot:
    """How a released game stands at an instant."""
    clock = game.clock
    if clock is None:
        raise ValueError(f"game {game.id} has not been released")
    reached, result = due(game), game.result
    until_ms = at_ms if result is None else min(at_ms, result.at_ms)
    return Snapshot(
        version=game.version,
        status=game.status(at_ms),
        to_move=clock.to_move.colour,
        white_ms=clocks.live_remaining(clock, Side.WHITE, until_ms),
        black_ms=clocks.live_remaining(clock, Side.BLACK, until_ms),
        deadline_ms=reached.at_ms if reached else None,
        deadline_cause=reached.cause if reached else None,
        guillotine_ms=clock.guillotine_ms,
        pause_reasons=tuple(sorted(clock.pause_reasons)),
        result=result.reason if result else None,
        winner=result.winner.colour if result and result.winner is not None else None,
    )


def act_on_game(order: Order, before: Game, outcome: Outcome, at_ms: int) -> Act:
    """The act that an order has become; the outcome bears an entry."""
    entry = outcome.entry
    if entry is None:
        raise ValueError(f"nothing was done in game {before.id}")
    side, requested_ms, applied_ms = _amounts(entry)
    return Act(
        id=order.command.key,
        at_ms=at_ms,
        actor=order.admin.name,
        key_id=order.admin.key_id,
        signature=order.admin.signature,
        kind=order.kind,
        subject=subject_of_game(before.id),
        reason=order.reason,
        fingerprint=order.fingerprint,
        version=entry.version,
        before=snapshot(before, at_ms),
        after=snapshot(outcome.game, at_ms),
        side=side,
        requested_ms=requested_ms,
        applied_ms=applied_ms,
    )


def _amounts(entry: Entry) -> tuple[SideName | None, int | None, int | None]:
    """Whose account an entry changed, and what that was to give and gave; nothing for other acts."""
    requested_ms = getattr(entry.event, "requested_ms", entry.given_ms)
    is_gift = isinstance(entry.event, Adjusted) or requested_ms or entry.given_ms
    if not is_gift or entry.charged is None:
        return None, None, None
    return entry.charged.colour, requested_ms, entry.given_ms


def warnings(act: Act) -> Iterator[Warning]:
    """What an act on a game did that may not have been meant."""
    before, after = act.before, act.after
    if before is None or after is None:
        return
    if act.requested_ms is not None and act.applied_ms is not None and act.requested_ms != act.applied_ms:
        cut = f"{spelled(act.requested_ms)} were asked for, {spelled(act.applied_ms)} fit under the cap of the account"
        yield Warning("clamped", cut)
    if act.kind == "adjust" and before.deadline_ms is not None and before.deadline_ms == after.deadline_ms:
        yield Warning("deadline_stays", f"the deadline that runs is {after.to_move}'s, and stays as it is")
    if before.guillotine_ms is not None and after.guillotine_ms is None:
        yield Warning("guillotine_lifted", "the guillotine of the round has fallen and no longer ends this game")
    if after.deadline_ms is not None and after.deadline_ms - act.at_ms < LITTLE:
        yield Warning("little_left", f"the deadline is only {spelled(after.deadline_ms - act.at_ms)} away")
