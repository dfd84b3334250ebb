"""Steps of the build, and how they fail."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from infra.project import BUILD

_KEPT: Final = 3


class BuildFailed(Exception):
    """A step of the build failed; the message says which, and what it printed."""


def run(command: list[str], **where: Any) -> None:
    """Run a step in silence; raises BuildFailed with its output if it fails."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **where)
    if done.returncode:
        raise BuildFailed(f"{' '.join(command)}\n{done.stdout}")


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """A scratch folder beside what is built, so that `keep` is one rename."""
    BUILD.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILD) as scratch:
        yield Path(scratch)


def keep(finished: Path, folder: Path) -> None:
    """Move a finished folder to its place. Another process may have been faster: the same name, the same contents."""
    try:
        finished.rename(folder)
    except OSError:
        if not folder.exists():
            raise


def forget_old(pattern: str) -> None:
    """Remove what was built under names like `pattern`, but for the newest: another process may be using one."""
    by_age = sorted(BUILD.glob(pattern), key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in by_age[_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
