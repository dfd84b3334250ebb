"""A database of one game that answers from memory, at the wire. Loads nothing that the app would not load itself."""

from __future__ import annotations

import io
import json
import time
import zlib
from collections.abc import Iterator
from typing import Any, Final

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

_DYNAMODB_JSON: Final = "application/x-amz-json-1.0"


class MemoryTable:
    """Answers for a database that holds one game: what was written last is read next, queries find nothing.

    `inside` is the CPU spent here, in seconds: a part of the measured time that is not the app's. `requests` are all
    but those for the watch, which come every few seconds and not with a move.
    """

    def __init__(self) -> None:
        self.item: dict[str, Any] = {}
        self.inside = 0.0
        self.requests = 0

    def answer(self, request: AWSPreparedRequest) -> AWSResponse:
        started = time.process_time()
        body = json.loads(request.body or b"")  # type: ignore[arg-type]
        target = request.headers["X-Amz-Target"]
        operation = (target.decode() if isinstance(target, bytes) else target).rpartition(".")[2]
        is_watch = str(body.get("TableName", "")).endswith("-watch")
        raw = json.dumps({} if is_watch else self._content(operation, body)).encode()
        headers = {"x-amz-crc32": str(zlib.crc32(raw)), "content-type": _DYNAMODB_JSON, "content-length": str(len(raw))}
        response = AWSResponse(str(request.url), 200, headers, _Raw(raw))  # type: ignore[arg-type]
        self.requests += not is_watch
        self.inside += time.process_time() - started
        return response

    def _content(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        if operation == "GetItem":
            return {"Item": self.item} if self.item else {}
        if operation == "Query":
            return {"Items": [], "Count": 0, "ScannedCount": 0}
        if operation == "UpdateItem":
            self._update(body)
            return {}
        if operation == "TransactWriteItems":
            puts = [act["Put"]["Item"] for act in body["TransactItems"] if "Put" in act]
            (self.item,) = (item for item in puts if "id" in item)
            return {}
        raise ValueError(f"this database cannot answer {operation}: the app asks more than the bench knows")

    def _update(self, body: dict[str, Any]) -> None:
        names, values = body["ExpressionAttributeNames"], body.get("ExpressionAttributeValues", {})
        sets, _, removals = body["UpdateExpression"].partition("REMOVE")
        for assignment in filter(None, sets.replace("SET", "").strip().split(", ")):
            name, _, value = assignment.partition(" = ")
            self.item[names[name.strip()]] = values[value.strip()]
        for name in filter(None, removals.strip().split(", ")):
            self.item.pop(names[name.strip()], None)


class _Raw(io.BytesIO):
    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield self.read()


def answer_from(table: MemoryTable) -> None:
    """From now on every request of this process to AWS is made and signed, but not sent: `table` answers."""

    def send(_: URLLib3Session, request: AWSPreparedRequest) -> AWSResponse:
        return table.answer(request)

    URLLib3Session.send = send  # type: ignore[method-assign, assignment]
