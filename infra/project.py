"""Where things lie in a checkout."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
MERGE_TEMPLATE: Final = ROOT / "infra" / "aws" / "template.yaml"

WORK: Final = ROOT / ".zeitnot"
"""All that is generated: the build cache, the state of the local stack, the package for AWS. Ignored by git."""

BUILD: Final = WORK / "build"
