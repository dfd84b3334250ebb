"""Working through many things, of which one may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec import Struct

from chalicelib.core.logging import log

Thing = TypeVar("Thing")


class Tally(Struct, frozen=True):
    """How many things something was done for, and how many failed."""

    done: int = 0
    failed: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.done + other.done, self.failed + other.failed)


def each(things: Iterable[Thing], work: Callable[[Thing], int]) -> Tally:
    """Work on every thing; `work` says how much was done (True is one). One that fails is logged and stops no other.

    If the source of things itself fails, that counts as one failure, and what came before it is done.

    >>> each([4, 2], lambda number: number > 3)
    Tally(done=1, failed=0)
    >>> each([4, 2], lambda number: number)
    Tally(done=6, failed=0)
    """
    tally = Tally()
    source = iter(things)
    while True:
        try:
            thing = next(source)
        except StopIteration:
            return tally
        except Exception:
            log().exception("the source failed")
            return tally + Tally(failed=1)
        try:
            tally += Tally(done=int(work(thing)))
        except Exception:
            log().exception("one of many failed", extra={"thing": repr(thing)[:100]})
            tally += Tally(failed=1)
