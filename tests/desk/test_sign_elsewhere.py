"""Others sign as well as we do: the library's own signer, and a browser's WebCrypto, which Node has too."""

from __future__ import annotations

import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver, algorithms

from chalicelib.core.signing import TAG, Algorithm, claim, verify
from infra.admin.client import outgoing
from infra.admin.signer import Signer
from tests.desk.test_signing import NOW_MS, NOW_S, SECRET, SIGNER, URL, refusal

NODE = shutil.which("node")
SCRIPT = Path(__file__).with_name("webcrypto.mjs")
TARGET = "/v1/admin/audit?actor=an%20a&day=2026-11-30&text=%C3%BC~*-._%2B%22"
BODY = '{"delta_ms": 3600000, "reason": "für Anna"}'


@pytest.mark.parametrize("signer", [SIGNER, SECRET], ids=["ed25519", "hmac"])
def test_the_library_signs_what_we_take(signer: Signer) -> None:
    """It makes components and signature base of the whole URL by itself, as any client of RFC 9421 does."""
    is_pair = signer.algorithm == "ed25519"
    headers = {"Idempotency-Key": "act-1", "Content-Type": "application/json"}
    request = SimpleNamespace(method="POST", url=URL + TARGET, headers=headers)
    library = HTTPMessageSigner(
        signature_algorithm=algorithms.ED25519 if is_pair else algorithms.HMAC_SHA256,
        key_resolver=MappingKeyResolver(
            public_keys={}, private_keys={signer.key_id: signer._private if is_pair else signer.material}
        ),
    )
    made = datetime.fromtimestamp(NOW_S, UTC)
    parameters = [f'"@query-param";name="{name}"' for name in ("actor", "day", "text")]
    library.sign(
        request,
        key_id=signer.key_id,
        created=made,
        expires=made + timedelta(seconds=60),
        nonce="0123456789abcdef",
        tag=TAG,
        covered_component_ids=["@method", "@authority", "@path", *parameters, "idempotency-key"],
        body=BODY.encode(),
    )

    received = outgoing(URL, "POST", TARGET, headers, BODY.encode())
    assert refusal(received, signer, NOW_MS) is None


@pytest.mark.skipif(NODE is None, reason="WebCrypto is tried with Node, which is not installed")
@pytest.mark.parametrize("algorithm", ["ed25519", "hmac-sha256"])
@pytest.mark.parametrize("body", [BODY, ""])
def test_a_browser_signs_what_we_take(tmp_path: Path, algorithm: Algorithm, body: str) -> None:
    signer = Signer.new("k23456789abc", algorithm)
    signer.save(tmp_path / "key.json")
    method = "POST" if body else "GET"

    command = [str(NODE), str(SCRIPT), str(tmp_path / "key.json"), URL, method, TARGET, *([body] * bool(body))]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)

    message = outgoing(URL, method, TARGET, json.loads(done.stdout), body.encode())
    created_s = int(message.headers["signature-input"][0].partition("created=")[2].partition(";")[0])
    verify(message, claim(message, created_s * 1_000), algorithm, signer.verifying)


def test_a_key_file_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "otto.json"
    for algorithm in ("ed25519", "hmac-sha256"):
        signer = Signer.new("k23456789abc", algorithm)
        signer.save(path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert Signer.load(path) == signer
        with pytest.raises(FileExistsError):
            signer.save(path)
        path.unlink()
    path.write_text("{}")
    with pytest.raises(ValueError, match="no key file"):
        Signer.load(path)
