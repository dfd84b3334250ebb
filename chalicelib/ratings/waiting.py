"""Which waiting changes a pass takes in, and in which order it lets go of them afterwards.

Of one result, an edit must never be applied after a later one has been applied and forgotten. Edits of a result are
committed in the order of their versions, but a query reads its pages one after the other, and a worker may die while it
deletes. Two rules keep the order: a pass looks twice, and earlier versions are deleted first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from chalicelib.ratings.model import Change


def taken(first_look: Collection[Change], second_look: Collection[Change]) -> tuple[Change, ...]:
    """The changes of two complete looks that a pass takes in.

    What the second look does not show any more was let go meanwhile by a worker that had applied it, and with it
    perhaps a later edit of the same result that the first look came too late for. Whatever came before it in the same
    result was let go earlier still, even if the second look was there in time to see that. What only the second shows
    comes in if it is an earlier edit of a result that is taken: it was passed over because it lay on an earlier page.

    >>> from chalicelib.ratings.model import Edit
    >>> first, second = Change("b", (Edit("r", 1),)), Change("a", (Edit("r", 2),))
    >>> [change.id for change in taken([second], [second, first])], taken([first], [])
    (['a', 'b'], ())
    """
    seen = {change.id for change in first_look}
    standing = {change.id for change in second_look}
    gone = _versions((change for change in first_look if change.id not in standing), max)
    chosen = [change for change in second_look if change.id in seen and not _any_before(change, gone)]
    others = [change for change in second_look if change.id not in seen]
    while True:
        newest = _versions(chosen, max)
        earlier = [change for change in others if _any_before(change, newest)]
        if not earlier:
            return tuple(chosen)
        chosen += earlier
        others = [change for change in others if change not in earlier]


def in_waves(changes: Iterable[Change]) -> tuple[tuple[str, ...], ...]:
    """The ids of changes in groups, to be deleted one group after the other: of one result, the earlier edits first.
    Reloads are last: as long as one waits, everything is read anew.

    >>> from chalicelib.ratings.model import Edit
    >>> in_waves([Change("a", (Edit("r", 2),)), Change("b", (Edit("r", 1), Edit("s", 1))), Change("c")])
    (('b', 'c'), ('a',))
    """
    everything = list(changes)
    left = [change for change in everything if not change.reload]
    waves: list[tuple[str, ...]] = []
    while left:
        oldest = _versions(left, min)
        wave = [c for c in left if all(edit.version == oldest[edit.result_id] for edit in c.edits)]
        if not wave:
            raise ValueError(f"changes {[change.id for change in left]} name each other's results in opposite order")
        waves.append(tuple(change.id for change in wave))
        gone = set(waves[-1])
        left = [change for change in left if change.id not in gone]
    reloads = tuple(change.id for change in everything if change.reload)
    return (*waves, reloads) if reloads else tuple(waves)


def _any_before(change: Change, versions: Mapping[str, int]) -> bool:
    """Whether any edit of a change is earlier than the version of its result in `versions`."""
    return any(edit.version < versions.get(edit.result_id, 0) for edit in change.edits)


def _versions(changes: Iterable[Change], choose: Callable[[int, int], int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for change in changes:
        for edit in change.edits:
            found[edit.result_id] = choose(found.get(edit.result_id, edit.version), edit.version)
    return found
