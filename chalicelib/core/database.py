"""DynamoDB through PynamoDB: what every store shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from botocore.exceptions import ClientError
from pynamodb.attributes import NumberAttribute
from pynamodb.connection import base as connections
from pynamodb.constants import ALL_OLD, UPDATE_ITEM
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model

from chalicelib.core.aws import session
from chalicelib.core.settings import settings

# PynamoDB would make a session for every model, and offers no other way to hand it one.
connections.get_session = session  # type: ignore[attr-defined, assignment]

Item = TypeVar("Item", bound=Model)


class Table:
    """What the tables have in common. A lost connection is given up well before the gateway gives up on us."""

    region = settings().region
    connect_timeout_seconds = 1
    read_timeout_seconds = 3


class Contention(Exception):
    """A transaction on the same item is under way; nothing was written."""


class Conflict(Exception):
    """A conditional write found another state; `current` is the item as stored, None if there is none."""

    def __init__(self, current: Model | None) -> None:
        super().__init__("the stored item does not meet the condition")
        self.current = current


class NonNegative(NumberAttribute):
    """A number that is never negative: the source's CHECK (remaining_time_ms >= 0), at the store."""

    def serialize(self, value: Any) -> Any:
        if value < 0:
            raise ValueError(f"{self.attr_name} must not be negative, not {value}")
        return super().serialize(value)  # type: ignore[no-untyped-call]


def update(item: Model, actions: Sequence[Action], condition: Condition) -> None:
    """One conditional UpdateItem; raises Conflict with the item as stored, or Contention.

    PynamoDB drops the old item of a failed condition, so the call goes one level lower, on the same session: the
    answer to "did my write get through?" then costs no second request, be it a rival's write or our own that
    botocore sent twice.
    """
    connection = type(item)._get_connection()
    arguments = item.get_update_kwargs_from_instance(
        list(actions), condition, return_values_on_condition_failure=ALL_OLD
    )
    try:
        connection.connection.dispatch(UPDATE_ITEM, arguments)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "TransactionConflictException":
            raise Contention from error
        if code != "ConditionalCheckFailedException":
            raise
        raise Conflict(_stored(type(item), error)) from error


def _stored(model: type[Item], error: ClientError) -> Item | None:
    original: Any = error.__cause__
    raw = original.response.get("Item")
    return model.from_raw_data(raw) if raw else None
