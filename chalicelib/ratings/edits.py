"""What an edit of a result means for each partition it touches, and how edits that wait together become one."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from chalicelib.ratings.model import Edit, Partition, Place, Played


class Rated(Struct, frozen=True):
    """A version of a result that rates, and where. A version that does not rate (excluded, deleted) is None."""

    partitions: tuple[Partition, ...]
    played: Played


def edits_between(result_id: str, version: int, old: Rated | None, new: Rated | None) -> dict[Partition, Edit]:
    """What the step from one version of a result to `version` means: the partitions of both, each with its edit.

    Nothing if the versions are the same for ratings. A partition that both are in is named even if its log stays as it
    is (decision 4.1.4): the pass finds that out.
    """
    if old == new:
        return {}
    before = {partition: old.played for partition in old.partitions} if old else {}
    after = {partition: new.played for partition in new.partitions} if new else {}
    return {
        partition: Edit(
            result_id,
            version,
            clear=(before[partition].place,) if partition in before else (),
            played=after.get(partition),
        )
        for partition in before | after
    }


def normalised(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """One edit for each result: clear every place that any of its edits mentions, put in what the last of them says.

    So edits may be taken in twice, or all at once after some of them have been: the log becomes the same.

    >>> first = Edit("r", 1, played=Played(5, "r", ("anna",), ("bert",), "A"))
    >>> normalised([Edit("r", 2, clear=((5, "r"),)), first])
    (Edit(result_id='r', version=2, clear=((5, 'r'),), played=None),)
    """
    by_result: dict[str, list[Edit]] = {}
    for edit in edits:
        by_result.setdefault(edit.result_id, []).append(edit)
    return tuple(_one(some) for _, some in sorted(by_result.items()))


def on_top(games: Iterable[Played], edits: Iterable[Edit]) -> list[Played]:
    """Results in the order of their places, as normalised edits of some of them say.

    An edit that puts nothing in takes a result out only where it knows that it stood: elsewhere it has come since.

    >>> stands = Played(5, "r", ("anna",), ("bert",), "A")
    >>> [game.at_ms for game in on_top([stands], [Edit("r", 2, played=Played(7, "r", ("anna",), ("bert",), ""))])]
    [7]
    """
    by_id = {game.id: game for game in games}
    for edit in edits:
        stands = by_id.get(edit.result_id)
        if edit.played:
            by_id[edit.result_id] = edit.played
        elif stands and stands.place in edit.clear:
            del by_id[edit.result_id]
    return sorted(by_id.values(), key=lambda game: game.place)


def since(edits: Iterable[Edit]) -> Place:
    """The smallest place that any edit mentions: the log before it stays. There must be one."""
    return min(place for edit in edits for place in _mentioned(edit))


def beyond(edits: Iterable[Edit], place: Place) -> tuple[Edit, ...]:
    """What is left of edits when a replay has consumed its log up to and including `place`."""
    rest = (
        Edit(
            edit.result_id,
            edit.version,
            clear=tuple(cleared for cleared in edit.clear if cleared > place),
            played=edit.played if edit.played and edit.played.place > place else None,
        )
        for edit in normalised(edits)
    )
    return tuple(edit for edit in rest if edit.clear or edit.played)


def _one(edits: list[Edit]) -> Edit:
    last = max(edits, key=lambda edit: edit.version)
    mentioned = {place for edit in edits for place in _mentioned(edit)}
    return Edit(last.result_id, last.version, tuple(sorted(mentioned)), last.played)


def _mentioned(edit: Edit) -> tuple[Place, ...]:
    return (*edit.clear, edit.played.place) if edit.played else edit.clear
