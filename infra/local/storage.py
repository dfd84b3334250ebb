"""Tables, buckets and queues straight from the template that is deployed: tests have no schema of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

from infra.local.client import client
from infra.project import MERGE_TEMPLATE

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_s3 import S3Client
    from types_boto3_sqs import SQSClient

STACK: Final = "zeitnot"

_ACCOUNT: Final = "000000000000"

# Properties that describe how a table is kept, and that CreateTable does not take.
_UPKEEP: Final = frozenset({"PointInTimeRecoverySpecification", "TimeToLiveSpecification"})


def create_tables(endpoint: str | None, stack: str = STACK) -> dict[str, str]:
    """Create the template's tables on `endpoint` (None: wherever the environment leads, e.g. to moto).

    Returns the variables by which functions find them: {"GAMES_TABLE": "zeitnot-games", ...}. Another name of the
    `stack` gives another set of tables on the same engine, so that tests need not share one.
    """
    dynamodb: DynamoDBClient = client("dynamodb", endpoint)
    names = {}
    for logical, properties in _resources("AWS::DynamoDB::Table"):
        arguments = {key: value for key, value in properties.items() if key not in _UPKEEP}
        arguments["TableName"] = names[logical] = _name(properties["TableName"], stack)
        if "StreamSpecification" in arguments:
            arguments["StreamSpecification"] = {"StreamEnabled": True, **arguments["StreamSpecification"]}
        dynamodb.create_table(**arguments)
    for name in names.values():
        dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    return _variables(names)


def create_queues(endpoint: str | None, stack: str = STACK) -> dict[str, str]:
    """Create the template's queues, without redrive; returns e.g. {"TIMERS_QUEUE_URL": "http://..."}."""
    sqs: SQSClient = client("sqs", endpoint)
    return _variables(
        {
            logical: sqs.create_queue(
                QueueName=_name(properties["QueueName"], stack),
                Attributes={"FifoQueue": "true"} if properties.get("FifoQueue") else {},
            )["QueueUrl"]
            for logical, properties in _resources("AWS::SQS::Queue")
        }
    )


def create_buckets(endpoint: str | None, stack: str = STACK) -> dict[str, str]:
    """Create the template's buckets; returns e.g. {"RATINGS_BUCKET": "zeitnot-ratings-000000000000"}."""
    s3: S3Client = client("s3", endpoint)
    names = {}
    for logical, properties in _resources("AWS::S3::Bucket"):
        names[logical] = _name(properties["BucketName"], stack)
        s3.create_bucket(Bucket=names[logical])
    return _variables(names)


def merge_template() -> dict[str, Any]:
    """The hand-written half of the template."""
    template: dict[str, Any] = yaml.safe_load(MERGE_TEMPLATE.read_text())
    return template


def _resources(kind: str) -> list[tuple[str, dict[str, Any]]]:
    resources = merge_template()["Resources"]
    return [(logical, r["Properties"]) for logical, r in resources.items() if r.get("Type") == kind]


def _name(value: dict[str, str], stack: str) -> str:
    return value["Fn::Sub"].replace("${AWS::StackName}", stack).replace("${AWS::AccountId}", _ACCOUNT)


def _variables(physical: dict[str, str]) -> dict[str, str]:
    """What the functions' variables `{Ref: Logical}` become when the resources have these names."""
    variables = merge_template()["Globals"]["Function"]["Environment"]["Variables"]
    return {name: physical[value["Ref"]] for name, value in variables.items() if value["Ref"] in physical}
