"""Migrated games as they stand in the store. Pure but for `walked`, which reads all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from tqdm import tqdm

from chalicelib.migration.takeover import is_caught_up, is_copy, last_pause, plies_since_swap, swap_of

if TYPE_CHECKING:
    from chalicelib.games.model import Game


class Standing(Struct):
    """Ids of migrated games by what has become of them.

    `behind` are copies that have not caught up since a freeze, `caught_up` those that have, by the freeze. `released`
    run here or have ended here, by the key of the swap; `returned` stand still for the way back. `plies` were played
    here.
    """

    behind: list[str]
    caught_up: dict[int, list[str]]
    released: dict[str, list[str]]
    returned: list[str]
    ended_before: int = 0
    running: int = 0
    plies: int = 0

    @property
    def copies(self) -> int:
        return len(self.behind) + sum(map(len, self.caught_up.values()))


def walked() -> Iterator[Game]:
    """Every game that was migrated, by a strongly consistent scan of all games."""
    from chalicelib.games import store

    with tqdm(desc="reading", unit=" games") as bar:
        for game, _ in store.walk():
            bar.update()
            if game.terms.legacy_id is not None:
                yield game


def standing(games: Iterator[Game]) -> Standing:
    """Sort games by what has become of them."""
    found = Standing([], {}, {}, [])
    for game in games:
        _sort(found, game)
    return found


def _sort(found: Standing, game: Game) -> None:
    swap, pause = swap_of(game), last_pause(game)
    if is_copy(game) and pause is not None and is_caught_up(game):
        found.caught_up.setdefault(pause.at_ms, []).append(game.id)
    elif is_copy(game) and pause is not None and swap and pause.key.startswith("back"):
        found.returned.append(game.id)
    elif is_copy(game):
        found.behind.append(game.id)
    elif not swap:
        found.ended_before += 1
    else:
        found.released.setdefault(swap, []).append(game.id)
        found.running += not game.is_over
        found.plies += plies_since_swap(game)
