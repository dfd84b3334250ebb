"""The app's own door for threads: Chalice's test client changes the environment at each request, this does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chalice.app import Chalice
from chalice.config import Config
from chalice.local import LocalGateway
from chalice.test import HTTPResponse

from infra.project import ROOT


@dataclass(frozen=True)
class Gateway:
    """Stands where a `Hand` expects Chalice's client."""

    app: Chalice

    @property
    def http(self) -> Gateway:
        return self

    def get(self, path: str, **more: Any) -> HTTPResponse:
        return self._request("GET", path, **more)

    def post(self, path: str, **more: Any) -> HTTPResponse:
        return self._request("POST", path, **more)

    def _request(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> HTTPResponse:
        gateway = LocalGateway(self.app, Config.create(project_dir=str(ROOT)))
        return HTTPResponse.create_from_dict(gateway.handle_request(method, path, headers, body))
