"""List rows: the way from a player to games. Written at the creation and at the end of a game, never by a move."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct
from pynamodb.attributes import UnicodeAttribute
from pynamodb.models import Model

from chalicelib.core.database import Table
from chalicelib.core.settings import settings
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

    An aborted game loses its rows, an ended one moves to the place of its end.
    """
    if game.result is None:
        return
    running = running_entry(game.id)
    players = {player for player in (game.white, game.black) if player}
    if game.invitation is not None:
        players |= {player for player in (game.invitation.challenger, game.invitation.opponent) if player}
    with PlayerGameItem.batch_write() as batch:
        for player in sorted(players):
            batch.delete(PlayerGameItem(player, running))
            if game.status(game.result.at_ms) == "finished":
                batch.save(PlayerGameItem(player, f"{_ENDED}{game.result.at_ms:015d}#{game.id}"))
        batch.delete(PlayerGameItem(LOBBY, running))
