"""The contents of the Lambda zip: dependencies, slimmed and compiled, and the code of the app.

Chalice's own zip has no bytecode, so that every cold start compiles what it imports, and botocore's descriptions of
several hundred services, which the runtime unpacks and never reads. Both cost more than the app itself.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from infra.aws.build import forget_old, keep, run, workplace
from infra.aws.installed import copy_installed
from infra.project import BUILD, ROOT

BOTOCORE_SERVICES: Final = frozenset({"dynamodb", "s3", "sqs"})
"""Services whose description stays in the zip: those that `chalicelib` calls. A client of another one raises
`UnknownServiceError` in Lambda, so it has to be named here first."""

UNUSED: Final = (
    "aws_lambda_powertools/event_handler",
    "aws_lambda_powertools/utilities/auth_alpha",
    "aws_lambda_powertools/utilities/circuit_breaker",
    "aws_lambda_powertools/utilities/data_masking",
    "aws_lambda_powertools/utilities/feature_flags",
    "aws_lambda_powertools/utilities/idempotency",
    "aws_lambda_powertools/utilities/kafka",
    "aws_lambda_powertools/utilities/parameters",
    "aws_lambda_powertools/utilities/parser",
    "aws_lambda_powertools/utilities/streaming",
    "aws_lambda_powertools/utilities/validation",
)
"""Parts of libraries that stay out of the zip: every file costs at a cold start, and `chalicelib` imports none of
these. A quarter of all files of the zip."""

_ZIP_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def digest_of(paths: Iterable[Path], *salts: str) -> str:
    """A short name for the contents of `paths` (files, or folders with everything below) and for `salts`."""
    digest = hashlib.sha256("\0".join(salts).encode())
    for path in paths:
        for file in _files(path) if path.is_dir() else [path]:
            digest.update(str(file.relative_to(ROOT)).encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def this_platform() -> str:
    """Names the interpreter and processor for which wheels are chosen, e.g. "3.11-linux-x86_64"."""
    return f"{sys.version_info.major}.{sys.version_info.minor}-{sys.platform}-{platform.machine()}"


def local_dependencies() -> Path:
    """The folder with the runtime requirements for this very machine; built once for each state of requirements.txt.

    The local engine runs Lambda workers with the interpreter of this machine, on whatever processor it has, so the
    wheels for Lambda's platform would not do.
    """
    requirements = ROOT / "requirements.txt"
    folder = BUILD / f"dependencies-{digest_of([requirements], this_platform(), *sorted(BOTOCORE_SERVICES), *UNUSED)}"
    if not folder.exists():
        with workplace() as work:
            copy_installed(requirements, work / "dependencies")
            slim(work / "dependencies")
            compile_all(work / "dependencies")
            keep(work / "dependencies", folder)
        forget_old("dependencies-*")
    return folder


def slim(folder: Path) -> None:
    """Remove what no Lambda of ours reads from a folder of installed packages."""
    for part in ("bin", *UNUSED):
        shutil.rmtree(folder / part, ignore_errors=True)
    for service in (folder / "botocore" / "data").iterdir():
        if service.is_dir() and service.name not in BOTOCORE_SERVICES:
            shutil.rmtree(service)


def compile_all(folder: Path) -> None:
    """Add bytecode that Python takes without looking at the source again: a zip has no dates that it could compare."""
    options = ["-q", "-j", "0", "--invalidation-mode", "unchecked-hash", "-s", str(folder)]
    run([sys.executable, "-m", "compileall", *options, str(folder)])


def write_zip(target: Path, *folders: Path, compression: int = zipfile.ZIP_DEFLATED) -> None:
    """Write the union of `folders`; the same contents always give the same bytes."""
    unfinished = target.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", compression) as archive:
        for folder in folders:
            for file in _files(folder, with_bytecode=True):
                entry = zipfile.ZipInfo(str(file.relative_to(folder)), _ZIP_EPOCH)
                entry.compress_type = compression
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, file.read_bytes())
    unfinished.rename(target)


def _files(folder: Path, *, with_bytecode: bool = False) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and (with_bytecode or file.suffix != ".pyc"):
            yield file
