"""`settle`: take a silence of the watch out of every clock, so that games may be ended on time again.

Nobody is flagged while the scan has been silent for more than ten minutes, because an outage must not cost players
time. In the cloud an operator settles the gap; `run` does it here by itself.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from infra.local.stack import RunningStack

if TYPE_CHECKING:
    from infra.local import Commands


def register(commands: Commands) -> None:
    parser = commands.add_parser("settle", help="take a gap in the heartbeat out of all clocks")
    parser.set_defaults(handle=_settle)


def _settle(_: argparse.Namespace) -> int:
    print(settle(RunningStack.find()))
    return 0


def settle(stack: RunningStack) -> str:
    """Take the silence out of all clocks, if there is one; returns what was done, in words.

    Leads this process to the stack for good, as `RunningStack.environment` says.
    """
    os.environ.update(stack.environment())
    from chalicelib.core.settings import settings
    from chalicelib.games.flagfall import settle_silence
    from chalicelib.watch.watching import silence_now

    silence = silence_now()
    if silence is None:
        return "The scan has not been silent; nothing to settle."
    now_ms = settings().time.now_ms()
    count = settle_silence(silence, now_ms)
    return f"{now_ms - silence.from_ms} ms taken out of {count} running games."
