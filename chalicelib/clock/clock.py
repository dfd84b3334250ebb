"""A game's clock: two accounts, one running turn, and the instant at which the turn ends the game.

The accounts are the truth; the deadline is derived from them by `due` and by nothing else (seed 000, option B:
"remaining_time_ms ist die führende Information"). Every function is pure and returns a new clock.
Rules P1 to P12 are those of the time-control decisions in `docs/clock.md`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock.profiles import Profile
from chalicelib.clock.strategies import time_control
from chalicelib.core.durations import spelled
from chalicelib.core.sides import Side

Cause = Literal["time", "no_start", "guillotine"]
Span = tuple[int, int]
"""Half-open [start, end) in epoch ms."""


class Account(Struct, frozen=True):
    """One side's time: what is left when its turn starts (or stood when it was last settled), in ms."""

    profile: Profile
    remaining_ms: int

    def __post_init__(self) -> None:
        if self.remaining_ms < 0:
            raise ValueError(f"an account cannot hold {self.remaining_ms} ms")


class Clock(Struct, frozen=True):
    """The clock of a released game. Instants are epoch ms.

    `turn_started_at_ms` is the start of the running turn, moved forward by pauses and maintenance windows, so that
    live balance = remaining - (now - turn start) holds at any time; `stopped` lists the spans of this turn that moved
    it, so that no span is ever given back twice. `settled` lists the spans of this turn that a correction has already
    taken off the account, so that a window can still give them back. `first_move_due_ms` is set while a first-move
    limit runs. While `paused_at_ms` is set nothing runs and nothing is due.
    """

    white: Account
    black: Account
    to_move: Side
    ply: int
    turn_started_at_ms: int
    first_move_due_ms: int | None = None
    paused_at_ms: int | None = None
    pause_reasons: frozenset[str] = frozenset()
    stopped: tuple[Span, ...] = ()
    settled: tuple[Span, ...] = ()
    guillotine_ms: int | None = None
    guillotine_shifts: bool = False

    def account(self, side: Side) -> Account:
        return self.white if side is Side.WHITE else self.black

    @property
    def own_move(self) -> int:
        """Number of the move the side to move is about to make, from 1 (P12)."""
        return self.ply // 2 + 1

    def with_remaining(self, side: Side, remaining_ms: int) -> Clock:
        account = Account(self.account(side).profile, remaining_ms)
        return replace(self, white=account) if side is Side.WHITE else replace(self, black=account)


class Due(Struct, frozen=True):
    """When and why the running turn ends the game.

    `at_ms` is the deadline that players see and that stamps the result; `effective_ms` carries the grace and is what
    moves and flags are tested against, and what the index holds (P1, settled 11).
    """

    at_ms: int
    effective_ms: int
    cause: Cause

    def has_passed(self, now_ms: int) -> bool:
        """Every instant is before or past the deadline with its grace, never both (P1)."""
        return now_ms >= self.effective_ms


class Pressed(Struct, frozen=True):
    """The clock after a move, and where the time went: used is net of lag given back; lapsed = lost at the cap.

    `overrun_ms` is the part of the time used that lay in the grace and was charged to nobody.
    """

    clock: Clock
    used_ms: int
    increment_ms: int
    lapsed_ms: int
    overrun_ms: int


class Adjusted(Struct, frozen=True):
    """The clock after a correction by a referee; both amounts are against the live balance, in ms (P7)."""

    clock: Clock
    requested_ms: int
    applied_ms: int


class WouldExpire(ValueError):
    """The correction would leave no time at all and so end the game."""

    def __init__(self, live_ms: int, would_leave_ms: int) -> None:
        super().__init__(f"would leave {spelled(would_leave_ms)} of {spelled(live_ms)}")
        self.live_ms = live_ms
        self.would_leave_ms = would_leave_ms


class NotRunning(ValueError):
    """The act does not fit a clock whose deadline has passed."""


def release(
    profiles: tuple[Profile, Profile],
    now_ms: int,
    *,
    to_move: Side = Side.WHITE,
    guillotine_ms: int | None = None,
    guillotine_shifts: bool = False,
) -> Clock:
    """Start the clock of a game: both accounts full, the first side's turn runs from `now_ms`.

    `profiles` are those of (white, black).
    """
    white, black = profiles
    clock = Clock(
        white=Account(white, white.initial_buffer_ms),
        black=Account(black, black.initial_buffer_ms),
        to_move=to_move,
        ply=0,
        turn_started_at_ms=now_ms,
        guillotine_ms=guillotine_ms,
        guillotine_shifts=guillotine_shifts,
    )
    return replace(clock, first_move_due_ms=_first_move_due(profiles[to_move], 0, now_ms))


def _first_move_due(profile: Profile, ply: int, started_at_ms: int) -> int | None:
    limited_plies = 2 if profile.first_move_scope == "each_player" else 1
    if profile.first_move_limit_ms is None or ply >= limited_plies:
        return None
    return started_at_ms + profile.first_move_limit_ms


def elapsed(clock: Clock, now_ms: int) -> int:
    """Time the running turn has taken: never negative, and standing still while paused (P4).

    Holds for instants of the turn's past too: what was taken out after `now_ms` has not moved the turn yet.
    """
    until = now_ms if clock.paused_at_ms is None else min(now_ms, clock.paused_at_ms)
    later = sum(end - max(start, until) for start, end in clock.stopped if end > until)
    return max(0, until - clock.turn_started_at_ms + later)


def live_remaining(clock: Clock, side: Side, now_ms: int) -> int:
    """What `side` has left at `now_ms`, for display and comparison; never negative."""
    remaining = clock.account(side).remaining_ms
    return max(0, remaining - elapsed(clock, now_ms)) if side is clock.to_move else remaining


def due(clock: Clock) -> Due | None:
    """The earliest of clock deadline + grace, first-move limit and guillotine; None while paused.

    At one instant the order is time, no_start, guillotine (P10). A limit within the grace cuts the grace short; what
    ends the game is still the deadline that had passed.
    """
    if clock.paused_at_ms is not None:
        return None
    account = clock.account(clock.to_move)
    deadline = time_control(account.profile).deadline(account.profile, account.remaining_ms, clock.turn_started_at_ms)
    earliest = Due(deadline, deadline + account.profile.grace_ms, "time")
    return _earlier(_earlier(earliest, clock.first_move_due_ms, "no_start"), clock.guillotine_ms, "guillotine")


def _earlier(reached: Due, limit_ms: int | None, cause: Cause) -> Due:
    if limit_ms is None or limit_ms >= reached.effective_ms:
        return reached
    return Due(limit_ms, limit_ms, cause) if limit_ms < reached.at_ms else replace(reached, effective_ms=limit_ms)


def press(clock: Clock, now_ms: int, *, ends_game: bool = False, lag_ms: int = 0) -> Pressed:
    """The side to move has moved. The caller has checked that the deadline has not passed.

    `ends_game`: such a move earns no increment (P11). `lag_ms`: measured network time given back to the mover.
    """
    side, account = clock.to_move, clock.account(clock.to_move)
    used_ms = max(0, elapsed(clock, now_ms) - lag_ms)
    increment_ms, lapsed_ms = 0, 0
    if ends_game:
        remaining_ms = max(0, account.remaining_ms - used_ms)
    else:
        increment_ms = account.profile.increment_for(clock.own_move)
        balance = time_control(account.profile).new_balance(
            account.profile, account.remaining_ms, used_ms, clock.own_move
        )
        remaining_ms, lapsed_ms = balance.remaining_ms, balance.lapsed_ms
    started_at_ms = max(clock.turn_started_at_ms, now_ms)
    next_profile = clock.account(side.other).profile
    after = replace(
        clock.with_remaining(side, remaining_ms),
        to_move=side.other,
        ply=clock.ply + 1,
        turn_started_at_ms=started_at_ms,
        stopped=(),
        settled=(),
        first_move_due_ms=_first_move_due(next_profile, clock.ply + 1, started_at_ms),
    )
    return Pressed(after, used_ms, increment_ms, lapsed_ms, max(0, used_ms - account.remaining_ms))


def settle(clock: Clock, now_ms: int) -> Clock:
    """Charge the running turn up to now and start it afresh, so that stored and live balance agree.

    Never changes the deadline; raises NotRunning from the deadline on, where it would have to (settled 4 and 14).
    """
    at_ms = now_ms if clock.paused_at_ms is None else clock.paused_at_ms
    used_ms = elapsed(clock, at_ms)
    remaining_ms = clock.account(clock.to_move).remaining_ms
    if used_ms >= remaining_ms:
        raise NotRunning(f"the account ran out {used_ms - remaining_ms} ms ago")
    return replace(
        clock.with_remaining(clock.to_move, remaining_ms - used_ms),
        turn_started_at_ms=max(clock.turn_started_at_ms, at_ms),
        stopped=(),
        settled=(*clock.settled, *_charged(clock, _began_at(clock), at_ms)),
    )


def adjust(clock: Clock, now_ms: int, side: Side, *, delta_ms: int | None = None, to_ms: int | None = None) -> Adjusted:
    """Add to an account, or set it: settle a running one first, test on the live balance, clamp at the cap (P7).

    Exactly one of `delta_ms` and `to_ms` is given. Raises WouldExpire when nothing would be left.
    """
    if (delta_ms is None) == (to_ms is None):
        raise ValueError("give either delta_ms or to_ms")
    settled = settle(clock, now_ms) if side is clock.to_move else clock
    live_ms = settled.account(side).remaining_ms
    target_ms = to_ms if to_ms is not None else live_ms + (delta_ms or 0)
    if target_ms <= 0:
        raise WouldExpire(live_ms, target_ms)
    new_ms = min(target_ms, settled.account(side).profile.cap_ms)
    return Adjusted(settled.with_remaining(side, new_ms), target_ms - live_ms, new_ms - live_ms)


def pause(clock: Clock, now_ms: int, reason: str) -> Clock:
    """Stop the clock for `reason`; reasons are a set, so that two pauses do not cancel each other (P6)."""
    paused_at_ms = now_ms if clock.paused_at_ms is None else clock.paused_at_ms
    return replace(clock, paused_at_ms=paused_at_ms, pause_reasons=clock.pause_reasons | {reason})


def resume(clock: Clock, now_ms: int, reason: str) -> Clock:
    """Take one reason away; with the last one the clock runs on and the pause is charged to nobody (P6)."""
    if reason not in clock.pause_reasons:
        return clock
    reasons = clock.pause_reasons - {reason}
    if reasons or clock.paused_at_ms is None:
        return replace(clock, pause_reasons=reasons)
    running = replace(clock, paused_at_ms=None, pause_reasons=reasons)
    began_ms = max(clock.paused_at_ms, clock.turn_started_at_ms)
    return _stand_still(running, [(began_ms, now_ms)] if now_ms > began_ms else [])


def resumed_never(clock: Clock, resumed_at_ms: int, now_ms: int, reason: str) -> Clock:
    """Take a resumption back, as if the pause for `reason` had gone on: what ran since then is charged to nobody."""
    return pause(shift_for_window(clock, resumed_at_ms, now_ms)[0], now_ms, reason)


def ended_never(clock: Clock, ended_at_ms: int, now_ms: int) -> Clock:
    """Take an end that came before any deadline back: the turn goes on with what it had left then."""
    return shift_for_window(clock, ended_at_ms, now_ms)[0]


def reinstate(clock: Clock, now_ms: int, ended_at_ms: int, to_ms: int) -> Adjusted:
    """Start the turn of a game that ended on time at `ended_at_ms` afresh, with `to_ms` on its account, cut at the cap.

    What lay between is charged to nobody. A limit of the first move runs anew; a guillotine that has fallen is lifted.
    The amounts are against what was left at the end. Raises WouldExpire when nothing would be left.
    """
    side, account = clock.to_move, clock.account(clock.to_move)
    left_ms = live_remaining(clock, side, ended_at_ms)
    if to_ms <= 0:
        raise WouldExpire(left_ms, to_ms)
    new_ms = min(to_ms, account.profile.cap_ms)
    started_at_ms = max(clock.turn_started_at_ms, now_ms)
    is_past = clock.guillotine_ms is not None and clock.guillotine_ms <= now_ms
    after = replace(
        clock.with_remaining(side, new_ms),
        turn_started_at_ms=started_at_ms,
        stopped=(),
        settled=(),
        first_move_due_ms=_first_move_due(account.profile, clock.ply, started_at_ms),
        guillotine_ms=None if is_past else clock.guillotine_ms,
    )
    return Adjusted(after, to_ms - left_ms, new_ms - left_ms)


def in_window(clock: Clock, start_ms: int, end_ms: int) -> list[Span] | None:
    """The spans of the running turn inside the window [start, end) that were charged so far.

    None if the turn was lost before the window began (P9). What a pause or another window has already given back
    does not count again, so a window applied twice finds nothing the second time.
    """
    reached = due(clock)
    if reached is not None and reached.at_ms <= start_ms:
        return None
    until_ms = end_ms if clock.paused_at_ms is None else min(end_ms, clock.paused_at_ms)
    return [*_inside(clock.settled, start_ms, end_ms), *_charged(clock, start_ms, until_ms)]


def shift_for_window(clock: Clock, start_ms: int, end_ms: int) -> tuple[Clock, int]:
    """Give the running turn back what a maintenance window took; also how much that was, in ms.

    The turn start moves, no account does: a full account loses nothing this way, as it would if time were added (P9).
    Only what a correction has already taken off the account is paid back there, as if it had never been taken.
    """
    spans = in_window(clock, start_ms, end_ms) or []
    began_ms = _began_at(clock)
    running = [span for span in spans if span[0] >= began_ms]
    paid_back_ms = _length(spans) - _length(running)
    account = clock.account(clock.to_move)
    after = clock.with_remaining(clock.to_move, min(account.profile.cap_ms, account.remaining_ms + paid_back_ms))
    left = (*_inside(clock.settled, 0, start_ms), *_inside(clock.settled, end_ms, began_ms)) if spans else clock.settled
    after = _limits_moved(replace(after, settled=left), paid_back_ms)
    return _stand_still(after, running), _length(spans)


def _began_at(clock: Clock) -> int:
    """When the turn began, or was last settled."""
    return clock.turn_started_at_ms - _length(clock.stopped)


def _charged(clock: Clock, from_ms: int, until_ms: int) -> list[Span]:
    """The spans between two instants that the running turn is charged for since it began or was settled."""
    charged: list[Span] = []
    cursor_ms = max(from_ms, _began_at(clock))
    for stopped_from, stopped_to in sorted(clock.stopped):
        if cursor_ms < min(stopped_from, until_ms):
            charged.append((cursor_ms, min(stopped_from, until_ms)))
        cursor_ms = max(cursor_ms, stopped_to)
    if cursor_ms < until_ms:
        charged.append((cursor_ms, until_ms))
    return charged


def _inside(spans: Iterable[Span], from_ms: int, until_ms: int) -> list[Span]:
    cut = ((max(start, from_ms), min(end, until_ms)) for start, end in spans)
    return [(start, end) for start, end in cut if start < end]


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def _stand_still(clock: Clock, spans: list[Span]) -> Clock:
    by_ms = _length(spans)
    return replace(
        _limits_moved(clock, by_ms),
        turn_started_at_ms=clock.turn_started_at_ms + by_ms,
        stopped=(*clock.stopped, *spans),
    )


def _limits_moved(clock: Clock, by_ms: int) -> Clock:
    limit, guillotine = clock.first_move_due_ms, clock.guillotine_ms
    return replace(
        clock,
        first_move_due_ms=None if limit is None else limit + by_ms,
        guillotine_ms=guillotine + by_ms if guillotine is not None and clock.guillotine_shifts else guillotine,
    )


def guillotine_winner(clock: Clock) -> Side | None:
    """Who has more time left at the guillotine, by live balances; None for a tie (seed 000, 5; P10)."""
    if clock.guillotine_ms is None:
        raise ValueError("this game has no guillotine")
    white, black = (live_remaining(clock, side, clock.guillotine_ms) for side in Side)
    if white == black:
        return None
    return Side.WHITE if white > black else Side.BLACK
