"""DynamoDB requests and write units per move, over a game of 80 plies."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, Final

import botocore.session

from bench.games import PLIES, Table, app_on_engine, moves

KIB: Final = 1024
INDEX_KEY_CHANGED: Final = 2
"""An index entry whose key changes is deleted and put: a unit each, since entries are far below 1 KB."""


def item_bytes(item: dict[str, Any]) -> int:
    """Size of an item as DynamoDB counts it: names and values, numbers by their significant digits."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: dict[str, Any]) -> int:
    kind, content = next(iter(value.items()))
    if kind == "S":
        return len(content.encode())
    if kind == "N":
        digits = content.lstrip("-").replace(".", "").strip("0")
        return math.ceil(len(digits) / 2) + 1
    if kind == "B":
        return len(content)
    raise ValueError(f"no such attribute in a game: {kind}")


def measure(plies: int = PLIES) -> dict[str, Any]:
    with app_on_engine() as (client, issuer, engine):
        table = Table(client, issuer, "writes")
        reader = botocore.session.get_session().create_client(
            "dynamodb", region_name="us-east-1", endpoint_url=engine.endpoint
        )
        from chalicelib.games.item import GameItem

        requests: Counter[str] = Counter()
        pynamo = GameItem._get_connection().connection.client
        pynamo.meta.events.register("before-call.dynamodb", lambda model, **_: requests.update([model.name]))
        units, sizes = [], []
        before = _item(reader, table.game)
        for ply, move in enumerate(moves(plies)):
            table.move(ply, move)
            after = _item(reader, table.game)
            size = max(item_bytes(before), item_bytes(after))
            key_changed = (before["shard"], before["deadline_ms"]) != (after["shard"], after["deadline_ms"])
            units.append(math.ceil(size / KIB) + INDEX_KEY_CHANGED * key_changed)
            sizes.append(size)
            before = after
    return {
        "plies": len(units),
        "reads per move (budget 1)": requests["GetItem"] / len(units),
        "writes per move (budget 1)": requests["UpdateItem"] / len(units),
        "other requests": sum(requests.values()) - requests["GetItem"] - requests["UpdateItem"],
        "write units per move, mean (budget 4)": round(sum(units) / len(units), 3),
        "write units per move, most": max(units),
        "item bytes, first ply and last": f"{sizes[0]} {sizes[-1]}",
    }


def _item(reader: Any, game: str) -> dict[str, Any]:
    item: dict[str, Any] = reader.get_item(TableName="zeitnot-games", Key={"id": {"S": game}}, ConsistentRead=True)[
        "Item"
    ]
    return item
