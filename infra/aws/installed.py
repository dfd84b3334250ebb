"""The runtime requirements as they are installed here: they need no second download, and fit this machine."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from infra.aws.build import BuildFailed


def copy_installed(requirements: Path, target: Path) -> None:
    """Copy the distributions that `requirements` names, and those they need, to the folder `target`, without bytecode.

    Raises BuildFailed if one is missing or has another version.
    """
    for found in closure(_named(requirements)):
        for file in found.files or ():
            # Scripts lie outside of the packages' folder; Lambda calls none.
            if ".." not in file.parts and file.suffix != ".pyc":
                copy = target / file
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), copy)


def closure(wanted: Iterable[Requirement]) -> Iterator[Distribution]:
    """Every distribution that is needed, once. Raises BuildFailed."""
    todo = list(wanted)
    seen: set[tuple[str, frozenset[str]]] = set()
    given: set[str] = set()
    while todo:
        requirement = todo.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        found = _installed(requirement)
        todo += [need for need in map(Requirement, found.requires or ()) if _applies(need, extras)]
        if name not in given:
            given.add(name)
            yield found


def _named(requirements: Path) -> Iterator[Requirement]:
    for line in requirements.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield Requirement(line)


def _installed(requirement: Requirement) -> Distribution:
    try:
        found = distribution(requirement.name)
    except PackageNotFoundError as missing:
        raise BuildFailed(f"{requirement} is not installed: run `make venv`") from missing
    if not requirement.specifier.contains(found.version, prereleases=True):
        raise BuildFailed(f"{requirement} is required, {found.version} is installed: run `make venv`")
    return found


def _applies(need: Requirement, extras: frozenset[str]) -> bool:
    if need.marker is None:
        return True
    return any(need.marker.evaluate({"extra": extra}) for extra in extras | {""})
