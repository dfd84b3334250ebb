"""The whole system as `make run` starts it: engine, template, front door, functions with the rights they have."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

import pytest

from infra.local import functions
from infra.local.stack import RunningStack
from infra.local.walkthrough import walkthrough
from infra.project import ROOT

pytestmark = pytest.mark.stack


def ask(stack: RunningStack, path: str, player: str | None = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {stack.token(player)}"} if player else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(stack.url + path, headers=headers)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def command_line(stack: RunningStack, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infra.local", *arguments, "--home", str(stack.home.folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_api_is_behind_the_door(stack: RunningStack) -> None:
    status, body = ask(stack, "/v1/time")

    assert status == 200
    assert body


def test_the_api_knows_players_by_the_tokens_of_the_local_issuer(stack: RunningStack) -> None:
    assert ask(stack, "/v1/games")[0] == 401
    assert ask(stack, "/v1/games", player="walt")[0] == 200


def test_the_printed_lines_play_a_move(stack: RunningStack) -> None:
    shell = ["bash", "-euo", "pipefail"]
    done = subprocess.run(shell, input=walkthrough(stack.url), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    accepted, moved, read = (json.loads(line) for line in done.stdout.splitlines())
    assert (accepted["type"], accepted["by"]) == ("accepted", "black")
    assert (moved["ply"], moved["move"]) == (0, "e2e4")
    assert [event["type"] for event in read["events"]] == ["accepted", "move"]
    assert read["players"] == {"white": "anna", "black": "bert"}


def test_the_scan_may_do_what_it_does(stack: RunningStack) -> None:
    functions.scan(stack)


def test_the_consumers_accept_an_empty_batch(stack: RunningStack) -> None:
    for output in ("TimerFunction", "FanOutFunction"):
        functions.invoke(stack, output, {"Records": []})


def test_functions_see_every_variable_of_the_template(stack: RunningStack) -> None:
    environment = stack.environment()

    assert environment["GAMES_TABLE"] == "zeitnot-games"
    assert environment["TIMERS_QUEUE_URL"].endswith("/zeitnot-timers")
    assert environment["JWT_JWKS_URL"] == f"{stack.url}/.well-known/jwks.json"
    assert environment["TIME_SPEED"] == "1"


def test_a_second_run_says_who_is_first(stack: RunningStack) -> None:
    refused = command_line(stack, "run")

    assert refused.returncode == 1
    assert f"runs already: {stack.url}" in refused.stderr


def test_status_says_where(stack: RunningStack) -> None:
    assert stack.url in command_line(stack, "status").stdout


def test_deploying_unchanged_sources_changes_nothing(stack: RunningStack) -> None:
    before = stack.client("cloudformation").describe_stacks(StackName="zeitnot")["Stacks"][0]

    assert command_line(stack, "deploy").returncode == 0

    after = stack.client("cloudformation").describe_stacks(StackName="zeitnot")["Stacks"][0]
    assert after.get("LastUpdatedTime") == before.get("LastUpdatedTime")
