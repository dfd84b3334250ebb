"""The way back: games as the legacy platform writes them, with the moves that were played here. Pure."""

from __future__ import annotations

from chalicelib.clock import clock as clocks
from chalicelib.core.sides import Side
from chalicelib.games.events import Moved
from chalicelib.games.history import running_clock
from chalicelib.games.model import Game, Result
from chalicelib.migration.rows import Line
from chalicelib.migration.takeover import plies_since_swap

_SCORES = {Side.WHITE: "1-0", Side.BLACK: "0-1", None: "1/2-1/2"}


def line_of(game: Game, resumes_at_ms: int) -> Line:
    """The row of a game that was released here.

    The clock of a running game stands still; there it runs on from `resumes_at_ms` with what was left.
    """
    moves = [event for event in game.log if isinstance(event, Moved)]
    clock = running_clock(game)
    line = Line(
        id=game.terms.legacy_id or "",
        status="running",
        white=game.white or "",
        black=game.black or "",
        code=game.profiles[0].code,
        moves=[event.move for event in moves],
        last_move_at=moves[-1].at_ms if moves else game.created_at_ms,
        move_times=[event.at_ms for event in moves],
        started_at=game.created_at_ms,
        to_move=clock.to_move.colour,
        kind="chess960" if game.kind == "chess960" else "chess",
        setup=game.setup,
        event=game.terms.event,
        rated=game.terms.rated,
        moved_here=plies_since_swap(game),
    )
    if game.result is not None:
        return _over(line, game.result, is_annulled=game.status(game.result.at_ms) == "aborted")
    line.current_deadline = resumes_at_ms + clocks.live_remaining(clock, clock.to_move, resumes_at_ms)
    return line


def _over(line: Line, result: Result, *, is_annulled: bool) -> Line:
    line.status, line.to_move = "finished", None
    line.result, line.reason = "*" if is_annulled else _SCORES[result.winner], result.reason
    return line
