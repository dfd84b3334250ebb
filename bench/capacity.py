"""What the requests of this process cost, as the database says, whichever store sends them."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

from botocore.client import BaseClient


class Spent:
    """Requests by operation, and write and read units by table; those of indexes are part of their table's."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.written: Counter[str] = Counter()
        self.read: Counter[str] = Counter()

    @property
    def write_units(self) -> float:
        return self.written.total()

    @property
    def read_units(self) -> float:
        return self.read.total()

    def take(self, operation: str, answer: dict[str, Any]) -> None:
        self.requests[operation] += 1
        consumed = answer.get("ConsumedCapacity", [])
        for one in consumed if isinstance(consumed, list) else [consumed]:
            kind = self.written if "Write" in operation or operation in _WRITES else self.read
            kind[one["TableName"].partition("-")[2]] += one["CapacityUnits"]


_WRITES = ("PutItem", "UpdateItem", "DeleteItem")


@contextlib.contextmanager
def counted() -> Iterator[Spent]:
    """Count what this process sends meanwhile to any service, and let DynamoDB say what it costs."""
    spent = Spent()
    call = BaseClient._make_api_call  # type: ignore[attr-defined]

    def counting(client: Any, operation: str, arguments: dict[str, Any]) -> Any:
        is_dynamodb = client.meta.service_model.service_name == "dynamodb"
        asked = {"ReturnConsumedCapacity": "TOTAL"} if is_dynamodb and operation != "DescribeTable" else {}
        answer = call(client, operation, {**arguments, **asked})
        spent.take(operation, answer)
        return answer

    with patch.object(BaseClient, "_make_api_call", counting):
        yield spent
