"""What the clock here would say of a legacy game, beside what the old platform says. Pure; nothing is written.

`shadow` is for any row; `verify` wants the times of all moves and proves the deadline of every ply. A difference names
what differs and by how much; some of them (`BLOCKING`) keep a game from being taken over.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from chalicelib.clock import clock as clocks
from chalicelib.core.durations import DAY, spelled
from chalicelib.core.sides import Side
from chalicelib.games.events import Moved
from chalicelib.games.history import evolve, running_clock
from chalicelib.games.model import Game
from chalicelib.migration.rows import Row
from chalicelib.migration.takeover import beginning_of, carried
from chalicelib.rules import referee
from chalicelib.rules.referee import IllegalMove, IllegalSetup

BLOCKING: Final = frozenset(
    {
        "illegal_setup",
        "illegal_move",
        "game_over",
        "wrong_side",
        "wrong_times",
        "future_move",
        "deadline_passed",
        "deadline_before_turn",
        "deadline_beyond_account",
    }
)
"""Differences with which a game cannot be taken over. The others are taken over as they are: `wrong_deadline` becomes
an event that makes up the difference, `late_move` charges the part beyond the account to nobody."""


class Difference(Struct, frozen=True):
    """A way in which a row is not as the clock here would have it. `field` is the column that shows it."""

    code: str
    field: str
    detail: str

    @property
    def is_blocking(self) -> bool:
        return self.code in BLOCKING


class Shadow(Struct, frozen=True):
    """A row beside its game here: `game` runs, with the legacy deadline; it is None if it cannot be taken over."""

    row: Row
    differences: tuple[Difference, ...]
    game: Game | None = None


class _Replayed(Struct, frozen=True):
    """The moves of a row, played here. `due_ms` are the deadlines of ply 0 and of all plies after those played."""

    game: Game | None
    due_ms: list[int]
    differences: list[Difference]


def shadow(row: Row, now_ms: int) -> Shadow:
    """The row as the clock here would have it at `now_ms`, with every difference."""
    return _beside(row, now_ms)[0]


def verify(row: Row, now_ms: int) -> Shadow:
    """As `shadow`, and every ply must have had the deadline of the old rule: so many days after the ply before it."""
    if row.moves and row.moved_at_ms is None:
        return Shadow(row, (Difference("no_times", "move_times", "are missing; there is nothing to replay"),))
    found, due_ms = _beside(row, now_ms)
    started_ms = row.started_ms if row.started_ms is not None else (row.moved_at_ms or (row.last_move_ms,))[0]
    length_ms = row.profile.initial_buffer_ms
    by_rule_ms = [at_ms + length_ms for at_ms in (started_ms, *(row.moved_at_ms or ()))]
    wrong = [
        Difference("wrong_ply_deadline", "move_times", f"ply {ply}: {there_ms} by the old rule, {here_ms} here")
        for ply, (there_ms, here_ms) in enumerate(zip(by_rule_ms, due_ms, strict=False))
        if there_ms != here_ms
    ]
    return replace(found, differences=(*found.differences, *wrong))


def _beside(row: Row, now_ms: int) -> tuple[Shadow, list[int]]:
    timing = list(_wrong_times(row))
    replayed = _replay(row if not timing else replace(row, moved_at_ms=None, started_ms=None))
    differences = [*timing, *replayed.differences, *_wrong_turn(row), *_wrong_deadline(row, now_ms)]
    game = replayed.game
    if game is not None and not any(difference.is_blocking for difference in differences):
        game = carried(game, row.deadline_ms, now_ms)
        if game is None:
            raise ValueError(f"no account can hold the deadline of {row.id}")
        return Shadow(row, tuple(differences), game), replayed.due_ms
    return Shadow(row, tuple(differences)), replayed.due_ms


def _wrong_times(row: Row) -> Iterator[Difference]:
    times = row.moved_at_ms
    if times is not None and len(times) != len(row.moves):
        yield Difference("wrong_times", "move_times", f"{len(times)} times of {len(row.moves)} moves")
        return
    in_order = [*([] if row.started_ms is None else [row.started_ms]), *(times or ()), row.last_move_ms]
    for earlier_ms, later_ms in pairwise(in_order):
        if later_ms < earlier_ms:
            yield Difference("wrong_times", "move_times", f"{later_ms} comes after {earlier_ms}")
    if times and times[-1] < row.last_move_ms:
        ago = spelled(row.last_move_ms - times[-1])
        yield Difference("wrong_times", "last_move_at", f"{ago} after the time of the last move in move_times")


def _replay(row: Row) -> _Replayed:
    """Play the moves of a row. Those whose times are not known bear that of the last one: nothing is made up."""
    times = row.moved_at_ms or (row.last_move_ms,) * len(row.moves)
    started_ms = row.started_ms if row.started_ms is not None else (times or (row.last_move_ms,))[0]
    try:
        game = beginning_of(row, started_ms)
    except IllegalSetup as wrong:
        return _Replayed(None, [], [Difference("illegal_setup", "setup", str(wrong))])
    judge = referee(row.kind)
    due_ms, late = [_due(game).at_ms], []
    for ply, (move, at_ms) in enumerate(zip(row.moves, times, strict=True)):
        if row.moved_at_ms is not None and _due(game).has_passed(at_ms):
            by = spelled(at_ms - _due(game).at_ms)
            late.append(Difference("late_move", "move_times", f"ply {ply} came {by} after its deadline"))
        try:
            played = judge.play(game.position, move)
        except IllegalMove as wrong:
            return _Replayed(None, due_ms, [*late, Difference("illegal_move", "moves", f"ply {ply}: {wrong}")])
        if played.end is not None:
            over = f"ply {ply} ends the game by {played.end.reason}, but it is said to run"
            return _Replayed(None, due_ms, [*late, Difference("game_over", "moves", over)])
        game = replace(evolve(game, Moved(at_ms, played.move))[0], position=played.position)
        due_ms.append(_due(game).at_ms)
    return _Replayed(game, due_ms, late)


def _due(game: Game) -> clocks.Due:
    reached = clocks.due(running_clock(game))
    if reached is None:
        raise ValueError(f"game {game.id} stands still")
    return reached


def _wrong_turn(row: Row) -> Iterator[Difference]:
    if row.to_move is None:
        return
    first = Side.BLACK if row.setup is not None and " b " in row.setup else Side.WHITE
    mover = first if len(row.moves) % 2 == 0 else first.other
    if row.to_move is not mover:
        after = f"after {len(row.moves)} moves it is {mover.colour}'s turn, not {row.to_move.colour}'s"
        yield Difference("wrong_side", "to_move", after)


def _wrong_deadline(row: Row, now_ms: int) -> Iterator[Difference]:
    more_ms = row.deadline_ms - row.rule_ms
    if more_ms:
        days = row.profile.initial_buffer_ms // DAY
        by = f"{spelled(abs(more_ms))} {'later' if more_ms > 0 else 'earlier'} than {days} d after the last move"
        yield Difference("wrong_deadline", "current_deadline", f"{row.deadline_ms} is {by} ({row.rule_ms})")
    if row.last_move_ms > now_ms:
        ahead = spelled(row.last_move_ms - now_ms)
        yield Difference("future_move", "last_move_at", f"{row.last_move_ms} is {ahead} ahead of now")
    elif row.deadline_ms <= row.last_move_ms:
        yield Difference("deadline_before_turn", "current_deadline", "is not after the last move")
    elif row.deadline_ms <= now_ms:
        ago = spelled(now_ms - row.deadline_ms)
        yield Difference("deadline_passed", "current_deadline", f"passed {ago} ago, but the game is said to run")
    elif row.deadline_ms - now_ms > row.profile.cap_ms:
        beyond = spelled(row.deadline_ms - now_ms - row.profile.cap_ms)
        yield Difference("deadline_beyond_account", "current_deadline", f"is {beyond} more ahead than a full account")
