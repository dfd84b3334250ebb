"""CPU of a move in the handler, with the database answering from memory at the wire."""

from __future__ import annotations

import base64
import io
import json
import time
import zlib
from http import HTTPStatus
from typing import Any, Final

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

from bench.games import PLIES, Table, app_on_engine, moves

GAMES: Final = 5


class _Raw(io.BytesIO):
    def stream(self, amt: int = 2**16, decode_content: bool | None = None) -> Any:
        yield self.read()


class MemoryTable:
    """Answers GetItem and UpdateItem of one game as the database would: what was written last is read next."""

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}
        self.inside = 0.0

    def __call__(self, request: Any, **_: Any) -> AWSResponse:
        started = time.process_time()
        body = json.loads(request.body)
        operation = request.headers["X-Amz-Target"].decode().rpartition(".")[2]
        answer = {"Item": self.item} if operation == "GetItem" else self._update(body)
        raw = json.dumps(answer).encode()
        headers = {"x-amz-crc32": str(zlib.crc32(raw)), "content-type": "application/x-amz-json-1.0"}
        self.inside += time.process_time() - started
        return AWSResponse(request.url, 200, HTTPHeaders.from_dict(headers), _Raw(raw))

    def _update(self, body: dict[str, Any]) -> dict[str, Any]:
        names, values = body["ExpressionAttributeNames"], body.get("ExpressionAttributeValues", {})
        expression = body["UpdateExpression"]
        sets, _, removes = expression.partition("REMOVE")
        for part in filter(None, sets.replace("SET", "").strip().split(", ")):
            name, _, value = part.partition(" = ")
            self.item[names[name.strip()]] = values[value.strip()]
        for part in filter(None, removes.strip().split(", ")):
            self.item.pop(names[part.strip()], None)
        return {}


def _event(table: Table, ply: int, move: str) -> dict[str, Any]:
    """A move as API Gateway hands it to the function."""
    token = table.tokens[ply % 2]
    return {
        "requestContext": {"resourcePath": "/v1/games/{game_id}/moves", "httpMethod": "POST", "identity": {}},
        "pathParameters": {"game_id": table.game},
        "headers": {"authorization": f"Bearer {token}", "content-type": "application/json"},
        "multiValueQueryStringParameters": None,
        "stageVariables": None,
        "isBase64Encoded": False,
        "body": json.dumps({"ply": ply, "move": move}),
    }


def measure(games: int = GAMES) -> dict[str, Any]:
    with app_on_engine() as (client, issuer, _):
        from chalicelib.games.item import GameItem, item_of
        from chalicelib.games.store import load

        tables = [Table(client, issuer, f"cpu{number}") for number in range(games + 1)]
        stored = [item_of(load(table.game)).serialize() for table in tables]
        memory = MemoryTable()
        pynamo = GameItem._get_connection().connection.client
        pynamo.meta.events.register("before-send.dynamodb", memory)  # type: ignore[arg-type]
        script = moves(PLIES)
        per_ply: list[float] = []
        for number, (table, item) in enumerate(zip(tables, stored, strict=True)):
            memory.item = json.loads(json.dumps(item, default=lambda raw: base64.b64encode(raw).decode()))
            for ply, move in enumerate(script):
                event = _event(table, ply, move)
                memory.inside, started = 0.0, time.process_time()
                answer = client._app(event, None)
                spent = time.process_time() - started - memory.inside
                if answer["statusCode"] != HTTPStatus.OK:
                    raise RuntimeError(answer["body"])
                per_ply += [spent] if number else []
    per_ply.sort()
    return {
        "moves": len(per_ply),
        "CPU per move, mean, ms (budget 1.5)": round(sum(per_ply) / len(per_ply) * 1000, 3),
        "CPU per move, median, ms": round(per_ply[len(per_ply) // 2] * 1000, 3),
        "includes": "routing, token (cached), PynamoDB, botocore, referee, clock, log line",
    }
