"""boto3 clients of the engine, as its root user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.local.engine import environment_for

if TYPE_CHECKING:
    import boto3


def client(service: str, endpoint: str | None) -> Any:
    """A client for `service` at `endpoint`; None goes where the environment leads (moto catches that too).

    Annotate what you get: `dynamodb: DynamoDBClient = client("dynamodb", endpoint)`.
    """
    return _session().client(service, endpoint_url=endpoint)  # type: ignore[call-overload]


def _session() -> boto3.Session:
    import boto3

    names = environment_for("")
    return boto3.Session(names["AWS_ACCESS_KEY_ID"], names["AWS_SECRET_ACCESS_KEY"], region_name=names["AWS_REGION"])
