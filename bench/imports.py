"""CPU of importing the app in a fresh interpreter, compiled files present."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Final

from infra.project import ROOT

ROUNDS: Final = 7
LATE: Final = (
    "chess",
    "jwt",
    "cryptography",
    "aws_lambda_powertools",
    "openskill",
    "boto3",
    "chalicelib.reference.german",
)
_SPENT: Final = "import resource; r = resource.getrusage(resource.RUSAGE_SELF); print(r.ru_utime + r.ru_stime)"


def cpu_ms(statement: str) -> int:
    """Least CPU of several fresh interpreters that run a statement, their own start included."""

    def once() -> float:
        run = [sys.executable, "-c", f"{statement}\n{_SPENT}"]
        return float(subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout)

    return round(min(once() for _ in range(ROUNDS)) * 1000)


def measure() -> dict[str, Any]:
    loaded = f"import app, sys; print([name for name in {LATE!r} if name in sys.modules])"
    late = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    bare = cpu_ms("pass")
    return {
        "interpreter alone, ms": bare,
        "chalice, ms": cpu_ms("import chalice.app") - bare,
        "chalice and PynamoDB, ms": cpu_ms("import chalice.app, pynamodb.models") - bare,
        "the whole app, ms (budget 230)": cpu_ms("import app") - bare,
        "loaded at import though meant for first use": late.strip(),
    }
