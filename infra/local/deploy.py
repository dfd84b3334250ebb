"""Bringing a package onto the engine: the template of the cloud with the two edits that the engine needs."""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import sys
import time
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from infra.aws.build import BuildFailed
from infra.aws.package import Package, package_for_this_machine
from infra.local.client import client
from infra.local.home import Home, add_home

if TYPE_CHECKING:
    from types_boto3_cloudformation import CloudFormationClient
    from types_boto3_s3 import S3Client

    from infra.local import Commands

STACK: Final = "zeitnot"

_CODE_BUCKET: Final = "zeitnot-code"
_TEMPLATE_KEY: Final = "template.json"
_FINGERPRINT: Final = "LocalFingerprint"
_POLL_SECONDS: Final = 0.1


class DeploymentFailed(Exception):
    """The engine refused the stack; the message says which resource and why."""


def deploy(endpoint: str, package: Package, parameters: dict[str, str]) -> dict[str, str]:
    """Make the stack on the engine what `package` and `parameters` say; returns the stack's outputs.

    Does nothing if the stack says that it is that already. Raises DeploymentFailed.
    """
    cloudformation: CloudFormationClient = client("cloudformation", endpoint)
    # The endpoint is a part of it: the functions hold the queue's address, which contains the engine's port.
    key = f"{package.name}.zip"
    template = for_the_engine(package.template, f"s3://{_CODE_BUCKET}/{key}")
    fingerprint = _digest(template, endpoint, parameters)
    outputs = _outputs(cloudformation)
    if outputs.get(_FINGERPRINT) == fingerprint:
        return outputs

    s3: S3Client = client("s3", endpoint)
    s3.create_bucket(Bucket=_CODE_BUCKET)
    s3.put_object(Bucket=_CODE_BUCKET, Key=key, Body=package.zip_path.read_bytes())

    template["Outputs"][_FINGERPRINT] = {"Value": fingerprint}
    # Not as TemplateBody: that may have 51,200 bytes at the most, here as on AWS.
    s3.put_object(Bucket=_CODE_BUCKET, Key=_TEMPLATE_KEY, Body=json.dumps(template).encode())
    operation = cloudformation.update_stack if outputs else cloudformation.create_stack
    try:
        operation(
            StackName=STACK,
            TemplateURL=f"{endpoint}/{_CODE_BUCKET}/{_TEMPLATE_KEY}",
            Parameters=[{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
            Capabilities=["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
        )
    except ClientError as refused:
        raise DeploymentFailed(str(refused)) from refused
    _await_completion(cloudformation)
    return _outputs(cloudformation)


def for_the_engine(template: dict[str, Any], code_uri: str) -> dict[str, Any]:
    """A copy of `template` with what differs on the engine.

    The code comes from a bucket; a WebSocket stage deploys by itself, since the engine has no such deployments; and the
    right to send a message to a queue is, unlike on AWS, not yet the right to send ten at once.
    """
    local = copy.deepcopy(template)
    resources = local["Resources"]
    for resource in resources.values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = code_uri
        elif resource["Type"] == "AWS::ApiGatewayV2::Stage":
            resource["Properties"].pop("DeploymentId", None)
            resource["Properties"]["AutoDeploy"] = True
        elif resource["Type"] == "AWS::IAM::Role":
            _allow_batches(resource["Properties"].get("Policies", []))
    local["Resources"] = {
        name: resource for name, resource in resources.items() if resource["Type"] != "AWS::ApiGatewayV2::Deployment"
    }
    return local


def _allow_batches(policies: list[dict[str, Any]]) -> None:
    for policy in policies:
        for statement in policy["PolicyDocument"]["Statement"]:
            if "sqs:SendMessage" in statement["Action"]:
                statement["Action"] = [*statement["Action"], "sqs:SendMessageBatch"]


def register(commands: Commands) -> None:
    parser = commands.add_parser("deploy", help="bring changed sources onto the running stack")
    add_home(parser)
    parser.set_defaults(handle=_redeploy)


def _redeploy(arguments: argparse.Namespace) -> int:
    facts = Home(arguments.home).recorded()
    if facts is None or "endpoint" not in facts:
        print("Zeitnot does not run: start it with `make run`.", file=sys.stderr)
        return 1
    started = time.monotonic()
    try:
        deploy(facts["endpoint"], package_for_this_machine(), facts["parameters"])
    except (BuildFailed, DeploymentFailed) as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"deployed in {time.monotonic() - started:.1f} s")
    return 0


def _outputs(cloudformation: CloudFormationClient) -> dict[str, str]:
    """The outputs of the stack; none if there is no stack yet."""
    try:
        stack = cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]
    except ClientError as absent:
        if "does not exist" in str(absent):
            return {}
        raise
    return {output["OutputKey"]: output["OutputValue"] for output in stack.get("Outputs", [])}


def _await_completion(cloudformation: CloudFormationClient) -> None:
    while True:
        status = cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]
        if not status.endswith("IN_PROGRESS"):
            break
        time.sleep(_POLL_SECONDS)
    if status not in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
        events = cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]
        failures = [
            f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}"
            for event in reversed(events)
            if event["ResourceStatus"].endswith("FAILED")
        ]
        raise DeploymentFailed("\n".join([status, *failures]))


def _digest(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
