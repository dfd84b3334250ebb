"""The front door in front of an API that says what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from infra.local.door import JWKS_PATH, front_door
from infra.local.issuer import Issuer

Client = TestClient[web.Request, web.Application]


async def echo(request: web.Request) -> web.Response:
    if request.headers.get("if-none-match") == '"7"':
        return web.Response(status=304, headers={"ETag": '"7"'})
    said = {
        "method": request.method,
        "path": request.raw_path,
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": await request.text(),
    }
    return web.json_response(said, status=409, content_type="application/problem+json", headers={"ETag": '"8"'})


def through_the_door(tmp_path: Path, visit: Callable[[Client], Awaitable[None]], *, api_is_up: bool = True) -> None:
    async def scene() -> None:
        api = web.Application()
        api.router.add_route("*", "/{path:.*}", echo)
        async with TestServer(api) as upstream:
            base = str(upstream.make_url("/api"))
            if not api_is_up:
                await upstream.close()
            page = tmp_path / "web"
            page.mkdir()
            (page / "index.html").write_text("the page")
            (page / "board.js").write_text("the script")
            async with TestClient(TestServer(front_door(base, Issuer(tmp_path / "key.pem"), page))) as client:
                await visit(client)

    asyncio.run(scene())


def test_a_request_arrives_as_it_was_sent(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        answer = await client.post(
            "/v1/players/a%2Fb/games?cursor=x%3D%3D&limit=5", data=b'{"ply": 1}', headers={"Authorization": "Bearer t"}
        )
        said = await answer.json(content_type="application/problem+json")

        assert answer.status == 409
        assert answer.headers["ETag"] == '"8"'
        assert said["method"] == "POST"
        assert said["path"] == "/api/v1/players/a%2Fb/games?cursor=x%3D%3D&limit=5"
        assert said["headers"]["authorization"] == "Bearer t"
        assert said["body"] == '{"ply": 1}'

    through_the_door(tmp_path, visit)


def test_nothing_is_added_to_a_request(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        plain = await client.get("/v1/time", skip_auto_headers=["accept", "accept-encoding", "user-agent"])
        said = await plain.json(content_type="application/problem+json")

        assert said["headers"].keys() == {"host"}

    through_the_door(tmp_path, visit)


def test_an_unchanged_game_has_no_body(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        answer = await client.get("/v1/games/g", headers={"If-None-Match": '"7"'})

        assert (answer.status, answer.headers["ETag"], await answer.read()) == (304, '"7"', b"")

    through_the_door(tmp_path, visit)


def test_an_engine_that_is_gone_is_a_bad_gateway(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        answer = await client.get("/v1/time")

        assert answer.status == 502
        assert (await answer.json(content_type="application/problem+json"))["code"] == "engine_unreachable"

    through_the_door(tmp_path, visit, api_is_up=False)


def test_only_the_api_is_passed_on(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        assert (await client.get("/v2/time")).status == 404
        assert (await client.get("/_ministack/health")).status == 404

    through_the_door(tmp_path, visit)


def test_tokens_are_given_for_the_asking_and_for_nothing_else(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        given = await client.post("/token", data=b'{"player": "anna", "scope": "read"}')
        keys = await client.get(JWKS_PATH)

        assert (await given.json()).keys() == {"access_token", "token_type", "expires_in"}
        assert (await keys.json())["keys"][0]["alg"] == "RS256"
        for nonsense in (
            b"",
            b"[]",
            b"{}",
            b'{"player": ""}',
            b'{"player": 7}',
            b'{"player": "a", "scope": []}',
            b"\xff",
        ):
            assert (await client.post("/token", data=nonsense)).status == 400, nonsense

    through_the_door(tmp_path, visit)


def test_the_page_lies_at_the_root(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        assert await (await client.get("/")).text() == "the page"
        assert await (await client.get("/board.js")).text() == "the script"
        assert (await client.get("/../key.pem")).status == 404

    through_the_door(tmp_path, visit)
