"""The reference through the app's own door."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from chalice.test import Client, HTTPResponse
from jsonschema import Draft202012Validator

from app import app
from chalicelib.catalogue import document
from chalicelib.clock.profiles import NAMED
from chalicelib.core.logging import log
from chalicelib.core.settings import settings
from chalicelib.profiles import known
from chalicelib.reference.texts import LANGUAGES
from infra.project import ROOT


@pytest.fixture
def client(on_engine: dict[str, str]) -> Client:
    known.forget()
    return Client(app, project_dir=str(ROOT))


@pytest.fixture
def hundredfold(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Game time a hundred times as fast as real time, from a moment long ago."""
    for name, value in {"TIME_SPEED": "100", "TIME_ANCHOR_REAL_MS": "1000", "TIME_ANCHOR_MS": "5000"}.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    yield
    settings.cache_clear()


def conforms(answer: HTTPResponse, path: str) -> Any:
    """The body, after a look at whether the document describes it."""
    responses = document()["paths"][path]["get"]["responses"]
    content = responses[str(answer.status_code)]["content"][answer.headers["Content-Type"]]
    Draft202012Validator({**content["schema"], "components": document()["components"]}).validate(answer.json_body)
    return answer.json_body


@pytest.mark.usefixtures("hundredfold")
def test_game_time_follows_from_real_time(client: Client) -> None:
    answer = client.http.get("/v1/time")
    seen = conforms(answer, "/v1/time")
    assert seen["now_ms"] == 5_000 + 100 * (seen["real_ms"] - 1_000)
    assert seen["speed"] == 100
    assert answer.headers["Cache-Control"] == "no-store"


def test_profiles_in_a_list_are_those_to_be_had_one_by_one(client: Client) -> None:
    listed = conforms(client.http.get("/v1/profiles"), "/v1/profiles")["profiles"]
    assert [view["code"] for view in listed] == list(NAMED)
    for view in listed:
        assert conforms(client.http.get(f"/v1/profiles/{view['code']}"), "/v1/profiles/{code}") == view
        assert set(view["text"]) == set(LANGUAGES)


@pytest.mark.parametrize(("sent", "code"), [("T12_1", "T12_1"), ("3%2B2", "3+2")])
def test_profiles_beyond_the_list_and_escaped_ones(client: Client, sent: str, code: str) -> None:
    assert conforms(client.http.get(f"/v1/profiles/{sent}"), "/v1/profiles/{code}")["code"] == code


@pytest.mark.parametrize("code", ["T10_5", "30-30-2", "T0_1"])
def test_an_unknown_profile_is_a_problem(client: Client, code: str) -> None:
    answer = client.http.get(f"/v1/profiles/{code}")
    assert answer.status_code == 404
    assert conforms(answer, "/v1/profiles/{code}")["code"] == "unknown_profile"


def test_the_log_tells_the_code_of_a_problem_from_the_code_of_a_profile(client: Client) -> None:
    lines = Lines()
    log().addHandler(lines)
    client.http.get("/v1/profiles/T10_5")
    log().removeHandler(lines)
    (line,) = (record.__dict__ for record in lines.seen)
    assert (line["status"], line["code"], line["path"]) == (404, "unknown_profile", {"code": "T10_5"})


class Lines(logging.Handler):
    """What is logged while it listens."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_in_each_language(client: Client, language: str) -> None:
    seen = conforms(client.http.get(f"/v1/rules?lang={language}"), "/v1/rules")
    assert seen["language"] == language
    assert seen["constants"]["abort_plies"] == 2


def test_rules_are_english_unless_asked_for(client: Client) -> None:
    assert conforms(client.http.get("/v1/rules"), "/v1/rules")["language"] == "en"
    answer = client.http.get("/v1/rules?lang=fr")
    assert answer.status_code == 400
    assert conforms(answer, "/v1/rules")["code"] == "invalid_query"


def test_the_document_is_served(client: Client) -> None:
    answer = client.http.get("/v1/openapi.json")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json_body == document()
