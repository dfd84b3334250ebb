"""The zip: same contents, same bytes; complete without anything that is installed around it."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from infra.aws.build import BuildFailed, run
from infra.aws.bundle import BOTOCORE_SERVICES, UNUSED, compile_all, slim, write_zip
from infra.aws.installed import closure
from infra.aws.package import package_for_this_machine
from infra.project import ROOT

IMPORT_EVERY_HANDLER = """
import importlib, sys
sys.path.insert(0, sys.argv[1])
for handler in sys.argv[2:]:
    module, name = handler.rsplit(".", 1)
    assert callable(getattr(importlib.import_module(module), name)), handler
outside = [
    module.__file__
    for module in list(sys.modules.values())
    if "site-packages" in (getattr(module, "__file__", None) or "")
]
assert not outside, outside
"""


def test_the_same_contents_make_the_same_zip(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = tmp_path / name
        (folder / "package").mkdir(parents=True)
        (folder / "package" / "module.py").write_text("X = 1\n")
        os.utime(folder / "package" / "module.py", (hash(name) % 10**9, 1))
        compile_all(folder)
        write_zip(tmp_path / f"{name}.zip", folder)

    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_bytecode_is_used_without_a_look_at_the_source(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("X = 1\n")
    compile_all(tmp_path)

    source.write_text("X = 2\n")

    command = [sys.executable, "-c", "import module; print(module.X)"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout == b"1\n"


def test_slim_keeps_what_is_called_and_the_loader_s_own_data(tmp_path: Path) -> None:
    data = tmp_path / "botocore" / "data"
    for service in ("dynamodb", "ec2"):
        (data / service).mkdir(parents=True)
    (data / "partitions.json").touch()

    slim(tmp_path)

    assert {path.name for path in data.iterdir()} == {"dynamodb", "partitions.json"}


@pytest.mark.parametrize("part", UNUSED)
def test_what_stays_out_of_the_zip_is_imported_nowhere(part: str) -> None:
    """Also not inside of functions, where an import would fail in Lambda only."""
    module = part.replace("/", ".")

    assert importlib.util.find_spec(module), f"{module} does not exist any more"
    sources = [ROOT / "app.py", *(ROOT / "chalicelib").rglob("*.py")]
    assert [str(path) for path in sources if module in path.read_text()] == []


def test_requirements_bring_what_they_need_and_nothing_else() -> None:
    names = [found.name.lower() for found in closure([Requirement("PyJWT[crypto]"), Requirement("pynamodb")])]

    assert {"pyjwt", "cryptography", "cffi", "pynamodb", "botocore", "urllib3"} <= set(names)
    assert set(names).isdisjoint({"chalice", "pip", "pytest", "moto"})
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("requirement", "complaint"), [("no-such-thing==1", "is not installed"), ("chess==0.1", "0.1 is required, 1.")]
)
def test_an_environment_that_is_not_up_to_date_builds_nothing(requirement: str, complaint: str) -> None:
    with pytest.raises(BuildFailed, match=complaint):
        list(closure([Requirement(requirement)]))


def test_a_failed_step_says_what_it_printed() -> None:
    with pytest.raises(BuildFailed, match="no luck"):
        run([sys.executable, "-c", "raise SystemExit('no luck')"])


class TestPackage:
    def test_is_built_once(self) -> None:
        first = package_for_this_machine()
        built = first.zip_path.stat().st_mtime_ns

        again = package_for_this_machine()

        assert (again.name, again.zip_path.stat().st_mtime_ns) == (first.name, built)

    def test_imports_from_itself_alone(self, tmp_path: Path) -> None:
        """A requirement missing in requirements.txt shows here: the local engine's own packages would hide it."""
        package = package_for_this_machine()
        with zipfile.ZipFile(package.zip_path) as archive:
            archive.extractall(tmp_path)
        functions = [r for r in package.template["Resources"].values() if r["Type"] == "AWS::Serverless::Function"]

        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", IMPORT_EVERY_HANDLER, str(tmp_path)]
            + [function["Properties"]["Handler"] for function in functions],
            env={"AWS_DEFAULT_REGION": "us-east-1"},
            check=False,
            capture_output=True,
            text=True,
        )

        assert done.returncode == 0, done.stderr

    def test_holds_every_module_and_its_bytecode(self) -> None:
        with zipfile.ZipFile(package_for_this_machine().zip_path) as archive:
            names = set(archive.namelist())

        sources = {str(path.relative_to(ROOT)) for path in (ROOT / "chalicelib").rglob("*.py")} | {"app.py"}
        assert sources <= names
        tag = sys.implementation.cache_tag
        for source in map(Path, sources):
            assert str(source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc") in names

    def test_describes_only_the_services_that_are_called(self) -> None:
        with zipfile.ZipFile(package_for_this_machine().zip_path) as archive:
            described = {name.split("/")[2] for name in archive.namelist() if name.startswith("botocore/data/")}

        assert {name for name in described if "." not in name} == BOTOCORE_SERVICES
