"""Calling the deployed functions directly: to warm them up, and to drive the schedule faster than once a minute."""

from __future__ import annotations

import asyncio
import json
import sys
import time
import urllib.request
from collections.abc import Awaitable, Iterable, Mapping
from typing import Any, Final

from infra.local.engine import REGION
from infra.local.stack import RunningStack

WARM_API_WORKERS: Final = 3
"""Requests that find a warm worker at once, after the start; more come up when they are needed, in half a second."""

MINUTE: Final = 60.0
HOUR: Final = 3_600.0
_SHORTEST_INTERVAL: Final = 0.25

_SCHEDULED_EVENT: Final[Mapping[str, Any]] = {
    "version": "0",
    "id": "00000000-0000-0000-0000-000000000000",
    "detail-type": "Scheduled Event",
    "source": "aws.events",
    "account": "000000000000",
    "region": REGION,
    "resources": [],
    "detail": {},
}


class FunctionFailed(Exception):
    """A function raised; the message is what it raised."""


def invoke(stack: RunningStack, output: str, event: Mapping[str, Any]) -> Any:
    """Call the function whose name is in the output `output`, and wait for its result."""
    answer = stack.client("lambda").invoke(FunctionName=stack.outputs[output], Payload=json.dumps(event).encode())
    result = json.load(answer["Payload"])
    if "FunctionError" in answer:
        raise FunctionFailed(f"{output}: {result.get('errorType')}: {result.get('errorMessage')}")
    return result


def scan(stack: RunningStack) -> Any:
    """What the schedule does every minute for games."""
    return on_schedule(stack, "FlagfallFunction")


async def warm_api(api: str) -> None:
    """Start a worker of the API, and be back when it answers."""
    await _warmed([_ask_the_time(api)])


async def warm_the_rest(stack: RunningStack, api: str) -> None:
    """Start workers for everything else that a player's first move sets going.

    One function after the other: it shares the machine with the first players, and the engine ends only when all calls
    have.
    """
    for output in ("FanOutFunction", "TimerFunction", "RecomputeFunction"):
        await _warmed([asyncio.to_thread(invoke, stack, output, {"Records": []})])
    await _warmed(_ask_the_time(api) for _ in range(WARM_API_WORKERS))


def _ask_the_time(api: str) -> Awaitable[None]:
    def ask() -> None:
        with urllib.request.urlopen(f"{api}/v1/time", timeout=MINUTE) as answer:
            answer.read()

    return asyncio.to_thread(ask)


async def _warmed(calls: Iterable[Awaitable[Any]]) -> None:
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        if isinstance(outcome, BaseException):
            print(f"warm-up: {outcome}", file=sys.stderr)


async def drive_schedule(stack: RunningStack) -> None:
    """Scan in every minute of virtual time, and look for decay runs in every hour, but neither more than four times a
    second. Never returns."""
    await asyncio.gather(_every(stack, MINUTE, "FlagfallFunction"), _every(stack, HOUR, "DecayFunction"))


async def _every(stack: RunningStack, virtual_seconds: float, output: str) -> None:
    interval = max(virtual_seconds / stack.speed, _SHORTEST_INTERVAL)
    complaint = ""
    while True:
        started = time.monotonic()
        try:
            await asyncio.to_thread(on_schedule, stack, output)
            complaint = ""
        except FunctionFailed as failure:
            if str(failure) != complaint:
                complaint = str(failure)
                print(complaint, file=sys.stderr)
        await asyncio.sleep(max(0.0, interval - (time.monotonic() - started)))


def on_schedule(stack: RunningStack, output: str) -> Any:
    """Call a function as its schedule does."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return invoke(stack, output, {**_SCHEDULED_EVENT, "time": now})
