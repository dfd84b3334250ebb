"""What ended games mean for ratings: each goes into the pool of its kind and time class (seed 003)."""

from __future__ import annotations

from chalicelib.core.ids import random_id
from chalicelib.core.sides import Side
from chalicelib.games import store
from chalicelib.games.history import ends_taken_back
from chalicelib.games.model import Game
from chalicelib.ratings import marking
from chalicelib.ratings.edits import on_top
from chalicelib.ratings.model import Change, Edit, Partition, Played, Winner
from chalicelib.ratings.pools import pool


def report(game: Game) -> None:
    """Let what a game is now wait in its pool, if it rates or did. Harmless when repeated: it says the same."""
    changes = changes_of(game)
    marking.put(changes)
    marking.wake(changes)


def changes_of(game: Game) -> dict[Partition, Change]:
    """What a game means for its pool: its end, and the ends that referees have taken back.

    Whenever this is asked, the change has another name. A pass must let go only of what it has taken in: a late image
    of an older version may wait by then, and only what was put after that image keeps it from having the last word.
    """
    found = played_of(game)
    taken_back = tuple((at_ms, game.id) for at_ms in ends_taken_back(game)) if game.terms.rated else ()
    if found is None and not taken_back:
        return {}
    edit = Edit(game.id, game.version, clear=taken_back, played=found[1] if found else None)
    return {pool_of(game): Change(f"{game.id}-{game.version}-{random_id()}", (edit,))}


def played_of(game: Game) -> tuple[Partition, Played] | None:
    """The pool of a game and what it is there, White being A; None if it does not rate."""
    result = game.result
    if result is None or not game.rates or _has_own_setup(game) or game.white is None or game.black is None:
        return None
    winner: Winner = "" if result.winner is None else "A" if result.winner is Side.WHITE else "B"
    return pool_of(game), Played(result.at_ms, game.id, (game.white,), (game.black,), winner)


def pool_of(game: Game) -> Partition:
    """The pool in which a game rates, if it does."""
    return pool(game.kind, *(profile.initial_buffer_ms for profile in game.profiles))


def played_in(partition: Partition, edits: tuple[Edit, ...] = ()) -> list[Played]:
    """The rated games of a pool in the order of their ends, by a strongly consistent scan, with edits over them."""
    found = (played_of(game) for game, _ in store.walk())
    return on_top((played for where, played in filter(None, found) if where == partition), edits)


def _has_own_setup(game: Game) -> bool:
    """Whether the game began from a position that somebody set up; the numbered starts of Chess960 are none."""
    return game.setup is not None and not (game.kind == "chess960" and game.setup.isdigit())
