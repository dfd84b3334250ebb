"""Keys over HTTP: who am I, and who else is there. Keys are made and ended on the command line only."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request
from chalicelib.core.signing import Algorithm, Role
from chalicelib.core.time import real_ms
from chalicelib.desk import keys
from chalicelib.desk.keys import Key, KeyState
from chalicelib.desk.signed import admin_of, admitted, check_event

endpoints: Final = Endpoints(__name__, admitted)


class MeQuery(msgspec.Struct):
    """`event`: also say whether the key may act in this event."""

    event: Annotated[str, Meta(min_length=1, max_length=64)] | None = None


class AdminView(msgspec.Struct):
    """Whose signature a request bears. `events` are those of a director; an operator may act in all."""

    key_id: str
    name: str
    role: Role
    events: list[str]


class KeyView(msgspec.Struct):
    """A key, without what it signs with. Times are real time."""

    id: str
    name: str
    role: Role
    events: list[str]
    algorithm: Algorithm
    state: KeyState
    created_ms: int
    until_ms: int
    revoked_ms: int | None
    successor: str | None


class Keys(msgspec.Struct):
    """All keys that ever were, oldest first."""

    keys: list[KeyView]


@endpoints.add(
    Operation("GET", "/v1/admin/me", None, {200: AdminView}, query=MeQuery, role="director", codes=("foreign_event",))
)
def read_me(request: Request[NoBody, MeQuery]) -> Answer:
    """Whose signature the request bears, and whether they may act in an event: to try a new key."""
    admin = admin_of(request)
    if request.query.event is not None:
        check_event(admin, request.query.event)
    return Answer(AdminView(admin.key_id, admin.name, admin.role, sorted(admin.events)))


@endpoints.add(Operation("GET", "/v1/admin/keys", None, {200: Keys}, role="operator"))
def list_keys(request: Request[NoBody, NoQuery]) -> Answer:
    """All keys with names, roles and ends; what they sign with is never shown."""
    now_ms = real_ms()
    return Answer(Keys([_view(key, now_ms) for key in keys.listed()]))


def _view(key: Key, now_ms: int) -> KeyView:
    return KeyView(
        id=key.id,
        name=key.name,
        role=key.role,
        events=list(key.events),
        algorithm=key.algorithm,
        state=key.state_at(now_ms),
        created_ms=key.created_ms,
        until_ms=key.until_ms,
        revoked_ms=key.revoked_ms,
        successor=key.successor,
    )
