"""What AWS hands to the event functions: records of the stream, messages of the timers' queue."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from chalicelib.games.item import GameItem

Image = dict[str, dict[str, Any]]


def image(game: str) -> Image:
    """The item of a game as a record of the stream shows it: DynamoDB JSON, binary attributes as base64 text."""
    connection = GameItem._get_connection()
    raw = connection.connection.client.get_item(
        TableName=connection.table_name, Key={"id": {"S": game}}, ConsistentRead=True
    )["Item"]
    return {
        name: {"B": base64.b64encode(value["B"]).decode()} if "B" in value else value for name, value in raw.items()
    }


def stream(images: Sequence[Image]) -> dict[str, Any]:
    """A batch of the stream, one record for each image."""
    return {
        "Records": [
            {
                "eventID": str(number),
                "eventName": "MODIFY",
                "eventVersion": "1.1",
                "eventSource": "aws:dynamodb",
                "awsRegion": "us-east-1",
                "eventSourceARN": "arn:aws:dynamodb:us-east-1:000000000000:table/games/stream/1",
                "dynamodb": {
                    "Keys": {"id": shown.get("id")},
                    "NewImage": shown,
                    "SequenceNumber": str(number),
                    "SizeBytes": 1,
                    "ApproximateCreationDateTime": 0,
                    "StreamViewType": "NEW_AND_OLD_IMAGES",
                },
            }
            for number, shown in enumerate(images)
        ]
    }


def messages(bodies: Sequence[str]) -> dict[str, Any]:
    """A batch of the queue; the messages are called "0", "1" and so on."""
    return {
        "Records": [
            {
                "messageId": str(number),
                "receiptHandle": "handle",
                "body": body,
                "attributes": {},
                "messageAttributes": {},
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:timers",
                "awsRegion": "us-east-1",
            }
            for number, body in enumerate(bodies)
        ]
    }


MINUTE_SCHEDULE: dict[str, Any] = {
    "version": "0",
    "id": "1",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "000000000000",
    "time": "2026-03-01T00:00:00Z",
    "region": "us-east-1",
    "resources": [],
    "detail": {},
}
"""What the schedule sends every minute."""


def timer(game: str, due_ms: int) -> str:
    """The message that the scan sends for a game."""
    return json.dumps({"game": game, "due_ms": due_ms})
