"""`run`: the whole system, from the sources to a few lines that play a game."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chalicelib.core.time import TimeSource, real_ms
from infra.aws.build import BuildFailed
from infra.aws.package import package_for_this_machine
from infra.local import functions
from infra.local.deploy import DeploymentFailed, deploy
from infra.local.door import JWKS_PATH, front_door, serve
from infra.local.engine import (
    HIGHEST_PORT,
    HOST,
    Engine,
    EngineFailed,
    PortRefused,
    free_port,
    listening,
    listening_on,
    retire_orphan,
)
from infra.local.home import DEFAULT_PORT, AlreadyRunning, Home, add_home
from infra.local.issuer import AUDIENCE, ISSUER, Issuer
from infra.local.settle import settle
from infra.local.stack import RunningStack
from infra.local.virtual_time import as_parameters, in_words, kept_in, of_parameters
from infra.local.walkthrough import walkthrough
from infra.project import ROOT

if TYPE_CHECKING:
    from infra.local import Commands

_ENGINE_PORT: Final = 4566
_HIGHEST_SPEED: Final = 1_000_000
_WATCH_SECONDS: Final = 0.5
_REPLAY_BUDGET_MS: Final = 2_000  # the engine has one batch of a FIFO queue worked on at a time: others wait no longer
_DRAIN_SECONDS: Final = 0.5

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the command line asks for; without a port, the usual one or the next that is free."""

    home: Home
    port: int | None
    speed: float
    seeds: bool


def register(commands: Commands) -> None:
    parser = commands.add_parser("run", help="start the whole system and keep it running")
    parser.add_argument(
        "--port", type=_port, help=f"of the front door (default: {DEFAULT_PORT}, or the next free one if it is taken)"
    )
    parser.add_argument("--speed", type=_speed, default=1, help="virtual seconds per real second (default: 1)")
    parser.add_argument("--no-seed", action="store_true", help="do not load the example games into a new state")
    add_home(parser)
    parser.set_defaults(handle=_run)


def _port(text: str) -> int:
    return int(_number(text, int, HIGHEST_PORT))


def _speed(text: str) -> float:
    return _number(text, float, _HIGHEST_SPEED)


def _number(text: str, kind: Callable[[str], float], highest: int) -> float:
    """The number that `text` is, from 1 to `highest`; a clear refusal of anything else, NaN included."""
    with contextlib.suppress(ValueError):
        if 1 <= (number := kind(text)) <= highest:
            return number
    raise argparse.ArgumentTypeError(f"{text!r} is no {'whole ' * (kind is int)}number from 1 to {highest}")


def _run(arguments: argparse.Namespace) -> int:
    home = Home(arguments.home.resolve())
    try:
        with home.claimed():
            asyncio.run(_until_told_to_stop(Wish(home, arguments.port, arguments.speed, not arguments.no_seed)))
    except AlreadyRunning:
        facts = home.recorded() or {}
        print(
            f"Zeitnot runs already: {facts.get('url', 'still starting')} (pid {facts.get('pid', 'unknown')}). "
            "`make stop` ends it.",
            file=sys.stderr,
        )
        return 1
    except PortRefused as refused:
        print(f"The front door has no port: {refused}.", file=sys.stderr)
        return 1
    except (BuildFailed, DeploymentFailed, EngineFailed) as failure:
        print(f"\n{failure}", file=sys.stderr)
        return 1
    return 0


async def _until_told_to_stop(wish: Wish) -> None:
    told = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, told.set)
    run = asyncio.create_task(_stay_up(wish))
    order = asyncio.create_task(told.wait())
    await asyncio.wait({run, order}, return_when=asyncio.FIRST_COMPLETED)
    if told.is_set():
        _say("stopping ...")
        run.cancel()
    order.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await run


async def _stay_up(wish: Wish) -> None:
    """Bring everything up and watch over it; being cancelled is the way to take it down in order."""
    started = time.monotonic()
    home = wish.home
    home.record(pid=os.getpid())
    async with AsyncExitStack() as closing:
        listener = closing.enter_context(listening_on(wish.port) if wish.port else listening(DEFAULT_PORT))
        if not home.virtual_time.exists():
            _say("First start: builds and deploys the package, plays the example games (a minute or so) ...")
        engine = await _engine(home, closing)
        time_source = kept_in(home.virtual_time, wish.speed)
        stack = await _deployed(home, engine, time_source, listener)
        api = f"{engine.endpoint}/_aws/execute-api/{stack.outputs['RestAPIId']}/api"
        door = await serve(front_door(api, Issuer(home.issuer_key), ROOT / "web"), listener)
        closing.push_async_callback(door.cleanup)

        facts = _facts(stack, engine)
        home.record(**facts)
        await _make_ready(stack, api, wish)
        home.record(**facts, ready=True)
        rest = asyncio.create_task(functions.warm_the_rest(stack, api))
        closing.callback(rest.cancel)

        if time_source.speed > 1:
            schedule = asyncio.create_task(functions.drive_schedule(stack))
            closing.callback(schedule.cancel)
        _announce(stack, _port_of(listener), wish, time.monotonic() - started)
        while not engine.has_died:
            await asyncio.sleep(_WATCH_SECONDS)
        raise EngineFailed("The engine died: what was written since this start is lost. Start again with `make run`.")


async def _engine(home: Home, closing: AsyncExitStack) -> Engine:
    """An engine that is starting; nobody waits for it yet, because building the package takes longer."""
    await asyncio.to_thread(retire_orphan, home.engine)
    last = int(home.engine_port.read_text()) if home.engine_port.exists() else _ENGINE_PORT
    engine = Engine(home.engine, free_port(last), enforce_iam=True)
    home.engine_port.write_text(str(engine.port))
    engine.start()

    async def save() -> None:
        if not engine.has_died:
            # The door is closed by now; the engine forgets changes that no consumer of a stream has seen.
            await asyncio.sleep(_DRAIN_SECONDS)
            await _step("state saved", engine.stop)

    closing.push_async_callback(save)
    return engine


async def _deployed(home: Home, engine: Engine, time_source: TimeSource, listener: socket.socket) -> RunningStack:
    package = await _step("package", package_for_this_machine)
    # Takes as long as the engine takes to start, and is needed next.
    await asyncio.to_thread(importlib.import_module, "boto3")
    await _step("engine", engine.wait_until_ready)
    url = f"http://{HOST}:{_port_of(listener)}"
    parameters = {
        "JwtIssuer": ISSUER,
        "JwtAudience": AUDIENCE,
        "JwtJwksUrl": url + JWKS_PATH,
        "PublicUrl": url,
        "ReplayBudgetMs": str(_REPLAY_BUDGET_MS),
        **as_parameters(time_source),
    }
    outputs = await _step("template", lambda: deploy(engine.endpoint, package, parameters))
    return RunningStack(home, url, engine.endpoint, outputs, parameters, time_source.speed)


async def _make_ready(stack: RunningStack, api: str, wish: Wish) -> None:
    """Settle the gap since the last run before anything may flag a game; then scan, and seed a new state."""
    await asyncio.gather(_watched_over(stack), _warm(api))
    if wish.seeds and not stack.home.seeded.exists() and await _command("seed", stack):
        stack.home.seeded.touch()


async def _warm(api: str) -> None:
    started = time.monotonic()
    await functions.warm_api(api)
    _say("API", started)


async def _watched_over(stack: RunningStack) -> None:
    try:
        await _step("settle", lambda: settle(stack))
    except Exception:
        # Scans and players find the silence unsettled: nobody is flagged, all else goes on.
        traceback.print_exc()
    try:
        await _step("first scan", lambda: functions.scan(stack))
    except functions.FunctionFailed as failure:
        print(failure, file=sys.stderr)


async def _command(name: str, stack: RunningStack) -> bool:
    """Run another command of this package in a process of its own; whether it succeeded."""
    started = time.monotonic()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "infra.local", name),
        cwd=ROOT,
        env={**os.environ, "ZEITNOT_HOME": str(stack.home.folder)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    _say(name, started)
    if process.returncode:
        print(output.decode(errors="replace"), file=sys.stderr)
    return process.returncode == 0


async def _step(name: str, work: Callable[[], _Result]) -> _Result:
    started = time.monotonic()
    result = await asyncio.to_thread(work)
    _say(name, started)
    return result


def _port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _facts(stack: RunningStack, engine: Engine) -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "engine_pid": engine.pid,
        "url": stack.url,
        "endpoint": stack.endpoint,
        "speed": stack.speed,
        "outputs": stack.outputs,
        "parameters": stack.parameters,
    }


def _announce(stack: RunningStack, port: int, wish: Wish, seconds: float) -> None:
    if port != (wish.port or DEFAULT_PORT):
        print(f"Port {DEFAULT_PORT} is taken; this run has {port}.")
    print(
        f"""
Zeitnot is ready after {seconds:.1f} s. Ctrl-C stops it and saves; a killed engine (kill -9, power cut) loses what was
written since this start.

  API       {stack.url}/v1/time
  Tokens    {stack.url}/token
  Engine    {stack.endpoint}

Game time: {in_words(of_parameters(stack.parameters), real_ms())}

Two players, one challenge, one move:

{walkthrough(stack.url)}""",
        flush=True,
    )


def _say(what: str, since: float | None = None) -> None:
    print(what if since is None else f"{what:<12} {time.monotonic() - since:6.1f} s", flush=True)
