"""List rows: the way from a player to games. Written at the creation and at the end of a game, never by a move."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from pynamodb.attributes import UnicodeAttribute
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Table
from chalicelib.core.settings import settings
from chalicelib.games.history import ends_taken_back
from chalicelib.games.model import Game

LOBBY: Final = "*lobby"
"""Stands where a player id stands, for invitations open to everybody; no player id begins with `*`."""

_RUNNING: Final = "running#"
_ENDED: Final = "ended#"
_AFTER_RUNNING: Final = "running$"
_AFTER_ENDED: Final = "ended$"


ENTRY_OF_ENDED: Final = re.compile(r"ended#[0-9]{15}#[0-9a-z]{12}")
ENTRY_OF_RUNNING: Final = re.compile(r"running#[0-9a-z]{12}")
"""What a list row may look like: a cursor is one of these, or it is none."""


class PlayerGameItem(Model):
    """A row that leads from a player to a game: `running#<id>`, or `ended#<end, 15 digits>#<id>`."""

    class Meta(Table):
        table_name = settings().player_games_table

    player = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)


def running_entry(game_id: str) -> str:
    return f"{_RUNNING}{game_id}"


class Page(Struct, frozen=True):
    """Ids of one page, and where the next begins (None: nowhere)."""

    game_ids: list[str]
    next_entry: str | None


def running_of(player: str) -> list[str]:
    """Ids of the games a player's list shows as not ended."""
    rows = PlayerGameItem.query(player, PlayerGameItem.entry.startswith(_RUNNING), consistent_read=True)
    return [row.entry.split("#", 1)[1] for row in rows]


def ended_of(player: str, limit: int, before_entry: str | None = None) -> Page:
    """A page of a player's ended games, newest end first. Rows that come in later never move a page."""
    return _page(player, (_ENDED, before_entry or _AFTER_ENDED), limit, before_entry, newest_first=True)


def open_invitations(limit: int, after_entry: str | None = None) -> Page:
    """A page of the seeks that anybody may accept."""
    return _page(LOBBY, (after_entry or _RUNNING, _AFTER_RUNNING), limit, after_entry, newest_first=False)


def _page(player: str, between: tuple[str, str], limit: int, seen: str | None, *, newest_first: bool) -> Page:
    """Rows of a player with entries from one to another, but for the last one that was `seen`."""
    wanted = PlayerGameItem.entry.between(*between)
    found = PlayerGameItem.query(player, wanted, scan_index_forward=not newest_first, limit=limit + 2)
    entries = [row.entry for row in found if row.entry != seen]
    page = entries[:limit]
    return Page([entry.rsplit("#", 1)[1] for entry in page], page[-1] if len(entries) > limit else None)


def rewrite_rows(game: Game) -> None:
    """Make the list rows of a game say what the game says; harmless when repeated.

    An aborted game loses its rows, an ended one moves to the place of its end, one whose end was taken back leaves it.
    """
    stale, entry = _entries(game)
    with PlayerGameItem.batch_write() as batch:
        for player in _listed(game):
            for old in stale:
                batch.delete(PlayerGameItem(player, old))
            if entry is not None:
                batch.save(PlayerGameItem(player, entry))
        if game.result is not None:
            batch.delete(PlayerGameItem(LOBBY, running_entry(game.id)))


def bring_back(transaction: TransactWrite, game: Game) -> None:
    """Add to the transaction that takes the end of a game back that its players' lists say so."""
    stale, entry = _entries(game)
    for player in _listed(game):
        for old in stale:
            transaction.delete(PlayerGameItem(player, old))
        if entry is not None:
            transaction.save(PlayerGameItem(player, entry))


def _entries(game: Game) -> tuple[list[str], str | None]:
    """The entries under which no list is to show the game, and the one under which it does."""
    stale = [_ended_entry(at_ms, game.id) for at_ms in ends_taken_back(game)]
    if game.result is None:
        return stale, running_entry(game.id)
    stale.append(running_entry(game.id))
    is_listed = game.status(game.result.at_ms) == "finished"
    entry = _ended_entry(game.result.at_ms, game.id) if is_listed else None
    return [old for old in stale if old != entry], entry


def _listed(game: Game) -> list[str]:
    players = {player for player in (game.white, game.black) if player}
    if game.invitation is not None:
        players |= {player for player in (game.invitation.challenger, game.invitation.opponent) if player}
    return sorted(players)


def _ended_entry(at_ms: int, game_id: str) -> str:
    return f"{_ENDED}{at_ms:015d}#{game_id}"
