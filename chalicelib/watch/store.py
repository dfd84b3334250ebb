"""The watch in DynamoDB: one item, so that all of it is known by one read."""

from __future__ import annotations

from typing import Any, Final

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.update import Action
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Conflict, Table, update
from chalicelib.core.settings import settings
from chalicelib.watch.model import Heartbeat, Watch, Window

_SCAN: Final = "scan"


class WatchItem(Model):
    class Meta(Table):
        table_name = settings().watch_table

    id = UnicodeAttribute(hash_key=True)
    real_ms = NumberAttribute(null=True)
    game_ms = NumberAttribute(null=True)
    silence_id = UnicodeAttribute(null=True)
    silence_from_ms = NumberAttribute(null=True)
    silence_until_ms = NumberAttribute(null=True)
    window_id = UnicodeAttribute(null=True)
    window_from_ms = NumberAttribute(null=True)
    window_until_ms = NumberAttribute(null=True)


def load() -> Watch:
    """The watch as it stands, by a strongly consistent read."""
    try:
        return _watch(WatchItem.get(_SCAN, consistent_read=True))
    except WatchItem.DoesNotExist:
        return Watch()


def _watch(item: WatchItem) -> Watch:
    values = item.attribute_values
    heartbeat = Heartbeat(int(values["real_ms"]), int(values["game_ms"])) if "real_ms" in values else None
    return Watch(heartbeat, _window(values, "silence"), _window(values, "window"))


def _window(values: dict[str, Any], name: str) -> Window | None:
    if f"{name}_id" not in values:
        return None
    until_ms = values.get(f"{name}_until_ms")
    return Window(values[f"{name}_id"], int(values[f"{name}_from_ms"]), None if until_ms is None else int(until_ms))


def beat(heartbeat: Heartbeat) -> Window | None:
    """Note that a scan runs, unless a silence waits for its end, which is returned. A heartbeat never goes back."""
    item = WatchItem(_SCAN)
    is_newer = WatchItem.real_ms.does_not_exist() | (WatchItem.real_ms < heartbeat.real_ms)
    has_end = WatchItem.silence_id.does_not_exist() | WatchItem.silence_until_ms.exists()
    try:
        update(item, _beating(heartbeat), has_end & is_newer)
    except Conflict as conflict:
        return _watch(conflict.current).silence if isinstance(conflict.current, WatchItem) else None
    return None


def _beating(heartbeat: Heartbeat) -> list[Action]:
    return [WatchItem.real_ms.set(heartbeat.real_ms), WatchItem.game_ms.set(heartbeat.game_ms)]


def note(silence: Window) -> None:
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


def open_window(transaction: TransactWrite, window: Window) -> None:
    """A window is announced, on condition that there is no other, be it settled or not."""
    actions: list[Action] = [WatchItem.window_id.set(window.id), WatchItem.window_from_ms.set(window.from_ms)]
    transaction.update(WatchItem(_SCAN), actions=actions, condition=WatchItem.window_id.does_not_exist())


def end_window(transaction: TransactWrite, window: Window, until_ms: int, scanned: Heartbeat | None) -> None:
    """The end of a window is announced, on condition that it stands and has none; `scanned` replaces the heartbeat."""
    actions: list[Action] = [WatchItem.window_until_ms.set(until_ms), *(_beating(scanned) if scanned else [])]
    condition = (WatchItem.window_id == window.id) & WatchItem.window_until_ms.does_not_exist()
    transaction.update(WatchItem(_SCAN), actions=actions, condition=condition)


def end_silence(transaction: TransactWrite, silence: Window, until_ms: int, scanned: Heartbeat) -> None:
    """The end of a silence is announced, on condition that it stands and has none; the next one counts from it."""
    actions: list[Action] = [WatchItem.silence_until_ms.set(until_ms), *_beating(scanned)]
    condition = (WatchItem.silence_id == silence.id) & WatchItem.silence_until_ms.does_not_exist()
    transaction.update(WatchItem(_SCAN), actions=actions, condition=condition)


def window_settled(transaction: TransactWrite, window: Window) -> None:
    """The window has been taken out of every clock."""
    actions: list[Action] = [
        WatchItem.window_id.remove(),
        WatchItem.window_from_ms.remove(),
        WatchItem.window_until_ms.remove(),
    ]
    transaction.update(WatchItem(_SCAN), actions=actions, condition=WatchItem.window_id == window.id)


def silence_settled(transaction: TransactWrite, silence: Window) -> None:
    """The silence has been taken out of every clock."""
    actions: list[Action] = [
        WatchItem.silence_id.remove(),
        WatchItem.silence_from_ms.remove(),
        WatchItem.silence_until_ms.remove(),
    ]
    transaction.update(WatchItem(_SCAN), actions=actions, condition=WatchItem.silence_id == silence.id)
