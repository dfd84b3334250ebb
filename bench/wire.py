"""What the stores of this process send to DynamoDB, counted at the wire."""

from __future__ import annotations

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import botocore.session

from bench.units import Item, read_units


class Meter:
    """Requests of this process to DynamoDB by (operation, table), and what its reads and writes cost.

    Read units follow from the items that came back. `written` are the write units that the database itself reported,
    split into table and index.
    """

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        self.read_units: defaultdict[str, float] = defaultdict(float)
        self.written: list[tuple[float, float]] = []

    def of(self, operation: str) -> int:
        """Requests of one kind, to all tables."""
        return sum(count for (name, _), count in self.requests.items() if name == operation)

    def ask(self, params: dict[str, Any], **_: Any) -> None:
        params["ReturnConsumedCapacity"] = "INDEXES"

    def send(self, model: Any, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["asked"] = json.loads(params["body"])
        self.requests[model.name, _table(context["asked"])] += 1

    def take(self, model: Any, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        consistent = bool(context["asked"].get("ConsistentRead", False))
        if model.name == "GetItem":
            self.read_units[model.name] += read_units([parsed.get("Item", {})], consistent=consistent)
        elif model.name == "Query":
            self.read_units[model.name] += read_units(parsed.get("Items", []), consistent=consistent)
        elif model.name == "UpdateItem" and "ConsumedCapacity" in parsed:
            consumed = parsed["ConsumedCapacity"]
            indexes = consumed.get("GlobalSecondaryIndexes", {}).values()
            self.written.append((consumed["Table"]["CapacityUnits"], sum(index["CapacityUnits"] for index in indexes)))


def _table(body: dict[str, Any]) -> str:
    tables = [body["TableName"]] if "TableName" in body else list(body.get("RequestItems", {}))
    return " ".join(table.removeprefix("zeitnot-") for table in tables) or "several"


@contextlib.contextmanager
def metered() -> Iterator[Meter]:
    """Count what the stores of this process send to DynamoDB meanwhile."""
    from chalicelib.desk.ledger import WindowItem
    from chalicelib.games.item import GameItem
    from chalicelib.games.pairings import PairingItem
    from chalicelib.games.rows import PlayerGameItem
    from chalicelib.watch.store import WatchItem

    meter = Meter()
    hooks: dict[str, Any] = {
        "provide-client-params.dynamodb": meter.ask,
        "before-call.dynamodb": meter.send,
        "after-call.dynamodb": meter.take,
    }
    models = (GameItem, PlayerGameItem, PairingItem, WatchItem, WindowItem)
    emitters = [model._get_connection().connection.client.meta.events for model in models]
    for emitter in emitters:
        for name, hook in hooks.items():
            emitter.register(name, hook)
    try:
        yield meter
    finally:
        for emitter in emitters:
            for name, hook in hooks.items():
                emitter.unregister(name, hook)


def reader(endpoint: str, table: str) -> Callable[[str], Item]:
    """A function from the id of a game to its item, on a client of its own, so that nobody counts it."""
    client: Any = botocore.session.get_session().create_client("dynamodb", endpoint_url=endpoint)

    def read(game: str) -> Item:
        item: Item = client.get_item(TableName=table, Key={"id": {"S": game}}, ConsistentRead=True)["Item"]
        return item

    return read
