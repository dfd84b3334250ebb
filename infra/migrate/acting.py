"""Acts of the desk on many games at once: each is stored with its line in the audit log, as any act of an operator."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from tqdm import tqdm

if TYPE_CHECKING:
    from chalicelib.core.signing import Admin
    from chalicelib.desk.model import GameActKind
    from chalicelib.games.commands import DeskCommand
    from chalicelib.games.model import Game

_AT_ONCE: Final = 8

WHY: Final = "migration from the old platform"


def operator() -> Admin:
    """Whoever can write to the store needs no key."""
    from chalicelib.core.signing import Admin

    return Admin("infra.migrate", getpass.getuser(), "operator", frozenset(), "")


def done_to_all(
    ids: Sequence[str], kind: GameActKind, command: DeskCommand, is_meant: Callable[[Game], bool]
) -> Iterator[str]:
    """Do the same to all of these games for which it is meant; yields what could not be done, in sentences."""
    from chalicelib.core.settings import settings
    from chalicelib.desk import acts
    from chalicelib.desk.model import Order
    from chalicelib.games import store
    from chalicelib.games.act import Busy

    order = Order(operator(), kind, command, WHY, WHY)

    def do(game_id: str) -> str:
        game = store.load(game_id)
        if not is_meant(game):
            return ""
        try:
            acts.done(order, game, settings().time.now_ms())
        except acts.NothingToDo:
            return ""
        except acts.Refused as refused:
            is_over = refused.outcome.game.is_over
            return "" if is_over or refused.outcome.refusal is None else f"{game_id}: {refused.outcome.refusal.detail}"
        except (acts.KeyReused, Busy) as error:
            return f"{game_id}: {type(error).__name__}"
        return ""

    with ThreadPoolExecutor(_AT_ONCE) as pool, tqdm(total=len(ids), desc=kind, unit=" games") as bar:
        for fault in pool.map(do, ids):
            bar.update()
            if fault:
                yield fault
