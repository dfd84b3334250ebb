"""The watch in DynamoDB: one item."""

from __future__ import annotations

from typing import Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from chalicelib.core.database import Conflict, Table, update
from chalicelib.core.settings import settings
from chalicelib.watch.model import Heartbeat, Silence, Watch

_SCAN: Final = "scan"


class WatchItem(Model):
    class Meta(Table):
        table_name = settings().watch_table

    id = UnicodeAttribute(hash_key=True)
    real_ms = NumberAttribute(null=True)
    game_ms = NumberAttribute(null=True)
    silence_id = UnicodeAttribute(null=True)
    silence_from_ms = NumberAttribute(null=True)


def load() -> Watch:
    """The watch as it stands, by a strongly consistent read."""
    try:
        return _watch(WatchItem.get(_SCAN, consistent_read=True))
    except WatchItem.DoesNotExist:
        return Watch()


def _watch(item: WatchItem) -> Watch:
    values = item.attribute_values
    heartbeat = Heartbeat(int(values["real_ms"]), int(values["game_ms"])) if "real_ms" in values else None
    silence = Silence(values["silence_id"], int(values["silence_from_ms"])) if "silence_id" in values else None
    return Watch(heartbeat, silence)


def beat(real_ms: int, game_ms: int) -> Silence | None:
    """Note that a scan runs, unless a silence waits to be settled, which is returned. A heartbeat never goes back."""
    item = WatchItem(_SCAN)
    is_newer = WatchItem.real_ms.does_not_exist() | (WatchItem.real_ms < real_ms)
    try:
        update(
            item,
            [WatchItem.real_ms.set(real_ms), WatchItem.game_ms.set(game_ms)],
            WatchItem.silence_id.does_not_exist() & is_newer,
        )
    except Conflict as conflict:
        return _watch(conflict.current).silence if isinstance(conflict.current, WatchItem) else None
    return None


def note(silence: Silence) -> None:
    """Keep a silence that was found; the first one noted stands until it is settled."""
    item = WatchItem(_SCAN)
    try:
        update(
            item,
            [WatchItem.silence_id.set(silence.id), WatchItem.silence_from_ms.set(silence.from_ms)],
            WatchItem.silence_id.does_not_exist() & (WatchItem.game_ms == silence.from_ms),
        )
    except Conflict:
        return


def settled(silence: Silence, real_ms: int, game_ms: int) -> bool:
    """The silence has been taken out of every clock, scans may flag again; false if another one stands meanwhile."""
    item = WatchItem(_SCAN)
    actions = [
        WatchItem.silence_id.remove(),
        WatchItem.silence_from_ms.remove(),
        WatchItem.real_ms.set(real_ms),
        WatchItem.game_ms.set(game_ms),
    ]
    try:
        update(item, actions, WatchItem.silence_id == silence.id)
    except Conflict as conflict:
        return isinstance(conflict.current, WatchItem) and conflict.current.silence_id is None
    return True
