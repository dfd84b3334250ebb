"""What is deployed: the rendered template, and the policies by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cfnlint.api
import pytest

from chalicelib.core.durations import MINUTE, SECOND
from chalicelib.desk.windows import LONGEST_REQUEST
from chalicelib.desk.worker import STEP
from chalicelib.ratings.store import LEASE_MS
from infra.aws.package import package_for_this_machine
from infra.local.deploy import for_the_engine
from infra.local.storage import merge_template
from infra.project import ROOT

Resources = dict[str, dict[str, Any]]

FUNCTIONS = {"APIHandler", "Flagfall", "Timer", "FanOut", "Recompute", "Sweep", "Decay", "Maintenance"}
POLICIES = sorted((ROOT / ".chalice").glob("policy-*.json"))


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return package_for_this_machine().template


@pytest.fixture
def resources(template: dict[str, Any]) -> Resources:
    return dict(template["Resources"])


def of_type(resources: Resources, kind: str) -> Resources:
    return {name: resource for name, resource in resources.items() if resource["Type"] == kind}


def values(node: object) -> Iterator[object]:
    """Every scalar below `node`, and every key."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield key
            yield from values(value)
    elif isinstance(node, list):
        for value in node:
            yield from values(value)
    else:
        yield node


def test_has_the_functions_that_the_architecture_names(resources: Resources) -> None:
    assert set(of_type(resources, "AWS::Serverless::Function")) == FUNCTIONS


def test_cloudformation_would_take_it(template: dict[str, Any]) -> None:
    findings = cfnlint.api.lint_all(json.dumps(template))

    assert [str(finding) for finding in findings if finding.rule.severity in {"error", "warning"}] == []


def test_every_placeholder_was_replaced(template: dict[str, Any]) -> None:
    assert "placeholder" not in set(values(template))


def test_no_mapping_mixes_an_intrinsic_function_with_anything_else(template: dict[str, Any]) -> None:
    def mixed(node: object) -> bool:
        if isinstance(node, dict):
            intrinsic = any(key == "Ref" or str(key).startswith("Fn::") for key in node)
            return (intrinsic and len(node) > 1) or any(mixed(child) for child in node.values())
        return isinstance(node, list) and any(mixed(child) for child in node)

    assert not mixed(template)


def test_every_function_has_every_variable(template: dict[str, Any]) -> None:
    shared = template["Globals"]["Function"]["Environment"]["Variables"]

    assert set(shared) == {
        *("GAMES_TABLE", "PLAYER_GAMES_TABLE", "PAIRINGS_TABLE", "WATCH_TABLE", "TIMERS_QUEUE_URL"),
        *("CLUBS_TABLE", "RESULTS_TABLE", "CHANGES_TABLE", "RATINGS_TABLE", "RATINGS_BUCKET", "RECOMPUTE_QUEUE_URL"),
        *("DESK_TABLE", "PUBLIC_URL"),
        *("DECAY_HOUR", "DECAY_ZONE", "PAIR_DEFAULT_OPPONENT", "DECAY_IN_REPLAY", "REPLAY_BUDGET_MS"),
        *("JWT_ISSUER", "JWT_AUDIENCE", "JWT_JWKS_URL", "TIME_SPEED", "TIME_ANCHOR_REAL_MS", "TIME_ANCHOR_MS"),
    }
    for name in FUNCTIONS:
        assert "Environment" not in template["Resources"][name]["Properties"], f"{name} would override the shared ones"


def test_every_reference_leads_somewhere(template: dict[str, Any]) -> None:
    known = set(template["Resources"]) | set(template["Parameters"])

    def references(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            if "Ref" in node:
                yield node["Ref"]
            if "Fn::GetAtt" in node:
                yield node["Fn::GetAtt"][0]
            for child in node.values():
                yield from references(child)
        elif isinstance(node, list):
            for child in node:
                yield from references(child)

    assert {name for name in references(template) if not name.startswith("AWS::")} <= known


def test_a_function_ends_before_its_caller_gives_up(resources: Resources) -> None:
    gateway_limit_s, schedule_s = 29, 60

    assert resources["APIHandler"]["Properties"]["Timeout"] < gateway_limit_s
    assert resources["Flagfall"]["Properties"]["Timeout"] < schedule_s


def test_a_window_is_settled_when_no_request_from_before_its_end_can_be_alive(resources: Resources) -> None:
    assert resources["APIHandler"]["Properties"]["Timeout"] * SECOND < LONGEST_REQUEST
    assert STEP < resources["Maintenance"]["Properties"]["Timeout"] * SECOND < MINUTE


def test_the_scan_runs_every_minute(resources: Resources) -> None:
    events = resources["Flagfall"]["Properties"]["Events"].values()

    assert [event["Properties"]["Schedule"] for event in events] == ["rate(1 minute)"]


def test_a_timer_stays_hidden_while_it_is_worked_on(resources: Resources) -> None:
    visibility = resources["Timers"]["Properties"]["VisibilityTimeout"]

    assert visibility >= 6 * resources["Timer"]["Properties"]["Timeout"]


def test_a_poisonous_timer_ends_in_the_dead_letter_queue(resources: Resources) -> None:
    redrive = resources["Timers"]["Properties"]["RedrivePolicy"]

    assert redrive["deadLetterTargetArn"] == {"Fn::GetAtt": ["TimersDeadLetters", "Arn"]}
    assert redrive["maxReceiveCount"] >= 5
    assert resources["TimersDeadLetters"]["Properties"]["MessageRetentionPeriod"] == 14 * 24 * 60 * 60


def test_ratings_are_recomputed_one_partition_at_a_time(resources: Resources) -> None:
    queue, function = resources["RecomputeQueue"]["Properties"], resources["Recompute"]["Properties"]
    (source,) = function["Events"].values()

    assert queue["FifoQueue"] is True
    assert queue["VisibilityTimeout"] >= 6 * function["Timeout"]
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["RecomputeDeadLetters", "Arn"]}
    assert queue["RedrivePolicy"]["maxReceiveCount"] >= 5
    assert resources["RecomputeDeadLetters"]["Properties"]["FifoQueue"] is True
    assert source["Properties"]["Queue"] == {"Fn::GetAtt": ["RecomputeQueue", "Arn"]}
    assert source["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_a_replay_may_go_on_as_often_as_it_needs(resources: Resources, template: dict[str, Any]) -> None:
    function = resources["Recompute"]["Properties"]
    budget_ms = template["Parameters"]["ReplayBudgetMs"]["Default"]

    assert function["RecursiveLoop"] == "Allow"
    assert 2 * budget_ms <= 1_000 * function["Timeout"]
    assert 1_000 * function["Timeout"] < LEASE_MS


def test_the_sweep_runs_every_minute_and_decay_is_looked_at_every_hour(resources: Resources) -> None:
    schedules = [
        event["Properties"]["Schedule"]
        for name in ("Sweep", "Decay")
        for event in resources[name]["Properties"]["Events"].values()
    ]

    assert schedules == ["rate(1 minute)", "cron(0 * * * ? *)"]


def test_one_bad_timer_does_not_repeat_its_batch(resources: Resources) -> None:
    (source,) = resources["Timer"]["Properties"]["Events"].values()

    assert source["Properties"]["Queue"] == {"Fn::GetAtt": ["Timers", "Arn"]}
    assert source["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


def test_the_stream_consumer_retries_whole_batches_then_sets_the_bad_one_aside(resources: Resources) -> None:
    (source,) = resources["FanOut"]["Properties"]["Events"].values()
    properties = source["Properties"]

    assert properties["Stream"] == {"Fn::GetAtt": ["Games", "StreamArn"]}
    assert properties["StartingPosition"] == "TRIM_HORIZON"
    assert properties["BisectBatchOnFunctionError"] is True
    assert properties["DestinationConfig"]["OnFailure"]["Destination"] == {"Fn::GetAtt": ["FanOutDeadLetters", "Arn"]}
    assert "FunctionResponseTypes" not in properties, "the consumer raises, it reports no items"


def test_every_dead_letter_queue_rings_an_alarm(resources: Resources) -> None:
    watched = {
        alarm["Properties"]["Dimensions"][0]["Value"]["Fn::GetAtt"][0]
        for alarm in of_type(resources, "AWS::CloudWatch::Alarm").values()
        if alarm["Properties"]["MetricName"] == "ApproximateNumberOfMessagesVisible"
    }

    assert watched == {name for name in of_type(resources, "AWS::SQS::Queue") if name.endswith("DeadLetters")}


def test_a_missing_scan_rings_before_flagging_closes(resources: Resources) -> None:
    alarm = resources["FlagfallMissingAlarm"]["Properties"]

    assert alarm["TreatMissingData"] == "breaching"
    assert alarm["Period"] * alarm["EvaluationPeriods"] < 10 * 60


def test_no_table_goes_with_the_stack(resources: Resources) -> None:
    tables = of_type(resources, "AWS::DynamoDB::Table")

    assert tables
    for name, table in tables.items():
        assert table["DeletionPolicy"] == "Retain", name
        assert table["UpdateReplacePolicy"] == "Retain", name
        assert table["Properties"]["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"], name


def test_the_deadline_index_is_the_only_one_of_games_and_holds_keys_only(resources: Resources) -> None:
    (index,) = resources["Games"]["Properties"]["GlobalSecondaryIndexes"]

    assert index["Projection"]["ProjectionType"] == "KEYS_ONLY"
    assert resources["Games"]["Properties"]["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"


def test_each_function_has_a_role_of_its_own(resources: Resources) -> None:
    roles = [resources[name]["Properties"]["Role"]["Fn::GetAtt"][0] for name in sorted(FUNCTIONS)]

    assert len(set(roles)) == len(FUNCTIONS)


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_a_policy_names_its_actions_and_resources(path: Path) -> None:
    own = set(merge_template()["Resources"])
    for statement in json.loads(path.read_text())["Statement"]:
        assert statement["Effect"] == "Allow"
        assert not any("*" in action for action in statement["Action"]), statement["Sid"]
        (intrinsic,) = statement["Resource"].items()
        match intrinsic:
            case ("Fn::GetAtt", [resource, "Arn"]):
                assert resource in own
            case ("Fn::Sub", str(text)) if statement["Sid"] == "Log":
                assert text.endswith(":log-group:/aws/lambda/${AWS::StackName}-*")
            case ("Fn::Sub", str(text)):
                assert text.removeprefix("${").split(".Arn}")[0] in own
            case other:
                pytest.fail(f"{statement['Sid']}: {other}")


def test_no_function_may_empty_a_table_or_a_queue() -> None:
    granted = {a for path in POLICIES for s in json.loads(path.read_text())["Statement"] for a in s["Action"]}

    assert granted.isdisjoint({"dynamodb:DeleteTable", "sqs:PurgeQueue", "s3:DeleteBucket"})


def test_only_a_reload_and_the_sweep_may_scan_a_table() -> None:
    scanning = {
        (path.stem.removeprefix("policy-"), statement["Resource"]["Fn::GetAtt"][0])
        for path in POLICIES
        for statement in json.loads(path.read_text())["Statement"]
        if "dynamodb:Scan" in statement["Action"]
    }

    assert scanning == {("recompute", "Results"), ("recompute", "Games"), ("sweep", "Changes")}


def test_the_engine_gets_the_same_template_but_for_two_edits() -> None:
    template = {
        "Resources": {
            "F": {"Type": "AWS::Serverless::Function", "Properties": {"CodeUri": "./deployment.zip", "Timeout": 3}},
            "D": {"Type": "AWS::ApiGatewayV2::Deployment", "Properties": {}},
            "S": {"Type": "AWS::ApiGatewayV2::Stage", "Properties": {"DeploymentId": {"Ref": "D"}, "StageName": "s"}},
        },
        "Outputs": {},
    }

    local = for_the_engine(template, "s3://code/k.zip")

    assert local["Resources"] == {
        "F": {"Type": "AWS::Serverless::Function", "Properties": {"CodeUri": "s3://code/k.zip", "Timeout": 3}},
        "S": {"Type": "AWS::ApiGatewayV2::Stage", "Properties": {"StageName": "s", "AutoDeploy": True}},
    }
    assert template["Resources"]["F"]["Properties"] == {"CodeUri": "./deployment.zip", "Timeout": 3}
