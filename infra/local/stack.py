"""The running stack, as other commands and tests see it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local.client import client
from infra.local.engine import environment_for
from infra.local.home import Home
from infra.local.issuer import DEFAULT_SCOPE, Issuer
from infra.project import WORK


class NotRunning(Exception):
    """There is no stack to talk to."""


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Addresses and keys of a stack that is ready.

    `url` is the front door ("http://127.0.0.1:8000"), `endpoint` the engine, `outputs` and `parameters` those of the
    deployed template, `speed` virtual ms per real ms.
    """

    home: Home
    url: str
    endpoint: str
    outputs: dict[str, str]
    parameters: dict[str, str]
    speed: float

    @staticmethod
    def find(folder: Path | None = None) -> RunningStack:
        """The stack that runs in `folder` (default: ZEITNOT_HOME, then .zeitnot). Raises NotRunning."""
        home = Home(folder or Path(os.environ.get("ZEITNOT_HOME", WORK)))
        facts = home.recorded()
        if facts is None or "outputs" not in facts:
            raise NotRunning("Zeitnot does not run: start it with `make run`.")
        known = {key: facts[key] for key in ("url", "endpoint", "outputs", "parameters", "speed")}
        return RunningStack(home, **known)

    def token(self, player: str, scope: str = DEFAULT_SCOPE) -> str:
        """A bearer token for `player`, as POST /token gives it."""
        return Issuer(self.home.issuer_key).token(player, scope)

    def environment(self) -> dict[str, str]:
        """The variables of the deployed functions, and those that lead botocore to the engine as root: with them in
        place the code of a slice runs in this process against the stack's own tables."""
        function = self.client("lambda").get_function_configuration(FunctionName=self.outputs["APIHandlerName"])
        return {**function["Environment"]["Variables"], **environment_for(self.endpoint)}

    def client(self, service: str) -> Any:
        """A boto3 client of the engine."""
        return client(service, self.endpoint)
