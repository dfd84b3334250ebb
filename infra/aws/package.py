"""From the sources to a template and a zip that can be deployed."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from infra.aws.build import forget_old, keep, run, workplace
from infra.aws.bundle import compile_all, digest_of, local_dependencies, slim, this_platform, write_zip
from infra.project import BUILD, MERGE_TEMPLATE, ROOT

APP_SOURCES: Final = ("app.py", "chalicelib", ".chalice/config.json")


@dataclass(frozen=True, slots=True)
class Package:
    """A template (SAM, as rendered by Chalice and merged) and the zip that its functions run.

    `name` identifies the contents: two packages with the same name are the same.
    """

    name: str
    template: dict[str, Any]
    zip_path: Path


def package_for_this_machine() -> Package:
    """The package whose wheels fit the interpreter at hand; built again only if a source changed."""
    while not (folder := BUILD / f"package-{(name := _digest())}").exists():
        with _workplace() as work:
            (work / "project" / "requirements.txt").touch()
            chalice_zip, template = _chalice_package(work)
            code = _unpacked(chalice_zip, work / "code")
            compile_all(code)
            # Stored, not compressed: the engine unpacks it at each cold start, on the same disk.
            write_zip(work / "lambda.zip", local_dependencies(), code, compression=zipfile.ZIP_STORED)
            if _digest() == name:  # an editor may have saved a source in between
                _keep(work, template, folder)
        forget_old("package-*")
    return Package(name, yaml.safe_load((folder / "template.yaml").read_text()), folder / "lambda.zip")


def package_for_aws(out: Path) -> None:
    """Write `template.yaml` and `lambda.zip` for Lambda's platform (x86_64, this version of Python) to `out`.

    Chalice fetches the wheels. Deploy with `aws cloudformation package` and `deploy`, see the README.
    """
    with _workplace() as work:
        shutil.copy(ROOT / "requirements.txt", work / "project")
        chalice_zip, template = _chalice_package(work)
        code = _unpacked(chalice_zip, work / "code")
        slim(code)
        compile_all(code)
        write_zip(work / "lambda.zip", code)
        shutil.rmtree(out, ignore_errors=True)
        _keep(work, template.replace("./deployment.zip", "./lambda.zip"), out)


def _digest() -> str:
    policies = sorted((ROOT / ".chalice").glob("policy-*.json"))
    sources = [*(ROOT / source for source in APP_SOURCES), *policies, ROOT / "requirements.txt", ROOT / "infra" / "aws"]
    return digest_of(sources, this_platform())


@contextmanager
def _workplace() -> Iterator[Path]:
    """A scratch folder with `project` in it, a copy of what Chalice needs to see: no tests, no tools."""
    with workplace() as work:
        project = work / "project"
        project.mkdir()
        shutil.copy(ROOT / "app.py", project)
        shutil.copytree(ROOT / "chalicelib", project / "chalicelib", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / ".chalice", project / ".chalice", ignore=shutil.ignore_patterns("deployments"))
        yield work


def _chalice_package(work: Path) -> tuple[Path, str]:
    """Run `chalice package` on the project; returns the zip and the template as YAML text."""
    chalice, out = Path(sys.executable).with_name("chalice"), work / "out"
    # Chalice builds its AWS client before it looks at what to do; the region never reaches the template.
    run(
        [str(chalice), "package", "--merge-template", str(MERGE_TEMPLATE), str(out)],
        cwd=work / "project",
        env={**os.environ, "AWS_DEFAULT_REGION": "us-east-1"},
    )
    return out / "deployment.zip", (out / "sam.yaml").read_text()


def _unpacked(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as source:
        source.extractall(folder)
    return folder


def _keep(work: Path, template: str, folder: Path) -> None:
    finished = work / "package"
    finished.mkdir()
    (finished / "template.yaml").write_text(template)
    shutil.move(work / "lambda.zip", finished)
    keep(finished, folder)
