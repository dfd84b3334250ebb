"""Commands lead the code of slices to the running stack, so none of that code may have read its settings before."""

import subprocess
import sys

import pytest

from infra.project import ROOT

_LOAD = """
import sys
from infra import commands
from chalicelib.core.settings import settings
package = __import__(sys.argv[1], fromlist=["commands"])
commands._modules(package, [])
sys.exit(settings.cache_info().currsize)
"""


@pytest.mark.parametrize("package", ["infra.admin", "infra.local", "infra.migrate"])
def test_loading_all_commands_reads_no_settings(package: str) -> None:
    loaded = subprocess.run([sys.executable, "-c", _LOAD, package], cwd=ROOT, check=False)

    assert loaded.returncode == 0
