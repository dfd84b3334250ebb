"""The whole system as `make run` starts it: engine, template, front door, functions with the rights they have."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from infra.local import functions
from infra.local.api import Player, Refused
from infra.local.stack import RunningStack
from infra.local.walkthrough import walkthrough
from infra.project import ROOT

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient

pytestmark = pytest.mark.stack


def command_line(stack: RunningStack, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "infra.local", *arguments, "--home", str(stack.home.folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_api_is_behind_the_door(stack: RunningStack) -> None:
    with urllib.request.urlopen(f"{stack.url}/v1/time") as answer:
        assert json.load(answer)


def test_the_api_knows_players_by_the_tokens_of_the_local_issuer(stack: RunningStack) -> None:
    with pytest.raises(Refused) as refused:
        Player(stack, "walt", token="made-up").get("/v1/games")

    assert refused.value.status == 401
    assert Player(stack, "walt").get("/v1/games")["my_turn"] == []


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
    cloudformation: CloudFormationClient = stack.client("cloudformation")

    def last_change() -> datetime:
        return cloudformation.describe_stacks(StackName="zeitnot")["Stacks"][0]["LastUpdatedTime"]

    assert command_line(stack, "deploy").returncode == 0
    before = last_change()
    assert command_line(stack, "deploy").returncode == 0

    assert last_change() == before
