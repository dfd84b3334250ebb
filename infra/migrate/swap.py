"""`swap`: the games run here from now on. What passed since the freeze is charged to nobody.

A maintenance window is open while the games are released one after the other, so it does not matter which came first:
every clock runs on from the end of the window, with exactly what it had left at the freeze. May be killed anywhere and
run again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

from tqdm import tqdm

from chalicelib.migration.takeover import REASON, SWAPPED, is_copy
from infra.migrate.acting import WHY, done_to_all, operator
from infra.migrate.source import in_words, lead_to_store
from infra.migrate.standing import Standing, standing, walked

if TYPE_CHECKING:
    from chalicelib.desk.windows import Record
    from infra.local import Commands

_POLL_SECONDS: Final = 0.2
_NAMED: Final = 20


class NotReady(Exception):
    """The games cannot be released; the message says why."""


def register(commands: Commands) -> None:
    parser = commands.add_parser("swap", help="release all games at once; the freeze is charged to nobody")
    parser.set_defaults(handle=_swap)


def _swap(_: argparse.Namespace) -> int:
    lead_to_store()
    try:
        print(swap())
    except NotReady as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def swap() -> str:
    """Release all copies, in words. Raises NotReady."""
    found = standing(walked())
    key = _key(found)
    record = _opened(key)
    released = _release([*found.caught_up.values()], key)
    record = _closed(record)
    count = sum(map(len, found.released.values())) + released
    return (
        f"{count} games run here, {released} of them released now. The clocks run since "
        f"{in_words(record.until_ms or 0)}; {record.work.shifted if record.work else 0} were moved for the window."
    )


def _key(found: Standing) -> str:
    """The key of the swap: it follows from the freeze, so a swap that is run again is the same. Raises NotReady."""
    behind = [*found.behind, *found.returned]
    if behind:
        some = ", ".join(behind[:_NAMED])
        raise NotReady(f"{len(behind)} copies have not caught up since the freeze; run `delta` first: {some}")
    if len(found.caught_up) > 1:
        freezes = ", ".join(f"{len(ids)} at {in_words(at_ms)}" for at_ms, ids in sorted(found.caught_up.items()))
        raise NotReady(f"The copies have caught up with different freezes; run `delta` for all of them: {freezes}")
    if found.caught_up:
        return f"{SWAPPED}-{next(iter(found.caught_up))}"
    if found.released:
        return max(found.released, key=lambda key: int(key.rpartition("-")[2]))
    raise NotReady("There are no copies to release; run `backfill` and `delta` first.")


def _opened(key: str) -> Record:
    """The window of this swap, once it has begun."""
    from chalicelib.core.settings import settings
    from chalicelib.desk import closing

    try:
        record = closing.open_window(operator(), key, WHY, None, settings().time.now_ms())
    except closing.WindowStands as stands:
        raise NotReady(f"The maintenance window {stands} is open, or not settled; close it first.") from stands
    while settings().time.now_ms() < record.from_ms:
        sleep(_POLL_SECONDS)
    return record


def _release(copies: list[list[str]], key: str) -> int:
    from chalicelib.games.commands import Resume

    ids = [game_id for some in copies for game_id in some]
    faults = list(done_to_all(ids, "resume", Resume(reason=REASON, key=key), is_copy))
    if faults:
        listed = "\n".join(faults[:_NAMED])
        raise NotReady(f"{len(faults)} games could not be released; the window stays open. Run again.\n{listed}")
    return len(ids)


def _closed(record: Record) -> Record:
    """Close the window and take it out of every clock; players play meanwhile."""
    from chalicelib.core.settings import settings
    from chalicelib.core.time import real_ms
    from chalicelib.desk import closing

    record = closing.close(operator(), record.id, settings().time.now_ms())
    while record.settled_ms is None and real_ms() < record.work_from_ms:
        sleep(_POLL_SECONDS)
    with tqdm(desc="window", unit=" games") as bar:
        while record.settled_ms is None:
            record = closing.work_on(record, _a_while())
            if record.work is not None:
                bar.total, bar.n = record.work.total, record.work.done
                bar.refresh()
            if record.work is not None and record.work.place is None and record.work.failed:
                failing = ", ".join(record.work.failing)
                raise NotReady(f"{record.work.failed} clocks could not be moved for the window; run again: {failing}")
    return record


def _a_while() -> Callable[[], bool]:
    """Says when it is time to show how far the work has come."""
    until = monotonic() + 1
    return lambda: monotonic() > until
