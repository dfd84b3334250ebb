"""The botocore session from which every client of AWS is made."""

from __future__ import annotations

import threading

from botocore.session import Session

_of_thread = threading.local()


def session() -> Session:
    """The session of this thread.

    What it has read of botocore's data, all its clients use: a session for each of five clients costs four times the
    CPU. Threads do not share one, since making a client is not safe on a session that another thread is using.
    """
    found: Session | None = getattr(_of_thread, "session", None)
    if found is None:
        found = _of_thread.session = Session()
    return found
