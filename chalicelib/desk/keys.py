"""Keys of those who run the server: who signs with which, until when. In the desk table, one item a key.

A key never changes, except that it ends: `until_ms` may come nearer, and `revoked_ms` is set once. Ended keys stay,
since the audit log names them.
"""

from __future__ import annotations

import contextlib
from typing import Final, Literal

import msgspec
from msgspec import Struct
from pynamodb.attributes import BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.core.database import Conflict, Table, update
from chalicelib.core.settings import settings
from chalicelib.core.signing import Algorithm, Role

KeyState = Literal["valid", "expired", "revoked"]

_KEYS: Final = "keys"


class UnknownKey(LookupError):
    """There is no key with this id."""


class KeyEnded(Exception):
    """The key is revoked, or was replaced by another one."""


class Key(Struct, frozen=True):
    """A key of a person. Times are real time.

    `material` is the raw public key (Ed25519) or the shared secret (HMAC), which no answer and no log ever shows.
    `events` are those of a director; an operator has none and needs none. `successor` is the key that replaced it.
    """

    id: str
    name: str
    role: Role
    events: tuple[str, ...]
    algorithm: Algorithm
    material: bytes
    created_ms: int
    until_ms: int
    revoked_ms: int | None = None
    successor: str | None = None

    def __repr__(self) -> str:
        """Without the secret, wherever a key is printed or logged."""
        return f"Key({self.id!r}, {self.name!r}, {self.role!r}, {self.algorithm!r})"

    def state_at(self, real_ms: int) -> KeyState:
        if self.revoked_ms is not None:
            return "revoked"
        return "valid" if real_ms < self.until_ms else "expired"


class KeyItem(Model):
    class Meta(Table):
        table_name = settings().desk_table

    subject = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    name = UnicodeAttribute()
    role = UnicodeAttribute()
    events = UnicodeAttribute()
    algorithm = UnicodeAttribute()
    material = BinaryAttribute(legacy_encoding=False)
    created_ms = NumberAttribute()
    until_ms = NumberAttribute()
    revoked_ms = NumberAttribute(null=True)
    successor = UnicodeAttribute(null=True)


def find(key_id: str) -> Key | None:
    """The key with this id, by a strongly consistent read: a key that was revoked is refused from then on."""
    try:
        return _key(KeyItem.get(_KEYS, key_id, consistent_read=True))
    except KeyItem.DoesNotExist:
        return None


def load(key_id: str) -> Key:
    """As `find`. Raises UnknownKey."""
    found = find(key_id)
    if found is None:
        raise UnknownKey(key_id)
    return found


def listed() -> list[Key]:
    """All keys that ever were, oldest first."""
    return sorted((_key(item) for item in KeyItem.query(_KEYS, consistent_read=True)), key=lambda key: key.created_ms)


def add(key: Key) -> None:
    """Store a new key. Its id is random, so that it is free."""
    _item(key).save(KeyItem.entry.does_not_exist())


def revoke(key_id: str, real_ms: int) -> Key:
    """End a key at once; one that is revoked stays as it is. Raises UnknownKey."""
    with contextlib.suppress(Conflict):
        update(_place(key_id), [KeyItem.revoked_ms.set(real_ms)], _stands())
    return load(key_id)


def rotate(old: Key, new: Key, old_until_ms: int) -> None:
    """Put `new` in the place of `old`, which counts until `old_until_ms` at the most. Raises KeyEnded.

    Both or neither: nobody is left without a key, and a key has one successor.
    """
    actions: list[Action] = [KeyItem.successor.set(new.id), KeyItem.until_ms.set(min(old.until_ms, old_until_ms))]
    try:
        with TransactWrite(connection=KeyItem._get_connection().connection) as transaction:
            transaction.save(_item(new), condition=KeyItem.entry.does_not_exist())
            transaction.update(
                _place(old.id), actions=actions, condition=_stands() & KeyItem.successor.does_not_exist()
            )
    except TransactWriteError as error:
        if error.cause_response_code != "TransactionCanceledException":
            raise
        raise KeyEnded(old.id) from error


def _stands() -> Condition:
    stands: Condition = KeyItem.entry.exists() & KeyItem.revoked_ms.does_not_exist()
    return stands


def _place(key_id: str) -> KeyItem:
    return KeyItem(_KEYS, key_id)


def _item(key: Key) -> KeyItem:
    return KeyItem(
        _KEYS,
        key.id,
        name=key.name,
        role=key.role,
        events=msgspec.json.encode(key.events).decode(),
        algorithm=key.algorithm,
        material=key.material,
        created_ms=key.created_ms,
        until_ms=key.until_ms,
    )


def _key(item: KeyItem) -> Key:
    revoked_ms: float | None = item.attribute_values.get("revoked_ms")
    return Key(
        id=item.entry,
        name=item.name,
        role=msgspec.convert(item.role, Role),
        events=msgspec.json.decode(item.events, type=tuple[str, ...]),
        algorithm=msgspec.convert(item.algorithm, Algorithm),
        material=item.material,
        created_ms=int(item.created_ms),
        until_ms=int(item.until_ms),
        revoked_ms=None if revoked_ms is None else int(revoked_ms),
        successor=item.successor,
    )
