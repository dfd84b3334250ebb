"""The served API against its own OpenAPI document, with requests made up from it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.games.conftest import Hand

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
SETTINGS = "[phases.coverage]\nunexpected-methods = []\n"
"""Methods that the document does not name are answered by the gateway, which is not there in this test."""


def test_every_answer_is_one_that_the_document_describes(
    address: str, door: Callable[..., Hand], tmp_path: Path
) -> None:
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    token = door("schema", scope="read play record").token
    run = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{address}/v1/openapi.json"),
            *("--header", f"Authorization: Bearer {token}"),
            *("--checks", CHECKS, "--phases", "examples,coverage,fuzzing", "--max-examples", "6"),
            *("--seed", "1", "--workers", "1", "--generation-database", "none"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-2_000:]
