"""The front door: one port for the API, the token issuer and the page.

In the cloud these are API Gateway, Cognito and a bucket; nothing of the game depends on which it is.
"""

from __future__ import annotations

import contextlib
import json
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, TCPConnector, web
from msgspec import Meta, Struct
from yarl import URL

from chalicelib.core.identity import PLAYER_ID
from chalicelib.core.problems import PROBLEM_TYPE, Problem
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

_NO_SUCH_PATH: Final = b"Missing Authentication Token"
_CONTENTS: Final = {
    "name": "Zeitnot, on this machine",
    "openapi": "/v1/openapi.json",
    "time": "/v1/time",
    "profiles": "/v1/profiles",
    "rules": "/v1/rules",
    "token": '/token (POST {"player": "anna"})',
    "keys": JWKS_PATH,
}
_OWN_REFUSALS: Final = {
    web.HTTPNotFound.status_code: ("unknown_path", "there is nothing at this path; / lists what there is"),
    web.HTTPMethodNotAllowed.status_code: ("method_not_allowed", "not with this method; the header Allow names others"),
    web.HTTPRequestEntityTooLarge.status_code: ("body_too_large", f"the body may have up to {_MAX_BODY} bytes"),
}

_UPSTREAM: Final = web.AppKey("upstream", ClientSession)


def front_door(api: str, issuer: Issuer, page: Path) -> web.Application:
    """`/v1/*` goes to `api` (the base address, without a slash at the end); `page` is served if the folder exists.

    Every error is a problem document with a code (RFC 9457), as the API's own are.
    """
    app = web.Application(client_max_size=_MAX_BODY, middlewares=[_in_our_words])

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

    async def contents(_: web.Request) -> web.Response:
        return web.json_response(_CONTENTS, dumps=partial(json.dumps, indent=1))

    async def file(request: web.Request) -> web.FileResponse:
        return _file(page, request.match_info["path"] or "index.html")

    app.cleanup_ctx.append(upstream)
    app.router.add_route("*", "/v1/{path:.*}", forward)
    app.router.add_get(JWKS_PATH, key_set)
    app.router.add_route("*", "/token", token)
    if page.is_dir():
        app.router.add_get("/{path:.*}", file)
    else:
        app.router.add_get("/", contents)
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
    except (ClientError, TimeoutError) as failure:
        raise Problem(502, "engine_unreachable", str(failure) or type(failure).__name__) from failure
    if answer.status >= web.HTTPBadRequest.status_code and answer.content_type != PROBLEM_TYPE:
        raise _gateway_problem(answer.status, body)
    response = web.Response(status=answer.status, body=body)
    for name, value in answer.headers.items():
        if name.lower() not in _OWN_ANSWER_HEADERS:
            response.headers.add(name, value)
    return response


def _gateway_problem(status: int, body: bytes) -> Problem:
    """What the gateway refuses by itself. In the cloud the template's gateway responses put it in these words; the
    engine knows them but does not use them."""
    if status == web.HTTPForbidden.status_code and _NO_SUCH_PATH in body:
        return Problem(404, "unknown_path", "there is no such path or method; see /v1/openapi.json")
    if status < web.HTTPInternalServerError.status_code:
        return Problem(status, "gateway_refused", body.decode(errors="replace"))
    return Problem(status, "gateway_failed", "the server did not answer in time; asking again is safe")


class _Wish(Struct, forbid_unknown_fields=True):
    """The body of `POST /token`."""

    player: Annotated[str, Meta(pattern=PLAYER_ID)]
    scope: str = DEFAULT_SCOPE


async def _token(request: web.Request, issuer: Issuer) -> web.Response:
    """`{"player": id, "scope": "read play"}` -> an OAuth 2 token answer; the scope may be left out."""
    if request.method != "POST":
        raise web.HTTPMethodNotAllowed(request.method, ["POST"])
    try:
        wish = msgspec.json.decode(await request.read(), type=_Wish)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise Problem(400, "invalid_body", f'{error}; send {{"player": "anna", "scope": "read play"}}') from error
    token = issuer.token(wish.player, wish.scope)
    return web.json_response({"access_token": token, "token_type": "Bearer", "expires_in": LIFETIME_SECONDS})


def _file(page: Path, path: str) -> web.FileResponse:
    with contextlib.suppress(ValueError):  # a NUL in the path
        file = (page / path).resolve()
        if file.is_file() and file.is_relative_to(page.resolve()):
            return web.FileResponse(file)
    raise web.HTTPNotFound


@web.middleware
async def _in_our_words(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Whatever goes wrong behind it is a problem document."""
    try:
        return await handler(request)
    except Problem as refused:
        problem = refused
    except web.HTTPException as error:
        if error.status < web.HTTPBadRequest.status_code:
            raise
        allowed = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
        problem = Problem(error.status, *_OWN_REFUSALS.get(error.status, ("refused", error.reason)), headers=allowed)
    except Exception:
        logging.getLogger(__name__).exception("the front door failed")
        problem = Problem(500, "internal_error", "something went wrong here; asking again is safe")
    return web.json_response(
        problem.document(), status=problem.status, content_type=PROBLEM_TYPE, headers=problem.headers
    )
