"""The acts of a referee on games, and the audit log, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from chalicelib.core.endpoint import (
    NDJSON,
    Answer,
    Endpoints,
    NoBody,
    NoQuery,
    Operation,
    Request,
    idempotency_key,
)
from chalicelib.core.ids import fingerprint
from chalicelib.core.paging import cursor_of, entry_of
from chalicelib.core.problems import Problem
from chalicelib.core.sides import Side
from chalicelib.core.signing import Admin
from chalicelib.desk import acts, audit
from chalicelib.desk.bodies import (
    ActBody,
    AdjudicateBody,
    AdjustBody,
    AuditQuery,
    PauseBody,
    ReinstateBody,
)
from chalicelib.desk.model import GameActKind, Order, act_id, subject_of_game
from chalicelib.desk.signed import admin_of, admitted, check_event
from chalicelib.desk.views import ActView, AuditPage, act_view, audit_view
from chalicelib.games import commands, store
from chalicelib.games.answers import etag, problems, refused
from chalicelib.games.export import Trailer
from chalicelib.games.model import Game
from chalicelib.games.ruling import Refusal

endpoints: Final = Endpoints(__name__, admitted)

_ACTING: Final = (
    "busy",
    "clock_suspended",
    "foreign_event",
    "idempotency_key_reused",
    "not_started",
    "stale_version",
    "unknown_game",
)
_IN_TIME: Final = ("deadline_passed", "game_over")

Common = dict[str, Any]
"""The fields that all commands of the desk have."""


def _operation(path: str, body: type[msgspec.Struct], *codes: str) -> Operation:
    """An endpoint that does something to a game."""
    return Operation(
        "POST",
        f"/v1/admin/games/{{game_id}}/{path}",
        None,
        {200: ActView},
        body=body,
        codes=(*_ACTING, *codes),
        needs_key=True,
        role="director",
    )


@endpoints.add(
    _operation(
        "adjust",
        AdjustBody,
        *_IN_TIME,
        "change_required",
        "not_in_game",
        "side_required",
        "unknown_version",
        "would_expire",
    )
)
def adjust_clock(request: Request[AdjustBody, NoQuery], game_id: str) -> Answer:
    """Correct an account: by an amount, to an amount, or back to what it held."""
    body = request.body

    def command(game: Game, common: Common) -> commands.Adjust:
        if [body.delta_ms, body.to_ms, body.reset, body.snapshot].count(None) != 3:  # noqa: PLR2004 - all but one
            raise Problem(400, "change_required", "send exactly one of delta_ms, to_ms, reset and snapshot")
        side = _side(game, body, request.now_ms)
        reset_to = body.reset if body.snapshot is None else body.snapshot
        return commands.Adjust(side, body.delta_ms, body.to_ms, reset_to, **common)

    return _done(request, game_id, "adjust", command)


@endpoints.add(_operation("pause", PauseBody, *_IN_TIME, "nothing_to_do"))
def pause_game(request: Request[PauseBody, NoQuery], game_id: str) -> Answer:
    """Stop the clock; nobody can move, and nothing is charged."""
    because = request.body.because
    return _done(request, game_id, "pause", lambda _, common: commands.Pause(because, **common))


@endpoints.add(_operation("resume", PauseBody, *_IN_TIME, "nothing_to_do"))
def resume_game(request: Request[PauseBody, NoQuery], game_id: str) -> Answer:
    """Take one reason for a pause away; with the last one the clock runs on."""
    because = request.body.because
    return _done(request, game_id, "resume", lambda _, common: commands.Resume(because, **common))


@endpoints.add(_operation("adjudicate", AdjudicateBody, *_IN_TIME))
def adjudicate_game(request: Request[AdjudicateBody, NoQuery], game_id: str) -> Answer:
    """Decide a game: a win, a draw, or that it counts for nothing."""
    result = request.body.result
    winner = {"white": Side.WHITE, "black": Side.BLACK}.get(result)
    is_annulled = result == "annul"
    return _done(request, game_id, "adjudicate", lambda _, common: commands.Adjudicate(winner, is_annulled, **common))


@endpoints.add(_operation("reinstate", ReinstateBody, "game_over", "not_ended_on_time", "would_expire"))
def reinstate_game(request: Request[ReinstateBody, NoQuery], game_id: str) -> Answer:
    """Take back the end of a game that was flagged wrongly; it goes on with the account that is named."""
    to_ms = request.body.to_ms
    return _done(request, game_id, "reinstate", lambda _, common: commands.Reinstate(to_ms, **common))


@endpoints.add(_operation("undo", ActBody, *_IN_TIME, "nothing_to_undo", "would_expire"))
def undo_act(request: Request[ActBody, NoQuery], game_id: str) -> Answer:
    """Take the last act of a referee back, while no ply has followed it."""
    return _done(request, game_id, "undo", lambda _, common: commands.Undo(**common))


def _done(
    request: Request[Any, NoQuery],
    game_id: str,
    kind: GameActKind,
    command: Callable[[Game, Common], commands.DeskCommand],
) -> Answer:
    """200 with the act. Raises a Problem, with the game as it stands beside it where the game refuses the act."""
    admin, body = admin_of(request), request.body
    with problems():
        game = store.load(game_id)
    check_event(admin, game.terms.event)
    if not body.reason.strip():
        raise Problem(400, "reason_required", "say why; the reason stands in the audit log")
    common = {"key": act_id(admin, subject_of_game(game_id), idempotency_key(request.headers)), "version": body.version}
    order = Order(admin, kind, command(game, common), body.reason.strip(), _fingerprint(kind, body))
    return _carried_out(order, game, request.now_ms, dry_run=body.dry_run)


def _carried_out(order: Order, game: Game, now_ms: int, *, dry_run: bool) -> Answer:
    try:
        with problems():
            act = (acts.previewed if dry_run else acts.done)(order, game, now_ms)
    except acts.Refused as error:
        refusal = error.outcome.refusal
        raise refused(refusal or _nothing(order), error.outcome.game, now_ms) from error
    except acts.NothingToDo as error:
        raise refused(_nothing(order), error.game, now_ms) from error
    except acts.KeyReused as error:
        raise key_reused() from error
    return Answer(act_view(act, dry_run=dry_run), headers={"ETag": etag(act.version or 0)})


def key_reused() -> Problem:
    return Problem(422, "idempotency_key_reused", "this Idempotency-Key was used for another act; take a new one")


def _nothing(order: Order) -> Refusal:
    match order.command:
        case commands.Pause(reason):
            return Refusal("nothing_to_do", f"the game is paused for {reason!r} already")
        case commands.Resume(reason):
            return Refusal("nothing_to_do", f"the game is not paused for {reason!r}")
    return Refusal("nothing_to_do", "it is so already")


def _fingerprint(kind: str, body: ActBody) -> str:
    """What was asked for; whether it was only tried first makes no difference."""
    wanted = msgspec.structs.replace(body, dry_run=False)
    return fingerprint(kind, msgspec.json.encode(wanted).decode())


def _side(game: Game, body: AdjustBody, now_ms: int) -> Side:
    if (body.player is None) == (body.side is None):
        raise Problem(400, "side_required", "send exactly one of player and side")
    if body.player is None:
        return Side.WHITE if body.side == "white" else Side.BLACK
    side = game.side_of(body.player)
    if side is None:
        seats = f"{game.white or 'nobody'} has White, {game.black or 'nobody'} has Black"
        raise refused(Refusal("not_in_game", f"{body.player} does not play in this game: {seats}"), game, now_ms)
    return side


# --- the audit log

_READING: Final = ("filter_required", "foreign_event", "invalid_cursor", "unknown_game")


@endpoints.add(
    Operation("GET", "/v1/admin/audit", None, {200: AuditPage}, query=AuditQuery, codes=_READING, role="director")
)
def list_acts(request: Request[NoBody, AuditQuery]) -> Answer:
    """Acts of the desk, latest first: of a game (all that directors may ask for), a profile, a person or a day."""
    page = _page(request)
    return Answer(AuditPage([audit_view(act) for act in page.acts], cursor_of(page.next_entry)))


@endpoints.add(
    Operation("GET", "/v1/admin/audit/export", None, {200: NDJSON}, query=AuditQuery, codes=_READING, role="director")
)
def export_acts(request: Request[NoBody, AuditQuery]) -> Answer:
    """The same as ndjson: an act a line, and a trailer with the cursor of the next page."""
    page = _page(request)
    lines = [msgspec.json.encode(audit_view(act)) for act in page.acts]
    lines.append(msgspec.json.encode({"trailer": Trailer(len(page.acts), cursor_of(page.next_entry))}))
    return Answer(b"\n".join(lines).decode() + "\n", content_type=NDJSON)


def _page(request: Request[NoBody, AuditQuery]) -> audit.Page:
    query, admin = request.query, admin_of(request)
    limit, before = query.limit, entry_of(query.cursor, audit.ENTRY)
    if [query.game, query.profile, query.actor, query.day].count(None) < 3:  # noqa: PLR2004 - all but one
        raise Problem(400, "filter_required", "send at most one of game, profile, actor and day")
    if query.game is not None:
        return _page_of_game(admin, query.game, limit, before)
    if admin.role != "operator":
        raise Problem(403, "role_required", "directors see the acts on games of their events: ?game=")
    if query.profile is not None:
        return audit.of_subject(f"profile#{query.profile}", limit, before)
    if query.actor is not None:
        return audit.of_actor(query.actor, limit, before)
    return audit.of_day(query.day or audit.day_of(request.now_ms), limit, before)


def _page_of_game(admin: Admin, game_id: str, limit: int, before: str | None) -> audit.Page:
    if admin.role != "operator":
        with problems():
            check_event(admin, store.load(game_id).terms.event)
    return audit.of_subject(subject_of_game(game_id), limit, before)
