"""The front door: one port for the API, the token issuer and the page.

In the cloud these are API Gateway, Cognito and a bucket; nothing of the game depends on which it is.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from aiohttp import ClientConnectionError, ClientSession, ClientTimeout, TCPConnector, web
from yarl import URL

from infra.local.issuer import DEFAULT_SCOPE, LIFETIME_SECONDS, Issuer

JWKS_PATH: Final = "/.well-known/jwks.json"

_MAX_BODY: Final = 10 * 1024 * 1024  # where API Gateway cuts too
_UPSTREAM_SECONDS: Final = 60

# Headers about one connection, which a proxy must not pass on (RFC 9110, 7.6.1), and those that aiohttp sets itself.
_OWN_REQUEST_HEADERS: Final = frozenset(
    {"connection", "host", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)
_OWN_ANSWER_HEADERS: Final = frozenset({"connection", "content-length", "date", "keep-alive", "transfer-encoding"})
_NOT_OURS_TO_ADD: Final = ("accept", "accept-encoding", "content-type", "user-agent")

# In the cloud the template's gateway responses put this in our words; the engine knows them but does not use them.
_NO_SUCH_PATH: Final = b"Missing Authentication Token"

_UPSTREAM: Final = web.AppKey("upstream", ClientSession)


def front_door(api: str, issuer: Issuer, page: Path) -> web.Application:
    """`/v1/*` goes to `api` (the base address, without a slash at the end); `page` is served if the folder exists."""
    app = web.Application(client_max_size=_MAX_BODY)

    async def upstream(app: web.Application) -> AsyncIterator[None]:
        # Connections to the engine stay open: opening one costs more than the hop itself.
        connector = TCPConnector(limit=0, keepalive_timeout=60)
        timeout = ClientTimeout(total=_UPSTREAM_SECONDS)
        async with ClientSession(connector=connector, timeout=timeout, auto_decompress=False) as session:
            app[_UPSTREAM] = session
            yield

    async def key_set(_: web.Request) -> web.Response:
        return web.json_response(issuer.key_set())

    async def forward(request: web.Request) -> web.Response:
        return await _forward(request, api)

    async def token(request: web.Request) -> web.Response:
        return await _token(request, issuer)

    app.cleanup_ctx.append(upstream)
    app.router.add_route("*", "/v1/{path:.*}", forward)
    app.router.add_get(JWKS_PATH, key_set)
    app.router.add_post("/token", token)
    if page.is_dir():
        app.router.add_get("/", lambda _: _index(page))
        app.router.add_static("/", page)
    return app


async def serve(app: web.Application, listener: socket.socket) -> web.AppRunner:
    """Answer on a listening socket; `cleanup` of what is returned ends it."""
    runner = web.AppRunner(app, access_log=None, handle_signals=False)
    await runner.setup()
    await web.SockSite(runner, listener).start()
    return runner


async def _forward(request: web.Request, api: str) -> web.Response:
    try:
        async with request.app[_UPSTREAM].request(
            request.method,
            URL(api + request.raw_path, encoded=True),
            headers=[
                (name, text) for name, text in request.headers.items() if name.lower() not in _OWN_REQUEST_HEADERS
            ],
            data=await request.read() or None,
            skip_auto_headers=_NOT_OURS_TO_ADD,
            allow_redirects=False,
        ) as answer:
            body = await answer.read()
    except (ClientConnectionError, TimeoutError) as failure:
        return _problem(502, "engine_unreachable", str(failure) or type(failure).__name__)
    if answer.status == web.HTTPForbidden.status_code and _NO_SUCH_PATH in body:
        return _problem(404, "unknown_path", "there is no such path or method; see /v1/openapi.json")
    response = web.Response(status=answer.status, body=body)
    for name, value in answer.headers.items():
        if name.lower() not in _OWN_ANSWER_HEADERS:
            response.headers.add(name, value)
    return response


async def _token(request: web.Request, issuer: Issuer) -> web.Response:
    """`{"player": id, "scope": "read play"}` -> an OAuth 2 token answer; the scope may be left out."""
    try:
        wish = await request.json()
        player, scope = wish["player"], wish.get("scope", DEFAULT_SCOPE)
    except (ValueError, KeyError, TypeError, AttributeError):
        return _problem(400, "malformed", 'the body must be JSON like {"player": "anna", "scope": "read play"}')
    if not isinstance(player, str) or not player or not isinstance(scope, str):
        return _problem(400, "malformed", "player and scope must be strings")
    answer = {"access_token": issuer.token(player, scope), "token_type": "Bearer", "expires_in": LIFETIME_SECONDS}
    return web.json_response(answer)


async def _index(page: Path) -> web.FileResponse:
    return web.FileResponse(page / "index.html")


def _problem(status: int, code: str, detail: str) -> web.Response:
    return web.json_response(
        {"status": status, "code": code, "detail": detail}, status=status, content_type="application/problem+json"
    )
