"""How an operation of the desk asks for a signature: who signed, may they, and have they asked this before?

`Endpoints(__name__, admitted)` takes operations with a role.
"""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import uuid4

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from chalicelib.core.database import Conflict, Table, update
from chalicelib.core.durations import MINUTE, SECOND
from chalicelib.core.endpoint import Request
from chalicelib.core.ids import ENTITY_ID
from chalicelib.core.logging import log
from chalicelib.core.problems import Problem
from chalicelib.core.settings import settings
from chalicelib.core.signing import Admin, Claim, Message, Role, claim, refused, verify
from chalicelib.core.time import real_ms
from chalicelib.desk import keys
from chalicelib.desk.keys import Key

_KEY_ID: Final = re.compile(ENTITY_ID)
_SHOWN: Final = 40
_KEPT: Final = 10 * MINUTE
"""How long a nonce is kept after its signature has expired: longer than any two of our clocks differ."""


class NonceItem(Model):
    """A signature that was used; the table forgets it when nobody could use it again anyway."""

    class Meta(Table):
        table_name = settings().desk_table

    subject = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    used_by = UnicodeAttribute()
    expires_at = NumberAttribute()


def admitted(message: Message, role: Role) -> Admin:
    """Who signed a message. Raises a Problem, which is logged, unless they may do what takes this role.

    The nonce is kept only when all else is right: nobody without a key can write anything.
    """
    now_ms = real_ms()
    claimed = None
    try:
        claimed = claim(message, now_ms)
        key = _signer(message, claimed, now_ms)
        if key.role not in ("operator", role):
            raise Problem(403, "role_required", f"this takes the role {role}; the key of {key.name} has {key.role}")
        _use_up(claimed)
    except Problem as problem:
        known = {"key": claimed.key_id[:_SHOWN], "nonce": claimed.nonce} if claimed else {}
        log().warning("signature refused", extra={"code": problem.code, "detail": problem.detail, **known})
        raise
    return Admin(key.id, key.name, key.role, frozenset(key.events), claimed.nonce)


def admin_of(request: Request[Any, Any]) -> Admin:
    """Who signed a request of an operation with a role."""
    if request.admin is None:
        raise TypeError("the operation has no role")
    return request.admin


def check_event(admin: Admin, event: str | None) -> None:
    """Raises a 403 Problem if the event (None: no event at all) is not one in which the admin may act."""
    if admin.role == "director" and event not in admin.events:
        of_what = f"the event {event!r}" if event else "no event"
        own = ", ".join(sorted(admin.events)) or "none"
        raise Problem(403, "foreign_event", f"this is of {of_what}, and {admin.name} directs {own}")


def _signer(message: Message, claimed: Claim, now_ms: int) -> Key:
    """The key that was claimed, if it has signed the message and counts. What became of it, only its holder is told."""
    key = keys.find(claimed.key_id) if _KEY_ID.fullmatch(claimed.key_id) else None
    if key is None:
        raise refused("unknown_key", "no key has this keyid")
    verify(message, claimed, key.algorithm, key.material)
    state = key.state_at(now_ms)
    if state == "revoked":
        raise refused("key_revoked", "this key was revoked")
    if state == "expired":
        raise refused("key_expired", "this key has expired")
    return key


def _use_up(claimed: Claim) -> None:
    item, use = NonceItem(f"nonce#{claimed.key_id}", claimed.nonce), uuid4().hex
    forgotten = (claimed.expires_ms + _KEPT) // SECOND
    try:
        update(
            item,
            [NonceItem.used_by.set(use), NonceItem.expires_at.set(forgotten)],
            NonceItem.entry.does_not_exist(),
        )
    except Conflict as conflict:
        # Our own use, if the answer got lost and the write was sent again.
        if not isinstance(conflict.current, NonceItem) or conflict.current.used_by != use:
            raise refused(
                "signature_replayed", "this signature was used before; sign again with another nonce"
            ) from None
