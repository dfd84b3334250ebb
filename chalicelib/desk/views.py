"""What admins see: acts as they were done, or would be, and the audit log."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from chalicelib.clock.profiles import Profile
from chalicelib.desk.model import Act, ActKind, SideName, Snapshot, Warning, warnings
from chalicelib.reference.profiles import ProfileView

Millis = Annotated[int, Meta(description="milliseconds")]
Instant = Annotated[int, Meta(description="milliseconds since the epoch, UTC")]


class ActView(msgspec.Struct):
    """An act on a game, with the game before and after it. With `dry_run` it was not done."""

    id: str
    kind: ActKind
    game: str
    at_ms: Instant
    actor: str
    reason: str
    dry_run: bool
    version: int
    side: SideName | None
    requested_ms: Millis | None
    applied_ms: Millis | None
    before: Snapshot
    after: Snapshot
    warnings: list[Warning]


class AuditView(msgspec.Struct):
    """An act in the audit log. `signature` is the nonce of the signed request, `key_id` names the key."""

    id: str
    kind: ActKind
    subject: str
    at_ms: Instant
    actor: str
    key_id: str
    signature: str
    reason: str
    version: int | None
    side: SideName | None
    requested_ms: Millis | None
    applied_ms: Millis | None
    before: Snapshot | None
    after: Snapshot | None
    profile: Profile | None


class AuditPage(msgspec.Struct):
    """A page of acts, latest first; `next` is the cursor of the next page."""

    acts: list[AuditView]
    next: str | None


class AdministeredProfile(msgspec.Struct):
    """A time control, and whether new games may use it."""

    profile: ProfileView
    is_built_in: bool
    retired_ms: Instant | None


class AdministeredProfiles(msgspec.Struct):
    """All time controls that have a name, and those that have been retired."""

    profiles: list[AdministeredProfile]


def act_view(act: Act, *, dry_run: bool = False) -> ActView:
    """The answer to an act on a game, be it the first time or repeated."""
    if act.version is None or act.before is None or act.after is None:
        raise ValueError(f"{act.id} is no act on a game")
    return ActView(
        id=act.id,
        kind=act.kind,
        game=act.subject.partition("#")[2],
        at_ms=act.at_ms,
        actor=act.actor,
        reason=act.reason,
        dry_run=dry_run,
        version=act.version,
        side=act.side,
        requested_ms=act.requested_ms,
        applied_ms=act.applied_ms,
        before=act.before,
        after=act.after,
        warnings=list(warnings(act)),
    )


def audit_view(act: Act) -> AuditView:
    """A line of the audit log."""
    return AuditView(**{name: getattr(act, name) for name in AuditView.__struct_fields__})
