"""Signing requests (RFC 9421) as `chalicelib.core.signing` wants them signed, and the file that a private key is in.

The file is a JSON Web Key (RFC 7517), which WebCrypto of browsers takes as it is.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from chalicelib.core.signing import LONGEST_WINDOW, TAG, Algorithm, Message, content_digest, covered

_LIFETIME_SECONDS: Final = LONGEST_WINDOW // 1_000
_HMAC_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key. `material` are the 32 bytes of the seed (Ed25519) or the shared secret (HMAC)."""

    key_id: str
    algorithm: Algorithm
    material: bytes = field(repr=False)

    @staticmethod
    def new(key_id: str, algorithm: Algorithm = "ed25519") -> Signer:
        return Signer(key_id, algorithm, secrets.token_bytes(_HMAC_BYTES))

    @property
    def verifying(self) -> bytes:
        """What the server needs to verify: the public key, or the same secret."""
        return self._private.public_key().public_bytes_raw() if self.algorithm == "ed25519" else self.material

    @property
    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.material)

    def sign(self, base: bytes) -> bytes:
        if self.algorithm == "ed25519":
            return self._private.sign(base)
        return hmac.digest(self.material, base, "sha256")

    def headers(self, message: Message, now_s: int | None = None, **changed: Any) -> dict[str, str]:
        """Content-Digest (where there is a body), Signature-Input and Signature for a message.

        `changed` replaces parameters of the signature; those that are None are left out.
        """
        digest = {"content-digest": content_digest(message.body)} if message.body else {}
        lines = {name: (text,) for name, text in digest.items()}
        to_sign = replace(message, headers={**message.headers, **lines})
        return {**digest, **self.signature(covered(to_sign), now_s, **changed)}

    def signature(self, components: dict[str, str], now_s: int | None = None, **changed: Any) -> dict[str, str]:
        """Signature-Input and Signature over components (RFC 9421, 2.5)."""
        created = int(time.time()) if now_s is None else now_s
        parameters = {
            "created": created,
            "expires": created + _LIFETIME_SECONDS,
            "nonce": secrets.token_urlsafe(16),
            "keyid": self.key_id,
            "alg": self.algorithm,
            "tag": TAG,
            **changed,
        }
        written = ";".join(f"{name}={_bare(value)}" for name, value in parameters.items() if value is not None)
        signed = f"({' '.join(components)});{written}"
        lines = [f"{name}: {value}" for name, value in components.items()] + [f'"@signature-params": {signed}']
        signature = base64.b64encode(self.sign("\n".join(lines).encode())).decode()
        return {"Signature-Input": f"sig={signed}", "Signature": f"sig=:{signature}:"}

    def save(self, path: Path) -> None:
        """Write the key to a new file that nobody else can read. Raises FileExistsError."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(self._jwk(), file, indent=1)
            file.write("\n")

    def _jwk(self) -> dict[str, str]:
        if self.algorithm == "ed25519":
            public = _base64url(self.verifying)
            return {"kty": "OKP", "crv": "Ed25519", "kid": self.key_id, "x": public, "d": _base64url(self.material)}
        return {"kty": "oct", "alg": "HS256", "kid": self.key_id, "k": _base64url(self.material)}

    @staticmethod
    def load(path: Path) -> Signer:
        """The key of a file that `save` wrote. Raises OSError, or ValueError for another file."""
        try:
            jwk = json.loads(path.read_text())
            is_pair = jwk["kty"] == "OKP"
            return Signer(
                jwk["kid"], "ed25519" if is_pair else "hmac-sha256", _from_base64url(jwk["d" if is_pair else "k"])
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is no key file of `python -m infra.admin key new`") from error


def _bare(value: int | str) -> str:
    return str(value) if isinstance(value, int) else f'"{value}"'


def _base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
