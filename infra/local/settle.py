"""`settle`: take a silence of the watch out of every clock, so that games may be ended on time again.

Nobody is flagged while the scan has been silent for more than ten minutes, because an outage must not cost players
time. In the cloud an operator settles the gap; `run` does it here by itself.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from chalicelib.core.signing import Admin
    from chalicelib.desk.windows import Record
    from infra.local import Commands

_POLL_SECONDS: Final = 1.0


def register(commands: Commands) -> None:
    parser = commands.add_parser("settle", help="take a gap in the heartbeat out of all clocks")
    parser.set_defaults(handle=_settle)


def _settle(_: argparse.Namespace) -> int:
    """Other processes serve players: the end is announced, which takes most of a minute."""
    _lead_to(RunningStack.find())
    from chalicelib.desk import closing

    print(_settled(closing.close))
    return 0


def settle(stack: RunningStack) -> str:
    """Before anybody is served: go on with windows that were closed, then take the silence out of all clocks, if there
    is one; returns what was done, in words.

    Leads this process to the stack for good, as `RunningStack.environment` says.
    """
    _lead_to(stack)
    from chalicelib.desk import closing

    return _settled(closing.close_at_rest)


def _lead_to(stack: RunningStack) -> None:
    os.environ.update(stack.environment())


def _settled(close: Callable[[Admin, str, int], Record]) -> str:
    from chalicelib.core.settings import settings
    from chalicelib.desk import closing
    from chalicelib.watch.watching import silence_now

    records = [_waited_for(record) for record in closing.unsettled()]
    # One that has begun since another was closed comes up when that is settled.
    while silence := silence_now():
        records.append(_waited_for(close(_operator(), silence.id, settings().time.now_ms())))
    return "\n".join(_in_words(record) for record in records) or "The scan has not been silent; nothing to settle."


def _operator() -> Admin:
    """Whoever can give commands on this machine needs no key."""
    from chalicelib.core.signing import Admin

    return Admin("infra.local", "infra.local settle", "operator", frozenset(), "")


def _waited_for(record: Record) -> Record:
    from chalicelib.core.time import real_ms
    from chalicelib.desk import closing

    while real_ms() < record.work_from_ms:
        time.sleep(_POLL_SECONDS)
    return closing.settle(record)


def _in_words(record: Record) -> str:
    length_ms = (record.until_ms or 0) - record.from_ms
    return f"{length_ms} ms taken out of {record.work.shifted if record.work else 0} running games."
