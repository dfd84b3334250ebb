"""The front door in front of an API that says what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import ClientResponse, web
from aiohttp.test_utils import TestClient, TestServer
from yarl import URL

from infra.local.door import JWKS_PATH, front_door
from infra.local.issuer import Issuer

Client = TestClient[web.Request, web.Application]


async def echo(request: web.Request) -> web.Response:
    if request.headers.get("if-none-match") == '"7"':
        return web.Response(status=304, headers={"ETag": '"7"'})
    if wanted := request.headers.get("x-answer"):
        status, _, text = wanted.partition(" ")
        return web.Response(status=int(status), text=text)
    said = {
        "method": request.method,
        "path": request.raw_path,
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "body": await request.text(),
    }
    return web.json_response(said, status=409, content_type="application/problem+json", headers={"ETag": '"8"'})


async def code_of(answer: ClientResponse, status: int) -> str:
    """The code of a problem document, which has to be a whole one."""
    document = await answer.json(content_type="application/problem+json")
    assert (answer.status, document["status"]) == (status, status), document
    assert document["type"] == f"urn:zeitnot:problem:{document['code']}"
    assert document["title"] and document["detail"]
    return str(document["code"])


def through_the_door(
    tmp_path: Path,
    visit: Callable[[Client], Awaitable[None]],
    *,
    api_is_up: bool = True,
    has_page: bool = True,
) -> None:
    async def scene() -> None:
        api = web.Application()
        api.router.add_route("*", "/{path:.*}", echo)
        async with TestServer(api) as upstream:
            base = str(upstream.make_url("/api"))
            if not api_is_up:
                await upstream.close()
            page = tmp_path / "web"
            if has_page:
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

        assert await code_of(answer, 502) == "engine_unreachable"

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
            b'{"player": "not an id"}',
            b'{"player": "a", "scope": []}',
            b'{"player": "\\ud800"}',
            b"\xff",
            b"[" * 100_000,
        ):
            assert await code_of(await client.post("/token", data=nonsense), 400) == "invalid_body"
        odd = await client.post("/token", data=b"{}", headers={"Content-Type": "text/plain; charset=none-such"})
        assert await code_of(odd, 400) == "invalid_body"

    through_the_door(tmp_path, visit)


@pytest.mark.parametrize("has_page", [True, False])
def test_every_refusal_of_the_door_is_a_problem(tmp_path: Path, has_page: bool) -> None:
    async def visit(client: Client) -> None:
        wrong_method = await client.get("/token")

        assert await code_of(wrong_method, 405) == "method_not_allowed"
        assert wrong_method.headers["Allow"] == "POST"
        assert await code_of(await client.get("/v2/time"), 404) == "unknown_path"
        assert await code_of(await client.get("/nothing"), 404) == "unknown_path"
        too_much = b" " * (10 * 1024 * 1024 + 1)
        assert await code_of(await client.post("/token", data=too_much), 413) == "body_too_large"
        assert await code_of(await client.post("/v1/games", data=too_much), 413) == "body_too_large"

    through_the_door(tmp_path, visit, has_page=has_page)


@pytest.mark.parametrize(
    ("status", "text", "shown", "code"),
    [
        (403, '{"message": "Missing Authentication Token"}', 404, "unknown_path"),
        (429, '{"message": "Too Many Requests"}', 429, "gateway_refused"),
        (502, '{"message": "Internal server error"}', 502, "gateway_failed"),
        (500, "Traceback", 500, "gateway_failed"),
    ],
)
def test_what_the_gateway_says_is_put_in_our_words(
    tmp_path: Path, status: int, text: str, shown: int, code: str
) -> None:
    async def visit(client: Client) -> None:
        answer = await client.get("/v1/time", headers={"X-Answer": f"{status} {text}"})

        assert await code_of(answer, shown) == code

    through_the_door(tmp_path, visit)


def test_without_a_page_the_root_lists_what_there_is(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        listed = await (await client.get("/")).json()

        assert {"/v1/openapi.json", "/v1/time", JWKS_PATH} <= set(listed.values())

    through_the_door(tmp_path, visit, has_page=False)


def test_the_page_lies_at_the_root(tmp_path: Path) -> None:
    async def visit(client: Client) -> None:
        assert await (await client.get("/")).text() == "the page"
        assert await (await client.get("/board.js")).text() == "the script"
        for path in ("/none.js", "/../key.pem", "/%2e%2e/key.pem", "/..%2fkey.pem", "/a%00b"):
            assert await code_of(await client.get(URL(path, encoded=True)), 404) == "unknown_path"

    through_the_door(tmp_path, visit)
