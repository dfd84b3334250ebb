"""A second opinion on a game, for tests: a scorekeeper with a list of plies, spans of time and a chess board.

It decides nothing the way the product does: balances come from the spans of a turn that were charged, resends from a
table of what was answered, the board from the `chess` library. Only who can still mate, and what ends a game on the
board, is asked of the referee, who has tests of his own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import chess

from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.rules.referee import End, Position, Referee

Span = tuple[int, int]
Done = tuple[str, int | str | None]
"""("entry", version of the event that answers), ("refused", code) or ("nothing", None)."""

NOTHING: Done = ("nothing", None)


def merged(spans: list[Span]) -> list[Span]:
    """The same instants as disjoint spans in order."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


@dataclass
class Turn:
    """The turn that runs: since when, since when it is charged, and what of it is free."""

    opened: int
    began: int
    free: list[Span] = field(default_factory=list)
    paused_at: int | None = None

    def charged(self, now: int) -> int:
        until = now if self.paused_at is None else min(now, self.paused_at)
        free = sum(max(0, min(end, until) - max(start, self.began)) for start, end in merged(self.free))
        return max(0, until - self.began - free)

    def after(self, start: int, length: int) -> int:
        """The instant at which `length` ms that are not free have passed since `start`."""
        at = start
        for free_from, free_to in merged(self.free):
            if free_to <= at:
                continue
            if at + length < free_from:
                break
            length -= max(0, free_from - at)
            at = free_to
        return at + length

    def overlap(self, start: int, end: int) -> int:
        """How much of a window has been charged so far."""
        until = end if self.paused_at is None else min(end, self.paused_at)
        with_window = Turn(self.opened, self.began, [*self.free, (start, until)], self.paused_at)
        running = self.charged(max(end, self.began)) - with_window.charged(max(end, self.began))
        return running + self.taken(start, end)

    def taken(self, start: int, end: int) -> int:
        """How much of a window a correction has already taken off the account."""
        first, last = max(start, self.opened), min(end, self.began)
        free = sum(max(0, min(to, last) - max(since, first)) for since, to in merged(self.free))
        return max(0, last - first - free)

    def give_back(self, start: int, end: int) -> None:
        until = end if self.paused_at is None else min(end, self.paused_at)
        self.free.append((max(start, self.opened), max(until, start, self.opened)))


@dataclass
class Book:
    """What the scorekeeper writes down. Seats are given by `players` as (white, black) once both are known."""

    profiles: tuple[Profile, Profile]
    judge: Referee
    position: Position
    board: chess.Board
    is_abortable: bool
    flag_under_offer: str = "loss"
    guillotine: int | None = None
    guillotine_shifts: bool = False
    challenger: str | None = None
    opponent: str | None = None
    expires_at: int = 0
    players: tuple[str, str] | None = None
    turn: Turn | None = None
    released_at: int = 0
    left: list[int] = field(default_factory=list)
    plies: list[str] = field(default_factory=list)
    reasons: set[str] = field(default_factory=set)
    offer: tuple[Side, int] | None = None
    last_offer: dict[Side, int] = field(default_factory=dict)
    answered: dict[tuple[Any, ...], int] = field(default_factory=dict)
    result: tuple[str, Side | None, int] | None = None
    events: int = 0
    was_free: int = 0

    @property
    def to_move(self) -> Side:
        return Side.WHITE if self.board.turn == chess.WHITE else Side.BLACK

    @property
    def ply(self) -> int:
        return len(self.plies)

    def release(self, at: int) -> None:
        self.turn, self.released_at = Turn(at, at), at
        self.left = [profile.initial_buffer_ms for profile in self.profiles]

    def side_of(self, player: str) -> Side | None:
        return Side(self.players.index(player)) if self.players and player in self.players else None

    def live(self, side: Side, now: int) -> int:
        assert self.turn is not None
        return max(0, self.left[side] - self.turn.charged(now)) if side is self.to_move else self.left[side]

    # --- what ends the game by itself

    def end(self) -> tuple[int, int, str] | None:
        """(deadline, the same with grace, cause) of what comes first; None while nothing runs."""
        if self.result is not None:
            return None
        if self.turn is None:
            return self.expires_at, self.expires_at, "expired"
        if self.turn.paused_at is not None:
            return None
        profile = self.profiles[self.to_move]
        deadline = self.turn.after(self.turn.began, self.left[self.to_move])
        found = (deadline, deadline + profile.grace_ms, "time")
        for limit, cause in self._limits(self.turn, profile):
            if limit < found[0]:
                found = (limit, limit, cause)
            elif limit < found[1]:
                found = (found[0], limit, found[2])
        return found

    def _limits(self, turn: Turn, profile: Profile) -> list[tuple[int, str]]:
        limits = []
        limited = 2 if profile.first_move_scope == "each_player" else 1
        if profile.first_move_limit_ms is not None and self.ply < limited:
            limits.append((turn.after(turn.opened, profile.first_move_limit_ms), "no_start"))
        if self.guillotine is not None:
            limits.append((self.guillotine + self._moved(turn), "guillotine"))
        return limits

    def _moved(self, turn: Turn) -> int:
        return self.was_free + sum(end - start for start, end in merged(turn.free)) if self.guillotine_shifts else 0

    def is_due(self, now: int) -> bool:
        end = self.end()
        return end is not None and now >= end[1]

    def _time_is_up(self) -> None:
        end = self.end()
        assert end is not None
        at, _, cause = end
        loser = self.to_move
        winner: Side | None = loser.other
        if cause == "expired":
            winner = None
        elif cause == "no_start" and self.profiles[loser].no_start == "abort":
            cause, winner = "auto_aborted", None
        elif cause == "guillotine":
            white, black = (self.live(side, at) for side in Side)
            winner = None if white == black else Side.WHITE if white > black else Side.BLACK
        elif cause == "time":
            is_saved = self.flag_under_offer == "draw" and self.offer is not None and self.offer[0] is not loser
            winner = None if is_saved or not self.judge.can_win(self.position, loser.other) else loser.other
        self._over(cause, winner, at)

    def _over(self, reason: str, winner: Side | None, at: int) -> Done:
        self.result, self.offer = (reason, winner, at), None
        return self._event()

    def _event(self, *key: Any) -> Done:
        self.events += 1
        if key:
            self.answered.setdefault(key, self.events)
        return "entry", self.events

    # --- commands

    def ask(self, command: ask.Command, now: int, window: Span | None) -> Done:
        """Write down what becomes of a command; `window` is (start, anything) of a window that is open."""
        if isinstance(command, ask.ShiftForWindow):
            return self._close_window(command)
        if self.turn is not None and self.result is None and window is not None:
            return self._ask_in_window(command, now, window[0], self.turn)
        if self.is_due(now):
            self._time_is_up()
        return self._answer(command, now)

    def _close_window(self, command: ask.ShiftForWindow) -> Done:
        if self.turn is None or self.result is not None:
            return "refused", "not_running"
        end = self.end()
        if end is not None and end[0] <= command.from_ms:
            return "refused", "lost_before_window"
        if not self.turn.overlap(command.from_ms, command.to_ms):
            return NOTHING
        self._give_back(self.turn, command.from_ms, command.to_ms)
        return self._event()

    def _give_back(self, turn: Turn, start: int, end: int) -> None:
        cap = self.profiles[self.to_move].cap_ms
        self.left[self.to_move] = min(cap, self.left[self.to_move] + turn.taken(start, end))
        turn.give_back(start, end)

    def _ask_in_window(self, command: ask.Command, now: int, start: int, turn: Turn) -> Done:
        end = self.end()
        is_lost = end is not None and end[0] <= start
        free, left = list(turn.free), list(self.left)
        gained = 0 if is_lost else turn.overlap(start, now)
        if gained:
            self._give_back(turn, start, now)
        if is_lost or self.is_due(now):
            turn.free, self.left = free, left
            return self._suspended(command)
        self.events += 1 if gained else 0
        before = self.events
        answer = self._answer(command, now)
        if self.events == before:
            turn.free, self.left, self.events = free, left, before - (1 if gained else 0)
        return answer

    def _suspended(self, command: ask.Command) -> Done:
        if isinstance(command, ask.Look):
            return NOTHING
        return self._before(command) or ("refused", "clock_suspended")

    def _answer(self, command: ask.Command, now: int) -> Done:
        match command:
            case ask.Look():
                return NOTHING
            case ask.Pause() | ask.Resume() | ask.Adjust():
                return self._desk(command, now)
            case ask.Accept() | ask.Decline() | ask.Withdraw():
                return self._before(command) or self._invitation(command, now)
            case _:
                return self._before(command) or self._play(command, now)

    def _before(self, command: ask.Command) -> Done | None:
        version = self.answered.get(self.key(command))
        return ("entry", version) if version else None

    def key(self, command: Any) -> tuple[Any, ...]:
        """What makes two commands the same act by the same player."""
        player = getattr(command, "player", None)
        match command:
            case ask.Move(_, ply, move):
                return "move", player, ply, self.canonical(ply, move)
            case ask.OfferDraw(_, ply) | ask.AcceptDraw(_, ply) | ask.DeclineDraw(_, ply):
                return type(command).__name__, player, ply
            case ask.ClaimDraw(_, ply, reason):
                return "claim", player, ply, reason
        return type(command).__name__, player

    def canonical(self, ply: int, move: str) -> str:
        """The move as the log spells it, on the board of that ply; as it is, if it cannot be read there."""
        if not 0 <= ply <= self.ply:
            return move
        board = self.board.copy()
        for _ in range(self.ply - ply):
            board.pop()
        try:
            return board.uci(board.parse_uci(move))
        except ValueError:
            return move

    # --- invitations

    def _invitation(self, command: ask.Accept | ask.Decline | ask.Withdraw, now: int) -> Done:
        if self.result is not None:
            return "refused", "game_over"
        if self.turn is not None:
            return "refused", "already_accepted"
        match command:
            case ask.Accept(player):
                if player == self.challenger:
                    return "refused", "own_invitation"
                if player != self.opponent:
                    return "refused", "not_a_player"
                self.players = (str(self.challenger), player)
                self.release(now)
                return self._event(*self.key(command))
            case ask.Decline(player) if player == self.opponent:
                done = self._over("declined", None, now)
            case ask.Withdraw(player) if player == self.challenger:
                done = self._over("withdrawn", None, now)
            case _:
                return "refused", "not_a_player"
        self.answered[self.key(command)] = self.events
        return done

    # --- players

    def _play(self, command: Any, now: int) -> Done:
        side = self.side_of(command.player)
        if side is None:
            return "refused", "not_a_player"
        if isinstance(command, ask.Move) and command.ply < self.ply:
            is_mover = (side is self.to_move) == ((self.ply - command.ply) % 2 == 0)
            return "refused", "already_played" if is_mover else "not_your_turn"
        if self.result is not None:
            return "refused", "game_over"
        if self.turn is None or now < self.released_at:
            return "refused", "not_started"
        if self.turn.paused_at is not None:
            return "refused", "game_paused"
        return self._do(command, now, side, self.turn)

    def _do(self, command: Any, now: int, side: Side, turn: Turn) -> Done:
        if isinstance(command, ask.Resign):
            return self._act(command, self._over("resignation", side.other, now))
        if isinstance(command, ask.Abort):
            if not self.is_abortable:
                return "refused", "not_abortable"
            return (
                self._act(command, self._over("aborted", None, now))
                if self.ply <= 2
                else ("refused", "too_late_to_abort")
            )
        if command.ply != self.ply:
            return "refused", "wrong_ply"
        if isinstance(command, ask.Move):
            return self._move(command, now, side, turn)
        if isinstance(command, ask.ClaimDraw):
            return self._claim(command, now, side)
        return self._draw(command, now, side)

    def _act(self, command: Any, done: Done) -> Done:
        self.answered.setdefault(self.key(command), self.events)
        return done

    def _move(self, command: ask.Move, now: int, side: Side, turn: Turn) -> Done:
        if side is not self.to_move:
            return "refused", "not_your_turn"
        try:
            move = self.board.parse_uci(command.move)
        except ValueError:
            return "refused", "illegal_move"
        key = self.key(command)
        played = self.judge.play(self.position, command.move)
        used = max(0, turn.charged(now) - command.lag_ms)
        left = max(0, self.left[side] - used)
        profile = self.profiles[side]
        own_move = sum(1 for number in range(self.ply) if number % 2 == self.ply % 2) + 1
        earned = profile.increment_ms
        if profile.late_from_move and own_move >= profile.late_from_move:
            earned = profile.late_increment_ms or 0
        self.left[side] = left if played.end else min(profile.cap_ms, left + earned)
        self.plies.append(self.board.uci(move))
        self.board.push(move)
        self.position = played.position
        self.was_free += sum(end - start for start, end in merged(turn.free))
        self.turn, self.offer = Turn(now, now), None
        self._board_agrees(played.end)
        if played.end:
            self.result = (played.end.reason, played.end.winner, now)
        return self._event(*key)

    def _board_agrees(self, end: End | None) -> None:
        reason = end.reason if end else None
        assert self.board.is_checkmate() == (reason == "checkmate")
        assert self.board.is_stalemate() == (reason == "stalemate")
        assert reason is not None or not self.board.is_game_over()

    def _claim(self, command: ask.ClaimDraw, now: int, side: Side) -> Done:
        if side is not self.to_move:
            return "refused", "not_your_turn"
        stands = {"threefold_repetition": self.board.is_repetition(3), "fifty_moves": self.board.halfmove_clock >= 100}
        return (
            self._act(command, self._over(command.reason, None, now))
            if stands[command.reason]
            else ("refused", "no_claim")
        )

    def _draw(self, command: Any, now: int, side: Side) -> Done:
        is_offered = self.offer is not None and self.offer[0] is not side
        if isinstance(command, ask.OfferDraw):
            if is_offered:
                return self._agree(command, now, side)
            last = self.last_offer.get(side)
            if last is not None and self._own_plies_since(side, last) < 10:
                return "refused", "offer_too_soon"
            self.offer, self.last_offer[side] = (side, self.ply), self.ply
            return self._event(*self.key(command))
        if not is_offered:
            return "refused", "no_offer"
        if isinstance(command, ask.AcceptDraw):
            return self._agree(command, now, side)
        self.offer = None
        return self._event(*self.key(command))

    def _agree(self, command: Any, now: int, side: Side) -> Done:
        """Accepting an offer and making one across it are the same act, whichever is sent again."""
        done = self._over("agreement", None, now)
        for same in (ask.AcceptDraw(command.player, self.ply), ask.OfferDraw(command.player, self.ply)):
            self.answered.setdefault(self.key(same), self.events)
        return done

    def _own_plies_since(self, side: Side, ply: int) -> int:
        offset = 0 if side is self.to_move else 1
        return sum(1 for number in range(ply, self.ply) if (self.ply - number) % 2 == offset)

    # --- the desk

    def _desk(self, command: ask.Pause | ask.Resume | ask.Adjust, now: int) -> Done:
        if self.result is not None:
            return "refused", "game_over"
        if self.turn is None:
            return "refused", "not_started"
        end = self.end()
        if end is not None and now >= end[0]:
            return "refused", "deadline_passed"
        match command:
            case ask.Pause(reason):
                return self._pause(reason, now, self.turn)
            case ask.Resume(reason):
                return self._resume(reason, now, self.turn)
            case ask.Adjust(side, delta_ms, to_ms):
                target = to_ms if to_ms is not None else self.live(side, now) + (delta_ms or 0)
                return self._set(side, target, now, self.turn)

    def _pause(self, reason: str, now: int, turn: Turn) -> Done:
        if reason in self.reasons:
            return NOTHING
        self.reasons.add(reason)
        if turn.paused_at is None:
            turn.paused_at = now
        return self._event()

    def _resume(self, reason: str, now: int, turn: Turn) -> Done:
        if reason not in self.reasons:
            return NOTHING
        self.reasons.discard(reason)
        if not self.reasons and turn.paused_at is not None:
            paused_at, turn.paused_at = turn.paused_at, None
            turn.give_back(paused_at, now)
        return self._event()

    def _set(self, side: Side, target: int, now: int, turn: Turn) -> Done:
        if target <= 0:
            return "refused", "would_expire"
        self.left[side] = min(target, self.profiles[side].cap_ms)
        if side is self.to_move:
            turn.began = max(turn.began, now if turn.paused_at is None else turn.paused_at)
        return self._event()
