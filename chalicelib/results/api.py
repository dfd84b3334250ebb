"""Recording, correcting and reading results over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from chalicelib.clubs import lookup
from chalicelib.clubs.answers import problems as of_clubs
from chalicelib.core.endpoint import Answer, Endpoints, NoBody, NoQuery, Operation, Request, idempotency_key
from chalicelib.core.ids import derived_id, fingerprint
from chalicelib.core.paging import PageQuery, cursor_of, entry_of
from chalicelib.core.problems import Problem
from chalicelib.results import linking, recording, store
from chalicelib.results.answers import NAMING, Deleted, StaleVersion, problems
from chalicelib.results.bodies import LinkBody, ResultBody, ResultChanges
from chalicelib.results.entering import changed, entered
from chalicelib.results.model import PLACE, Result
from chalicelib.results.views import ClubResultView, LinkView, ResultList, result_view

endpoints: Final = Endpoints(__name__)

_PLACE: Final = re.compile(PLACE)
_IF_MATCH: Final = re.compile(r'"([1-9][0-9]{0,8})"')
_WRITING: Final = ("busy", "role_required", "unknown_club")


# --- writing


@endpoints.add(
    Operation(
        "POST",
        "/v1/clubs/{club}/results",
        "record",
        {201: ClubResultView},
        body=ResultBody,
        needs_key=True,
        codes=(*_WRITING, *NAMING, "idempotency_key_reused", "member_twice", "rated_by_event"),
    )
)
def record_result(request: Request[ResultBody, NoQuery], club: str) -> Answer:
    """Record a result; the same request again gets the result that it made, as it stands."""
    result_id = derived_id("result", club, request.player, idempotency_key(request.headers))
    with problems():
        recording.require_recorder(club, request.player)
        draft = entered(result_id, club, request.body)
        mark = fingerprint(msgspec.json.encode(draft).decode())
        result = recording.enter(draft, mark)
    if result.requests[:1] != (mark,):
        raise Problem(
            422, "idempotency_key_reused", "this Idempotency-Key was used for another request; take a new one"
        )
    return _shown(result, status=201, headers={"Location": f"/v1/clubs/{result.club}/results/{result.id}"})


@endpoints.add(
    Operation(
        "PATCH",
        "/v1/clubs/{club}/results/{result}",
        "record",
        {200: ClubResultView},
        body=ResultChanges,
        takes_version=True,
        codes=(
            *(*_WRITING, *NAMING, "member_twice", "rated_by_event"),
            *("result_deleted", "stale_version", "unknown_result", "version_required"),
        ),
    )
)
def correct_result(request: Request[ResultChanges, NoQuery], club: str, result: str) -> Answer:
    """Correct a result: any field, whatever came after it; the ratings are replayed from there."""
    version = _seen_version(request)
    wanted = msgspec.json.encode(replace(request.body, version=None)).decode()
    mark = fingerprint(request.player, str(version), wanted)

    def decide(current: Result) -> Result:
        if current.deleted:
            raise Deleted
        if current.version != version:
            raise StaleVersion(current)
        return changed(current, request.body)

    with problems():
        recording.require_recorder(club, request.player)
        return _shown(recording.change(club, result, request.player, decide, mark))


@endpoints.add(
    Operation(
        "DELETE",
        "/v1/clubs/{club}/results/{result}",
        "record",
        {200: ClubResultView},
        codes=(*_WRITING, "unknown_result"),
    )
)
def delete_result(request: Request[NoBody, NoQuery], club: str, result: str) -> Answer:
    """Delete a result, whatever its version; the ratings become those of a world without it. May be repeated."""
    with problems():
        recording.require_recorder(club, request.player)
        deleted = recording.change(club, result, request.player, lambda current: replace(current, deleted=True))
    return _shown(deleted)


@endpoints.add(
    Operation(
        "PUT",
        "/v1/clubs/{club}/guests/{guest}/member",
        "record",
        {200: LinkView, 202: LinkView},
        body=LinkBody,
        codes=(*_WRITING, "guest_linked_elsewhere", "member_twice", "unknown_guest", "unknown_member"),
    )
)
def link_guest(request: Request[LinkBody, NoQuery], club: str, guest: str) -> Answer:
    """Say which member a guest is: all their results count for the member. 202: send it again for the rest."""
    with problems(), of_clubs():
        recording.require_recorder(club, request.player, linking.MAY_LINK)
        linked = linking.link(club, guest, request.body.member, request.player)
    view = LinkView(guest, request.body.member, linked.rewritten, linked.left)
    return Answer(view, status=202 if linked.left else 200)


def _seen_version(request: Request[ResultChanges, Any]) -> int:
    """The version that the sender has seen, from the body or the header. Raises a 400 Problem unless there is one."""
    header = _IF_MATCH.fullmatch(request.headers.get("if-match", "").strip())
    said = {version for version in (request.body.version, int(header[1]) if header else None) if version is not None}
    if len(said) != 1:
        raise Problem(400, "version_required", 'say in `version`, or in If-Match as "3", which version you have seen')
    return said.pop()


# --- reading


@endpoints.add(
    Operation(
        "GET",
        "/v1/clubs/{club}/results/{result}",
        "read",
        {200: ClubResultView},
        codes=("result_deleted", "unknown_club", "unknown_result"),
    )
)
def read_result(request: Request[NoBody, NoQuery], club: str, result: str) -> Answer:
    """A result as it stands; its ETag is its version. One that moved to another club is found where it was, too."""
    with problems():
        found = store.load(club, result)
        if found.deleted:
            raise Deleted
    return _shown(found)


@endpoints.add(
    Operation(
        "GET",
        "/v1/clubs/{club}/results",
        "read",
        {200: ResultList},
        query=PageQuery,
        codes=("invalid_cursor", "unknown_club"),
    )
)
def list_results_of_club(request: Request[NoBody, PageQuery], club: str) -> Answer:
    """The results of a club, last played first."""
    before = entry_of(request.query.cursor, _PLACE)
    lookup.require_club(club)
    return _page(store.page_of_club(club, request.query.limit, before))


@endpoints.add(
    Operation(
        "GET",
        "/v1/events/{event}/results",
        "read",
        {200: ResultList},
        query=PageQuery,
        codes=("invalid_cursor", "unknown_event"),
    )
)
def list_results_of_event(request: Request[NoBody, PageQuery], event: str) -> Answer:
    """The results of an event, of whatever club, last played first."""
    before = entry_of(request.query.cursor, _PLACE)
    with of_clubs():
        lookup.event(event)
    return _page(store.page_of_event(event, request.query.limit, before))


def _page(page: store.Page) -> Answer:
    return Answer(ResultList([result_view(result) for result in page.results], cursor_of(page.next_place)))


def _shown(result: Result, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(result_view(result), status=status, headers={"ETag": f'"{result.version}"', **(headers or {})})
