"""From a legacy row to a game here: taken over in the middle of play, standing still until the swap. Pure.

A game taken over has the whole of its history as events: its moves with the times they were played at, and, where the
legacy deadline is not the one its rule gives, one event more that makes up the difference. So its log explains its
clock like that of any other game. Until the swap it is paused for `REASON`: nothing is due, nothing can be played.

A copy stands still since its last move, so the moves made on the old platform meanwhile can be added at their own
times; when all have been added, it stands still since the freeze.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.core.ids import derived_id
from chalicelib.games.events import Adjusted, Ended, Event, Moved, Paused, Resumed, Shifted
from chalicelib.games.history import evolve, running_clock
from chalicelib.games.making import Match, pair
from chalicelib.games.model import Game, Terms
from chalicelib.migration.rows import Row
from chalicelib.rules import referee

REASON: Final = "migration"
"""Why a game that is being migrated is paused."""

BACKFILLED: Final = "backfill"
CAUGHT_UP: Final = "delta"
"""Keys of the pause: which of the passes a copy comes from."""

SWAPPED: Final = "swap"
RETURNED: Final = "back"
"""How the keys begin under which a game was released here, and frozen for the way back."""

LEGACY: Final = "legacy"
"""What made up for a deadline that is not the one of the rule: the id of the window, and the key of the correction."""


class Settled(Struct, frozen=True):
    """An account as it stands at the instant at which its turn is said to start; both in ms."""

    remaining_ms: int
    turn_started_at_ms: int


class Unfit(ValueError):
    """The row and the game here do not belong together; the message says why."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(f"{field}: {detail}")
        self.field = field
        self.detail = detail


def game_id(legacy_id: str) -> str:
    """What a legacy game is called here, ever."""
    return derived_id("legacy", legacy_id)


def account_of(row: Row, at_ms: int) -> Settled:
    """The running account of a row, settled at `at_ms`, so that the legacy deadline is kept exactly (C62).

    Raises WouldExpire from the deadline on. More than a full account is told as it is; no copy is made of it.
    """
    remaining_ms = row.deadline_ms - at_ms
    if remaining_ms <= 0:
        raise clocks.WouldExpire(0, remaining_ms)
    return Settled(remaining_ms, at_ms)


def beginning_of(row: Row, started_ms: int) -> Game:
    """The game of a row before its first move. Raises IllegalSetup."""
    terms = Terms("migration", rated=row.rated, event=row.event, legacy_id=row.id)
    match = Match(row.kind, row.setup, (row.profile, row.profile), row.rated)
    game = pair(game_id(row.id), match, referee(row.kind), terms, started_ms, started_ms)
    return replace(game, white=row.white, black=row.black)


def carried(game: Game, deadline_ms: int, at_ms: int) -> Game | None:
    """The game with the deadline that the old platform gives it at `at_ms`; None if no account can hold that.

    Time that was given there is time in which the clock stood still; time that was taken comes off the account.
    """
    reached = clocks.due(running_clock(game))
    if reached is None:
        raise ValueError(f"game {game.id} stands still")
    more_ms = deadline_ms - reached.at_ms
    from_ms = _last_at(game)
    side = running_clock(game).to_move
    corrections: list[Event] = [Adjusted(from_ms, side, more_ms, more_ms, LEGACY)]
    if 0 < more_ms <= at_ms - from_ms:
        corrections.insert(0, Shifted(from_ms + more_ms, LEGACY, from_ms))
    found = (game, *(_with(game, event) for event in corrections))
    return next((one for one in found if one and _deadline(one) == deadline_ms), None)


def _with(game: Game, event: Event) -> Game | None:
    try:
        return evolve(game, event)[0]
    except (clocks.WouldExpire, clocks.NotRunning):
        return None


def _last_at(game: Game) -> int:
    last = next(game.log.backwards(), None)
    started_ms = running_clock(game).turn_started_at_ms
    return started_ms if last is None else max(started_ms, last.at_ms)


def backfilled(game: Game) -> Game:
    """A game taken over, standing still since its last move."""
    return evolve(game, Paused(_last_at(game), REASON, BACKFILLED))[0]


def frozen(game: Game, at_ms: int) -> Game:
    """A game taken over that has caught up, standing still since the freeze."""
    return evolve(game, Paused(at_ms, REASON, CAUGHT_UP))[0]


def is_copy(game: Game) -> bool:
    """Whether a game waits for the swap: it can still catch up with the old platform."""
    return not game.is_over and game.clock is not None and REASON in game.clock.pause_reasons


def is_caught_up(copy: Game, at_ms: int | None = None) -> bool:
    """Whether a copy stands still since a freeze, that at `at_ms` if given."""
    pause = last_pause(copy)
    return pause is not None and pause.key == CAUGHT_UP and at_ms in (None, pause.at_ms)


def last_pause(game: Game) -> Paused | None:
    """The last pause for the migration."""
    return next((event for event in game.log.backwards() if isinstance(event, Paused) and event.reason == REASON), None)


def is_as_in(copy: Game, original: Game) -> bool:
    """Whether a copy has the moves and the deadline of the game as it is taken over now."""
    return _moves(copy) == _moves(original) and _deadline(_going_on(copy)) == _deadline(original)


def check_is_same(copy: Game, original: Game) -> None:
    """Raises Unfit unless a copy can catch up with the game as it is taken over now."""
    _check_waits(copy)
    for field in ("white", "black", "kind", "setup", "profiles"):
        here, there = getattr(copy, field), getattr(original, field)
        if here != there:
            raise Unfit(field, f"was {here!r} when the game was copied, and is {there!r}")
    known, now = _moves(copy), _moves(original)
    if known != now[: len(known)]:
        ply = next((ply for ply, pair in enumerate(zip(known, now, strict=False)) if pair[0] != pair[1]), len(now))
        raise Unfit("moves", f"ply {ply} was played when the game was copied, and has been changed or taken back since")


def _check_waits(copy: Game) -> None:
    if copy.is_over:
        raise Unfit("id", f"the game is over here, as {copy.id}")
    if not is_copy(copy):
        raise Unfit("id", f"the game runs here since the swap, as {copy.id}")
    if others := sorted(running_clock(copy).pause_reasons - {REASON}):
        raise Unfit("id", f"a referee has paused the copy {copy.id} for {', '.join(others)}; resume it first")


def caught_up(copy: Game, original: Game, at_ms: int) -> Game:
    """The copy with the moves and the deadline that the game has by now; it runs, for the caller to stop it again.

    Raises Unfit if they are not the same game, or moves were taken back, or no account can hold the deadline.
    """
    check_is_same(copy, original)
    game = _going_on(copy)
    for event in [event for event in original.log if isinstance(event, Moved)][len(_moves(copy)) :]:
        game, _ = evolve(game, event)
    there_ms = _deadline(original)
    found = carried(replace(game, position=original.position), there_ms, at_ms)
    if found is None:
        raise Unfit("current_deadline", f"no account can hold {there_ms}")
    return found


def ended_before(copy: Game, at_ms: int) -> Game:
    """The copy of a game that has ended on the old platform before the swap: it was never played here. Raises Unfit."""
    _check_waits(copy)
    return evolve(copy, Ended(max(at_ms, _last_at(copy)), "annulled", None, key=REASON))[0]


def swap_of(game: Game) -> str:
    """The key of the last swap that released the game here; empty if none has."""
    released = (event.key for event in game.log.backwards() if _is_swap(event))
    return next(released, "")


def plies_since_swap(game: Game) -> int:
    """How many plies were played here since the last swap."""
    plies = 0
    for event in game.log.backwards():
        if _is_swap(event):
            return plies
        plies += isinstance(event, Moved)
    return 0


def _is_swap(event: Event) -> TypeGuard[Resumed]:
    return isinstance(event, Resumed) and event.reason == REASON and event.key.startswith(SWAPPED)


def _going_on(copy: Game) -> Game:
    """The copy as if it had never stood still: the pause ends at the instant at which it began."""
    paused_at_ms = running_clock(copy).paused_at_ms
    return copy if paused_at_ms is None else evolve(copy, Resumed(paused_at_ms, REASON, LEGACY))[0]


def _moves(game: Game) -> list[str]:
    return [event.move for event in game.log if isinstance(event, Moved)]


def _deadline(game: Game) -> int:
    reached = clocks.due(running_clock(game))
    if reached is None:
        raise ValueError(f"game {game.id} stands still for another reason too")
    return reached.at_ms
