"""Two players with two devices each, referees, silences and time, against a scorekeeper who works differently.

`TEST_EFFORT=50 pytest tests/games/test_protocol_machine.py` plays fifty times as many games.
"""

from __future__ import annotations

from typing import Any

import chess
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from chalicelib.clock.clock import live_remaining
from chalicelib.clock.profiles import Profile, named
from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.core.sides import Side
from chalicelib.games import commands as ask
from chalicelib.games.decide import Outcome, decide
from chalicelib.games.due import due
from chalicelib.games.events import Ended, Moved
from chalicelib.games.history import history, rebuilt
from chalicelib.games.invariants import faults
from chalicelib.games.item import GameItem, game_of, index_keys, item_of
from chalicelib.games.making import Match, invitation, invite, pair
from chalicelib.games.model import Game, Terms
from chalicelib.games.views import EventView, event_view, game_view
from chalicelib.rules import referee
from chalicelib.watch.model import Window
from tests.clock.effort import effort
from tests.games.book import Book

T0 = 1_772_323_200_000
ANNA, BERT, CARL = "anna", "bert", "carl"
SETUPS = [
    None,
    None,
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 97 80",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1",
]
PROFILES = [
    named("30-30-1"),
    named("30-30-1"),
    named("T3_1"),
    named("3+2"),
    Profile("quick", 3 * DAY, DAY, 3 * DAY, late_increment_ms=HOUR, late_from_move=3),
    Profile("strict", 5 * DAY, HOUR, 9 * DAY, first_move_limit_ms=2 * DAY, first_move_scope="each_player", grace_ms=9),
]
REASONS = ["illness", "hall 2: power cut"]
CLAIMS = ["threefold_repetition", "fifty_moves"]

players = st.sampled_from([ANNA, BERT])
everybody = st.sampled_from([ANNA, BERT, CARL])
sides = st.sampled_from(list(Side))
devices = st.sampled_from(["desktop", "phone"])
picks = st.integers(0, 60)
waits = st.sampled_from([0, 0, 1, 10, 50, 200, 500])
"""In thousandths of the time to the deadline: what is long in one game is short in another."""
lengths = st.sampled_from([0, 1, SECOND, 20 * SECOND, 5 * MINUTE, HOUR, 9 * HOUR, DAY, 2 * DAY])
lags = st.sampled_from([0, 0, 0, 300])


class Protocol(RuleBasedStateMachine):
    """The game as `decide` makes it, next to the scorekeeper's book."""

    @initialize(
        data=st.data(),
        setup=st.sampled_from(SETUPS),
        both=st.tuples(st.sampled_from(PROFILES), st.sampled_from(PROFILES)),
    )
    def make(self, data: st.DataObject, setup: str | None, both: tuple[Profile, Profile]) -> None:
        self.judge, self.now = referee("chess"), T0
        self.window: Window | None = None
        self.sent: list[tuple[ask.Command, EventView]] = []
        self.bodies: list[EventView] = []
        self.seen: dict[tuple[str, str], int] = {}
        self.checked: Game | None = None
        match = Match("chess", setup, both, rated=True)
        position = self.judge.start(setup)
        self.book = Book(both, self.judge, position, chess.Board(setup or chess.STARTING_FEN), is_abortable=True)
        if data.draw(st.booleans()):
            self._pair(match, data)
        else:
            self._invite(match, data)
        self._play_on(data.draw(st.lists(picks, max_size=12)))

    def _pair(self, match: Match, data: st.DataObject) -> None:
        guillotine = data.draw(st.none() | st.integers(DAY, 12 * DAY))
        policy = data.draw(st.sampled_from(["loss", "draw"]))
        release = T0 + data.draw(st.sampled_from([0, 0, DAY]))
        terms = Terms(
            "pairing",
            flag_under_offer=policy,
            guillotine_ms=None if guillotine is None else T0 + guillotine,
            guillotine_shifts=data.draw(st.booleans()),
        )
        game = pair("game", match, self.judge, terms, T0, release)
        self.game = replace(game, white=ANNA, black=BERT)
        self.book.players, self.book.is_abortable = (ANNA, BERT), False
        self.book.flag_under_offer = policy
        self.book.guillotine, self.book.guillotine_shifts = terms.guillotine_ms, terms.guillotine_shifts
        self.book.release(release)

    def _invite(self, match: Match, data: st.DataObject) -> None:
        sent = invitation(match, T0, challenger=ANNA, opponent=BERT, colour="white")
        self.game = invite("game", match, self.judge, sent, T0)
        self.book.challenger, self.book.opponent = ANNA, BERT
        is_live = any(profile.initial_buffer_ms < DAY for profile in match.profiles)
        self.book.expires_at = T0 + (HOUR if is_live else 14 * DAY)
        if data.draw(st.integers(0, 7)):
            self._ask(ask.Accept(BERT, Side.BLACK))

    # --- asking

    def _play_on(self, several: list[int]) -> None:
        for pick in several:
            if self.is_open and self.book.turn.paused_at is None and self.now >= self.book.released_at:
                self._ask(self._choice(self._mover(), self.book.ply, pick))

    def _mover(self) -> str:
        return self.book.players[self.book.to_move]

    def _wait(self, thousandths: int) -> None:
        end, guillotine = self.book.end(), self.book.guillotine
        until = end[0] if end else self.now + 2 * DAY
        if end is None and guillotine is not None:
            until = guillotine + DAY
        self.now += max(0, until - self.now) * thousandths // 1_000

    def _ask(self, command: ask.Command) -> Outcome:
        """Ask the product and the scorekeeper; whatever they do, they agree about it."""
        before = self.game
        outcome = decide(before, command, self.now, self.judge, (self.window,) if self.window else ())
        expected = self.book.ask(command, self.now, (self.window.from_ms, 0) if self.window else None)
        answered = ("nothing", None)
        if outcome.refusal:
            answered = ("refused", outcome.refusal.code)
        elif outcome.entry:
            answered = ("entry", outcome.entry.version)
        assert answered == expected, (command, answered, expected)
        self.game = outcome.game
        if outcome.game.version == before.version or (outcome.refusal and not outcome.game.is_over):
            assert outcome.game == before, "what is refused or was done before changes nothing"
        self.bodies += [event_view(entry) for entry in history(self.game)[len(self.bodies) :]]
        if outcome.entry:
            body = event_view(outcome.entry)
            assert body == self.bodies[outcome.entry.version - 1]
            if isinstance(command, ask.PlayerCommand):
                self.sent.append((command, body))
        return outcome

    @property
    def is_open(self) -> bool:
        return self.book.turn is not None and self.book.result is None

    def _board(self, ply: int) -> chess.Board:
        board = self.book.board.copy()
        for _ in range(self.book.ply - ply):
            board.pop()
        return board

    def _choose(self, ply: int, pick: int) -> str:
        """A legal move at that ply: back where the piece came from often, castling and checks gladly."""
        board = self._board(ply)
        legal = sorted(move.uci() for move in board.legal_moves)
        own_last = board.move_stack[-2].uci() if len(board.move_stack) > 1 else ""
        liked: list[str] = []
        if pick % 4 == 0:
            liked = [move.uci() for move in board.legal_moves if board.is_castling(move) or board.gives_check(move)]
        elif pick % 4 != 3 and own_last[2:4] + own_last[:2] in legal:
            liked = [own_last[2:4] + own_last[:2]]
        found = liked or legal or ["e2e4"]
        return found[pick % len(found)]

    def _choice(self, player: str, ply: int, pick: int) -> ask.Command:
        move = ask.Move(player, ply, self._choose(ply, pick))
        return self._respelled(move) if pick % 8 == 4 else move

    # --- players

    @precondition(lambda self: self.is_open)
    @rule(pick=picks, lag=lags, wait=waits)
    def play(self, pick: int, lag: int, wait: int) -> None:
        """The side to move moves, on the board as it stands."""
        self._wait(wait)
        self._ask(ask.Move(self._mover(), self.book.ply, self._choose(self.book.ply, pick), lag))

    @precondition(lambda self: self.is_open)
    @rule(several=st.lists(picks, min_size=2, max_size=8), wait=waits)
    def play_on(self, several: list[int], wait: int) -> None:
        """A few moves in a row."""
        for pick in several:
            self._wait(wait // 5)
            self._play_on([pick])

    @rule(player=players, device=devices, pick=picks, is_fresh=st.booleans())
    def play_on_a_device(self, player: str, device: str, pick: int, is_fresh: bool) -> None:
        """A move on the board that the device last saw, be it old or not the player's turn."""
        ply = self.book.ply if is_fresh else self.seen.get((player, device), 0)
        if self._ask(self._choice(player, ply, pick)).entry:
            self.seen[player, device] = ply + 1

    @precondition(lambda self: self.sent)
    @rule(pick=st.integers(0, 10**6), wait=waits)
    def send_again(self, pick: int, wait: int) -> None:
        """Anything that was ever answered gets the same answer, at any later time."""
        self._wait(wait)
        command, body = self.sent[pick % len(self.sent)]
        outcome = self._ask(self._respelled(command) if pick % 2 else command)
        assert outcome.refusal is None
        assert outcome.entry is not None
        assert event_view(outcome.entry) == body

    def _respelled(self, command: ask.Command) -> ask.Command:
        """Castling the other way: the king takes the rook instead of moving two squares."""
        if not isinstance(command, ask.Move):
            return command
        move = self.book.canonical(command.ply, command.move)
        if not self._board(command.ply).is_castling(chess.Move.from_uci(move)):
            return command
        return ask.Move(command.player, command.ply, move[:2] + {"g": "h", "c": "a"}[move[2]] + move[3])

    @precondition(lambda self: self.is_open)
    @rule(player=players, stale=st.sampled_from([0, 0, 0, 0, -1, 1]), wait=waits)
    def offer(self, player: str, stale: int, wait: int) -> None:
        self._wait(wait)
        self._ask(ask.OfferDraw(player, self.book.ply + stale))

    @precondition(lambda self: self.is_open)
    @rule(player=players, answer=st.sampled_from([ask.DeclineDraw, ask.DeclineDraw, ask.AcceptDraw, ask.OfferDraw]))
    def offer_and_answer(self, player: str, answer: Any) -> None:
        other = BERT if player == ANNA else ANNA
        self.offer(player, 0, 0)
        if answer is ask.OfferDraw:
            self.offer(other, 0, 0)
        else:
            self._ask(answer(other, self.book.ply))

    @precondition(lambda self: self.is_open)
    @rule(
        player=players,
        kind=st.sampled_from([ask.AcceptDraw, ask.DeclineDraw, ask.DeclineDraw, ask.ClaimDraw, ask.ClaimDraw]),
        reason=st.sampled_from(CLAIMS),
        stale=st.sampled_from([0, 0, 0, -1]),
    )
    def answer_or_claim(self, player: str, kind: Any, reason: Any, stale: int) -> None:
        self._ask(kind(player, self.book.ply + stale, *([reason] if kind is ask.ClaimDraw else [])))

    @rule(
        command=st.one_of(
            st.builds(ask.Resign, everybody),
            st.builds(ask.Abort, everybody),
            st.builds(ask.Accept, everybody, sides),
            st.builds(ask.Decline, everybody),
            st.builds(ask.Withdraw, everybody),
            st.builds(ask.Move, everybody, st.integers(0, 9), st.sampled_from(["e2e5", "", "e1g1", "e8a8", "a7a8q"])),
        ),
        is_meant=st.sampled_from([False, False, True]),
    )
    def ask_what_ends_games_or_makes_no_sense(self, command: ask.Command, is_meant: bool) -> None:
        """Seldom while a game runs, or games would be short."""
        if is_meant or not self.is_open or not isinstance(command, ask.Resign | ask.Abort):
            self._ask(command)

    @precondition(lambda self: not self.is_open)
    @rule(
        command=st.one_of(
            st.builds(ask.OfferDraw, players, st.integers(0, 3)),
            st.builds(ask.AcceptDraw, players, st.integers(0, 3)),
            st.builds(ask.DeclineDraw, players, st.integers(0, 3)),
            st.builds(ask.ClaimDraw, players, st.integers(0, 3), st.sampled_from(CLAIMS)),
            st.builds(ask.Pause, st.sampled_from(REASONS)),
            st.builds(ask.Adjust, sides, st.just(1)),
            st.builds(ask.ShiftForWindow, st.just("late"), st.just(T0), st.just(T0 + DAY)),
        )
    )
    def ask_where_nothing_runs(self, command: ask.Command) -> None:
        self._ask(command)

    # --- time and the desk

    @rule(ms=lengths, wait=waits)
    def time_passes_and_somebody_looks(self, ms: int, wait: int) -> None:
        if not self.is_open or ms < HOUR:
            self.now += ms
        self._wait(wait)
        self._ask(ask.Look())

    @precondition(lambda self: self.book.end())
    @rule(off=st.sampled_from([-1, -1, -1, -1, 0, 1]), with_grace=st.booleans())
    def time_passes_to_the_deadline(self, off: int, with_grace: bool) -> None:
        end = self.book.end()
        assert end is not None
        self.now = max(self.now, end[1 if with_grace else 0] + off)

    @precondition(lambda self: self.is_open)
    @rule(kind=st.sampled_from([ask.Pause, ask.Resume, ask.Resume]), reason=st.sampled_from(REASONS), wait=waits)
    def stop_or_go(self, kind: Any, reason: str, wait: int) -> None:
        self._wait(wait)
        self._ask(kind(reason))

    @precondition(lambda self: self.is_open)
    @rule(before=waits, during=waits)
    def stop_for_a_while(self, before: int, during: int) -> None:
        self.stop_or_go(ask.Pause, REASONS[0], before)
        self.go(during)

    @precondition(lambda self: self.book.reasons)
    @rule(wait=waits)
    def go(self, wait: int) -> None:
        self._wait(wait)
        for reason in REASONS:
            self._ask(ask.Resume(reason))

    @precondition(lambda self: self.is_open)
    @rule(
        command=st.one_of(
            st.builds(ask.Adjust, sides, st.sampled_from([-DAY, -HOUR, -1, 1, HOUR, 3 * DAY])),
            st.builds(ask.Adjust, sides, st.none(), st.sampled_from([-1, 0, 1, 5 * MINUTE, DAY, 40 * DAY])),
        ),
        wait=waits,
    )
    def adjust(self, command: ask.Adjust, wait: int) -> None:
        self._wait(wait)
        self._ask(command)

    @precondition(lambda self: self.is_open and self.window is None)
    @rule(wait=waits)
    def a_silence_begins(self, wait: int) -> None:
        self.window = Window("silence", self.now)
        self._wait(wait)

    @precondition(lambda self: self.window)
    @rule(wait=waits)
    def the_silence_is_settled(self, wait: int) -> None:
        assert self.window is not None
        self._wait(wait)
        self._ask(ask.ShiftForWindow(self.window.id, self.window.from_ms, self.now))
        self.window = None

    @precondition(lambda self: self.is_open and self.window is None)
    @rule(back=st.integers(0, 120), length=st.integers(0, 120))
    def a_window_is_closed_late(self, back: int, length: int) -> None:
        """Both in hundredths of the time since the turn began, so that windows lie before, in and across it."""
        turn = self.book.turn
        assert turn is not None
        since = max(100, self.now - turn.opened)
        start, length = self.now - since * back // 100, since * length // 100
        self._ask(ask.ShiftForWindow("night", start, min(self.now, start + length)))

    # --- what always holds

    @invariant()
    def what_always_holds(self) -> None:
        self.balances_and_deadlines_are_right()
        self.the_index_shows_what_is_due()
        if self.game is not self.checked:
            self.the_log_says_what_is_stored()
            self.there_is_at_most_one_end()
            self.answers_of_the_past_stand()
            self.the_board_is_legal_and_right()
            self.the_item_holds_the_game()
            assert list(faults(self.game, index_keys(self.game), self.judge)) == []
        self.checked = self.game

    def the_log_says_what_is_stored(self) -> None:
        again, game = rebuilt(self.game), self.game
        for name in ("clock", "result", "offer", "version", "released_at_ms", "log"):
            assert getattr(again, name) == getattr(game, name), name
        assert game.version == len(game.log) == self.book.events

    def there_is_at_most_one_end(self) -> None:
        result, log = self.game.result, list(self.game.log)
        ends = [event for event in log if isinstance(event, Ended) or (isinstance(event, Moved) and event.end)]
        assert len(ends) == (self.book.result is not None)
        assert (result and (result.reason, result.winner, result.at_ms)) == self.book.result

    def answers_of_the_past_stand(self) -> None:
        assert [event_view(entry) for entry in history(self.game)] == self.bodies

    def the_board_is_legal_and_right(self) -> None:
        fields = self.game.position.notation.split()
        board = self.book.board
        assert fields[0] == board.board_fen()
        assert (fields[1] == "w") == board.turn
        assert [int(number) for number in fields[4:]] == [board.halfmove_clock, board.fullmove_number]
        assert [event.move for event in self.game.log if isinstance(event, Moved)] == self.book.plies

    def the_item_holds_the_game(self) -> None:
        assert game_of(GameItem.from_raw_data(item_of(self.game).serialize())) == self.game

    def balances_and_deadlines_are_right(self) -> None:
        reached, end, clock = due(self.game), self.book.end(), self.game.clock
        assert (reached and (reached.at_ms, reached.effective_ms)) == (end and end[:2])
        assert self.game.ply == self.book.ply
        offer = self.game.offer
        assert (offer and (offer.by, offer.ply)) == self.book.offer
        if clock is None or self.game.is_over:
            return
        assert clock.to_move is self.book.to_move
        assert clock.pause_reasons == self.book.reasons
        for side in Side:
            assert live_remaining(clock, side, self.now) == self.book.live(side, self.now)

    def the_index_shows_what_is_due(self) -> None:
        keys, end, result, turn = index_keys(self.game), self.book.end(), self.book.result, self.book.turn
        assert keys is not None
        stage, at = keys[0].rstrip("0123456789"), keys[1]
        if result is not None:
            assert (stage, at) == ("ended", result[2])
        elif end is not None:
            assert (stage, at) == ("running", end[1])
        else:
            assert turn is not None
            assert (stage, at) == ("paused", turn.paused_at)

    def teardown(self) -> None:
        if hasattr(self, "game"):
            assert game_view(self.game, self.now).events == self.bodies


TestProtocol = Protocol.TestCase
TestProtocol.settings = effort(250, steps=30)
