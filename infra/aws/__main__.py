"""Build the package for AWS: `python -m infra.aws [--out FOLDER]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from infra.aws.build import BuildFailed
from infra.aws.package import package_for_aws
from infra.project import WORK


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.aws", description="Build the package for AWS.")
    parser.add_argument("--out", type=Path, default=WORK / "aws", help="where to write (default: .zeitnot/aws)")
    out: Path = parser.parse_args().out
    try:
        package_for_aws(out)
    except BuildFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{out / 'template.yaml'}\n{out / 'lambda.zip'}  {(out / 'lambda.zip').stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
