"""Signed requests through the front door and the gateway to a deployed stack: what a client signs is what arrives, and
the role of the API may do what it takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from infra.admin.client import Client, Refused, outgoing
from infra.admin.signer import Signer
from infra.local.stack import RunningStack
from infra.project import ROOT

pytestmark = pytest.mark.stack

ME = "/v1/admin/me"
SCRIPT = ROOT / "tests" / "desk" / "webcrypto.mjs"


def admin(stack: RunningStack, *words: str) -> str:
    """What `python -m infra.admin` prints. A process of its own: ours has stores that lead to another engine."""
    usual = {name: text for name, text in os.environ.items() if name != "DESK_TABLE"}
    call = [sys.executable, "-m", "infra.admin", *words]
    environment = {**usual, "ZEITNOT_HOME": str(stack.home.folder)}
    return subprocess.run(call, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def key(stack: RunningStack) -> Path:
    """The file of a new operator's key."""
    made = admin(stack, "key", "new", "otto", "--role", "operator")
    return Path(made.partition("private key: ")[2].strip())


def test_a_key_is_used_replaced_and_revoked_on_the_command_line(stack: RunningStack, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    admin(stack, "key", "new", "dora", "--role", "director", "--event", "open", "--hmac", "--out", str(first))
    old = Signer.load(first).key_id

    me = json.loads(admin(stack, "request", "GET", f"{ME}?event=open", "--key", str(first)))
    rotated = admin(stack, "key", "rotate", old, "--overlap", "1", "--out", str(second))

    assert me == {"key_id": old, "name": "dora", "role": "director", "events": ["open"]}
    new = Signer.load(second).key_id
    assert rotated.startswith(f"{new}  valid")
    both = [Client(stack.url, Signer.load(file)) for file in (first, second)]
    assert [client.get(ME)["key_id"] for client in both] == [old, new]
    assert admin(stack, "key", "revoke", new).startswith(f"{new}  revoked")
    with pytest.raises(Refused, match="key_revoked"):
        both[1].get(ME)
    assert f"events open  replaced by {new}" in admin(stack, "key", "list")


def test_whatever_a_client_signs_arrives_as_it_was_signed(stack: RunningStack, key: Path) -> None:
    client = Client(stack.url, Signer.load(key))
    for query in ("event=open", "event=a+b", "event=a%20b&x=", "b=1&a=2", "x=%C3%BC%2B%22%5C~*", "x=1;y=2"):
        assert client.get(f"{ME}?{query}")["name"] == "otto"
    assert client.request("GET", ME, '{"x": "ü"}'.encode(), {"If-Match": '"3"', "Idempotency-Key": "a"})


def test_a_replay_does_not_get_in_twice_however_many_come_at_once(stack: RunningStack, key: Path) -> None:
    headers = Signer.load(key).headers(outgoing(stack.url, "GET", ME, {}, b""))
    address = urlsplit(stack.url)

    def status(_: int) -> int:
        connection = HTTPConnection(address.hostname or "", address.port, timeout=60)
        connection.request("GET", ME, headers=headers)
        return connection.getresponse().status

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(status, range(8))) == [200] + [401] * 7


def test_a_signature_for_another_server_is_none_here(stack: RunningStack, key: Path) -> None:
    headers = Signer.load(key).headers(outgoing("https://elsewhere.test", "GET", ME, {}, b""))
    address = urlsplit(stack.url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=60)
    connection.request("GET", ME, headers={**headers, "Host": "elsewhere.test"})
    assert json.loads(connection.getresponse().read())["code"] == "signature_invalid"


@pytest.mark.skipif(shutil.which("node") is None, reason="WebCrypto is tried with Node, which is not installed")
def test_a_browser_gets_in(stack: RunningStack, key: Path) -> None:
    call = ["node", str(SCRIPT), str(key), stack.url, "GET", f"{ME}?event=K%C3%B6ln%20open"]
    done = subprocess.run(call, env={**os.environ, "SEND": "1"}, capture_output=True, check=True, text=True)
    assert json.loads(done.stdout)["status"] == 200


def test_who_has_no_key_gets_nothing(stack: RunningStack) -> None:
    with pytest.raises(Refused) as refused:
        Client(stack.url, Signer.new("nosuchkey234")).get("/v1/admin/keys")
    assert refused.value.code == "unknown_key"
