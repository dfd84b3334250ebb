"""Kind `clock`: commands against a game whose board is scripted, through the product's own decisions.

The cases name moves only as legal, illegal or game-ending; `ScriptedBoard` is a referee that judges moves by
their own words, so everything but the board is the code that runs in production.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from chalicelib.clock.profiles import Profile
from chalicelib.core.sides import Side
from chalicelib.games import commands
from chalicelib.games.decide import Outcome, decide
from chalicelib.games.due import due
from chalicelib.games.events import Adjusted, DrawOffered, Ended, Log, Moved, Paused, Resumed
from chalicelib.games.history import Entry, beginning, evolve
from chalicelib.games.model import Game, Terms
from chalicelib.rules.referee import End, IllegalMove, Played, Position
from tests.conformance.verdict import Verdict, judged

DAY = 86_400_000
DEFAULTS = {"initial": 30 * DAY, "inc": DAY, "cap": 30 * DAY, "first_move": 7 * DAY, "first_scope": "game", "grace": 0}
PLAYERS = {"w": "white", "b": "black"}


@dataclass
class ScriptedBoard:
    """Judges a move by what it is called: `illegal...` is refused, `end:<reason>...` wins for the mover."""

    can_mate: bool
    kind: str = "scripted"

    def start(self, setup: str | None) -> Position:
        return Position("")

    def to_move(self, position: Position) -> Side:
        return Side.WHITE

    def play(self, position: Position, move: str) -> Played:
        what, _, name = move.partition(":")
        if what == "illegal":
            raise IllegalMove(move)
        plies = position.notation.count("/")
        mover = Side.WHITE if plies % 2 == 0 else Side.BLACK
        return Played(
            Position(position.notation + "/"), move, End(name.split(":")[0], mover) if what == "end" else None
        )

    def end(self, position: Position) -> End | None:
        return None

    def claims(self, position: Position) -> tuple[str, ...]:
        return ()

    def can_win(self, position: Position, side: Side) -> bool:
        return self.can_mate

    def notate(self, position: Position, move: str) -> str:
        return move


def _profile(init: dict[str, Any]) -> Profile:
    numbers = DEFAULTS | init.get("p", {})
    return Profile(
        "case",
        initial_buffer_ms=numbers["initial"],
        increment_ms=numbers["inc"],
        cap_ms=numbers["cap"],
        first_move_limit_ms=numbers["first_move"],
        first_move_scope=numbers["first_scope"],
        grace_ms=numbers["grace"],
        late_increment_ms=numbers.get("late_inc"),
        late_from_move=numbers.get("late_from"),
    )


def _game(init: dict[str, Any]) -> Game:
    """A game that stands as the case says, with a history that leads there.

    All plies but the last are played at once, the last at the instant the turn starts; then a referee sets what the
    accounts are to hold.
    """
    profile = _profile(init)
    ply, started = init.get("ply", 2), init.get("ts", 0)
    game = Game(
        id="case",
        kind="scripted",
        terms=Terms(
            "pairing",
            flag_under_offer=init.get("draw_offer_policy", "loss"),
            guillotine_ms=init.get("guillotine"),
        ),
        setup=None,
        position=Position("/" * ply),
        first_to_move=Side.WHITE,
        profiles=(profile, profile),
        log=Log(0),
        white="white",
        black="black",
        released_at_ms=init.get("released", 0),
    )
    game = beginning(game)
    for number in range(ply):
        game, _ = evolve(game, Moved(started if number == ply - 1 else 0, f"m{number}"))
    for side, letter in ((Side.WHITE, "w"), (Side.BLACK, "b")):
        assert game.clock is not None
        wanted = init.get(letter, profile.initial_buffer_ms)
        change = wanted - game.clock.account(side).remaining_ms
        if wanted == 0:
            game = replace(game, clock=game.clock.with_remaining(side, 0))
        elif change:
            game, _ = evolve(game, Adjusted(started, side, change, change))
    if offer := init.get("draw_offer_by"):
        game, _ = evolve(game, DrawOffered(started, Side.of_letter(offer)))
    return game


@dataclass
class Table:
    """A game under way, and what happened since it stood as the case says."""

    game: Game
    board: ScriptedBoard
    keyed: dict[str, tuple[int, str]] = field(default_factory=dict)
    moves: int = 0
    start_version: int = 0
    entries: list[Entry] = field(default_factory=list)

    def do(self, command: commands.Command, now_ms: int) -> Outcome:
        before = self.game
        outcome = decide(before, command, now_ms, self.board)
        if outcome.game.version != before.version:
            self.game = outcome.game
            self.entries += [outcome.entry] if outcome.entry else []
        return outcome


RESULTS = {
    "illegal_move": "ILLEGAL",
    "not_your_turn": "NOT_YOUR_TURN",
    "game_paused": "PAUSED",
    "would_expire": "WOULD_EXPIRE",
    "lost_before_window": "NOOP",
    "not_running": "NOOP",
}


def _result(table: Table, before: Game, outcome: Outcome, on_end: str) -> str:
    if outcome.refusal is None:
        return "OK"
    if outcome.refusal.code == "game_over":
        return on_end if outcome.game.version != before.version else "GAME_OVER"
    return RESULTS.get(outcome.refusal.code, outcome.refusal.code)


def _step(table: Table, operation: str, arguments: dict[str, Any]) -> str | int:
    now, before = arguments["now"], table.game
    side = arguments.get("side")
    if operation == "scan":
        outcome = table.do(commands.Look(), now)
        return "NOOP" if outcome.game.version == before.version else "FLAGGED"
    if operation == "maintenance":
        outcome = table.do(commands.ShiftForWindow(arguments["mid"], arguments["start"], arguments["end"]), now)
        if outcome.refusal:
            return RESULTS[outcome.refusal.code]
        running_before, running_after = before.clock, outcome.game.clock
        assert running_before and running_after
        return running_after.turn_started_at_ms - running_before.turn_started_at_ms
    if operation == "move":
        return _result(table, before, table.do(_move(table, arguments), now), "FLAGGED")
    command: commands.Command
    if operation == "resign":
        command = commands.Resign(PLAYERS[side])
    elif operation == "pause":
        command = commands.Pause("referee")
    elif operation == "resume":
        command = commands.Resume("referee")
    else:
        command = commands.Adjust(
            Side.of_letter(side), arguments.get("delta"), arguments.get("to"), key=arguments.get("key", "")
        )
    return _result(table, before, table.do(command, now), "EXPIRED")


def _move(table: Table, arguments: dict[str, Any]) -> commands.Move:
    """A keyed move sent again is the same ply and the same move; any other is a new one for the ply that stands."""
    clock = table.game.clock
    assert clock is not None
    key = arguments.get("key")
    asked_now = (table.game.ply, PLAYERS[arguments.get("side", clock.to_move.letter)])
    ply, player = table.keyed.setdefault(key, asked_now) if key else asked_now
    table.moves += 1
    name = key or f"m{table.moves}"
    move = f"end:{arguments['game_over']}:{name}" if arguments.get("game_over") else f"legal:{name}"
    if arguments.get("legal") is False:
        move = f"illegal:{name}"
    return commands.Move(player, ply, move)


def _facts(table: Table) -> dict[str, Any]:
    """Everything a case may expect, read off the game."""
    game = table.game
    clock, result, reached = game.clock, game.result, due(game)
    assert clock is not None
    events = list(game.log)
    since = events[table.start_version :]
    ends = [e for e in events if isinstance(e, Ended) or (isinstance(e, Moved) and e.end)]
    moves = [entry for entry in table.entries if isinstance(entry.event, Moved)]
    desk = [event for event in since if isinstance(event, Adjusted | Paused | Resumed)]
    adjustments = [event for event in since if isinstance(event, Adjusted)]
    return {
        "w": clock.white.remaining_ms,
        "b": clock.black.remaining_ms,
        "ts": clock.turn_started_at_ms,
        "ply": game.ply,
        "deadline": reached.at_ms if reached else None,
        "status": game.status(clock.turn_started_at_ms),
        "termination": result.reason if result else None,
        "winner": result.winner.letter if result and result.winner is not None else None,
        "finished_at": result.at_ms if result else None,
        "forfeited": moves[-1].lapsed_ms if moves else None,
        "results": len(ends),
        "paused_at": clock.paused_at_ms,
        "version": game.version - table.start_version,
        "audits": len(desk),
        "audit0_requested": adjustments[0].requested_ms if adjustments else None,
        "audit0_applied": adjustments[0].applied_ms if adjustments else None,
    }


def differences(vector: dict[str, Any]) -> list[str]:
    init = vector["init"]
    game = _game(init)
    table = Table(game, ScriptedBoard(init.get("winner_can_mate", True)), start_version=game.version)
    wrong = []
    for number, (operation, arguments, expected) in enumerate(vector["steps"], 1):
        got = _step(table, operation, arguments)
        if got != expected:
            wrong.append(f"step {number} {operation}: expected {expected}, got {got}")
    facts = _facts(table)
    wrong += [
        f"{name}: expected {value}, got {facts[name]}"
        for name, value in vector["expect"].items()
        if facts[name] != value
    ]
    return wrong


def judge(path: Path) -> Iterator[Verdict]:
    file = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(file, dict):
        raise ValueError("the file is no object with `vectors`")
    for number, vector in enumerate(file["vectors"], 1):
        identity = str(vector.get("id", f"vector {number}")) if isinstance(vector, dict) else f"vector {number}"
        yield judged(identity, lambda vector=vector: differences(vector))
