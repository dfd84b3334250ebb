"""Administering time controls over HTTP."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from chalicelib.clock.profiles import NAMED, ImpossibleProfile, Profile, UnknownProfile
from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.ids import fingerprint
from chalicelib.core.problems import Problem
from chalicelib.desk import profile_acts
from chalicelib.desk.acts import KeyReused
from chalicelib.desk.api import key_reused
from chalicelib.desk.bodies import ProfileBody, RetireBody
from chalicelib.desk.model import Act, ActKind, act_id
from chalicelib.desk.signed import admin_of, admitted
from chalicelib.desk.views import AdministeredProfile, AdministeredProfiles, AuditView, audit_view
from chalicelib.profiles import known
from chalicelib.reference.profiles import profile_view

endpoints: Final = Endpoints(__name__, admitted)


@endpoints.add(Operation("GET", "/v1/admin/profiles", None, {200: AdministeredProfiles}, role="director"))
def list_administered_profiles(request: Request[NoBody, NoQuery]) -> Answer:
    """All time controls that have a name, with those that are retired."""
    known.forget()
    listed = [
        AdministeredProfile(profile_view(profile), profile.code in NAMED, retired_ms)
        for profile, retired_ms in known.listed()
    ]
    return Answer(AdministeredProfiles(listed))


@endpoints.add(
    Operation(
        "POST",
        "/v1/admin/profiles",
        None,
        {201: AuditView},
        body=ProfileBody,
        codes=("idempotency_key_reused", "impossible_profile", "profile_exists"),
        needs_key=True,
        role="operator",
    )
)
def add_profile(request: Request[ProfileBody, NoQuery]) -> Answer:
    """Add a time control; one whose numbers contradict each other is refused with them."""
    body = request.body
    numbers = {name: getattr(body, name) for name in Profile.__struct_fields__}
    try:
        profile = Profile(**numbers)
        act = profile_acts.add(_act(request, "add_profile", body.code, profile), profile)
    except ImpossibleProfile as error:
        raise Problem(422, "impossible_profile", str(error)) from error
    except profile_acts.ProfileExists as error:
        raise Problem(409, "profile_exists", str(error)) from error
    except KeyReused as error:
        raise key_reused() from error
    return Answer(audit_view(act), status=201, headers={"Location": f"/v1/profiles/{profile.code}"})


@endpoints.add(
    Operation(
        "POST",
        "/v1/admin/profiles/retire",
        None,
        {200: AuditView},
        body=RetireBody,
        codes=("idempotency_key_reused", "nothing_to_do", "unknown_profile"),
        needs_key=True,
        role="operator",
    )
)
def retire_profile(request: Request[RetireBody, NoQuery]) -> Answer:
    """Retire a time control: games under way keep it, new ones cannot have it."""
    code = request.body.code
    try:
        act = profile_acts.retire(_act(request, "retire_profile", code, None), code)
    except UnknownProfile as error:
        raise Problem(422, "unknown_profile", str(error)) from error
    except profile_acts.AlreadyRetired as error:
        raise Problem(409, "nothing_to_do", f"{code!r} is retired already") from error
    except KeyReused as error:
        raise key_reused() from error
    return Answer(audit_view(act))


def _act(request: Request[Any, NoQuery], kind: ActKind, code: str, profile: Profile | None) -> Act:
    admin, body = admin_of(request), request.body
    if not body.reason.strip():
        raise Problem(400, "reason_required", "say why; the reason stands in the audit log")
    subject = f"profile#{code}"
    return Act(
        id=act_id(admin, subject, idempotency_key(request.headers)),
        at_ms=request.now_ms,
        actor=admin.name,
        key_id=admin.key_id,
        signature=admin.signature,
        kind=kind,
        subject=subject,
        reason=body.reason.strip(),
        fingerprint=fingerprint(kind, msgspec.json.encode(body).decode()),
        profile=profile,
    )
