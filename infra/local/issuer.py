"""The local token issuer: what Cognito is in the cloud, without passwords. Anybody who can reach it may be anybody."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

ISSUER: Final = "https://issuer.zeitnot.invalid"
AUDIENCE: Final = "zeitnot"
DEFAULT_SCOPE: Final = "read play"
LIFETIME_SECONDS: Final = 12 * 60 * 60

# RS256 because Cognito signs with it: the local stack checks tokens on the same path as the cloud.
_ALGORITHM: Final = "RS256"
_KEY_ID: Final = "local"


class Issuer:
    """Signs tokens with the key kept in `key_path`, which is made on first use."""

    def __init__(self, key_path: Path) -> None:
        if not key_path.exists():
            key_path.parent.mkdir(parents=True, exist_ok=True)
            key_path.touch(mode=0o600)
            key_path.write_bytes(_new_key())
        key = serialization.load_pem_private_key(key_path.read_bytes(), password=None)
        if not isinstance(key, rsa.RSAPrivateKey):
            raise TypeError(f"{key_path.name} is no RSA key: remove it to get a new one")
        self._key = key

    def token(self, player: str, scope: str = DEFAULT_SCOPE, lifetime_s: int = LIFETIME_SECONDS) -> str:
        """A token for `player`. Its times are real ones, whatever the speed of the stack."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": player, "scope": scope, "iat": now, "exp": now + lifetime_s}
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM, headers={"kid": _KEY_ID})

    def key_set(self) -> dict[str, Any]:
        """The public key as a JSON Web Key Set (RFC 7517)."""
        public: dict[str, Any] = RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": _KEY_ID, "use": "sig", "alg": _ALGORITHM}]}


def _new_key() -> bytes:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
