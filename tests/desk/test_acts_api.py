"""What referees do to games over HTTP, what everybody sees of it, and what the audit log keeps."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.core.durations import DAY, HOUR, MINUTE
from chalicelib.desk import audit
from chalicelib.games import fan_out, flagfall, rated, store
from chalicelib.games.events import RefereesEvent
from chalicelib.games.item import RUNNING, GameItem
from chalicelib.ratings import marking
from chalicelib.ratings.lookup import in_pool
from chalicelib.ratings.recompute import recompute
from chalicelib.recomputing import truth
from tests.desk.hand import Referee
from tests.desk.table import code, lists, paired, sound
from tests.games.conftest import Hand, Time

Door = Callable[..., Hand]
Desk = Callable[..., Referee]


@pytest.fixture(autouse=True)
def unwatched(on_engine: dict[str, str]) -> None:
    """No heartbeat of another test: it would soon be a silence."""
    from chalicelib.watch.store import WatchItem

    WatchItem("scan").delete()


def path(game: str, act: str) -> str:
    return f"/v1/admin/games/{game}/{act}"


def stored(game: str) -> dict[str, Any]:
    return dict(GameItem.get(game, consistent_read=True).attribute_values)


def acts_on(game: str) -> list[Any]:
    return audit.of_subject(f"game#{game}", 100).acts


GIFT = {"side": "white", "delta_ms": 12 * HOUR, "reason": "power cut in hall 2"}


def test_a_gift_is_answered_with_before_and_after_and_stands_in_log_and_audit(
    door: Door, now: Time, operator: Referee
) -> None:
    game, white, _ = paired(door)
    now.pass_by(4 * DAY)
    answer = operator.post(path(game, "adjust"), GIFT)
    assert answer.status_code == 200, answer.body
    act = answer.json_body
    assert (act["kind"], act["game"], act["actor"], act["reason"]) == ("adjust", game, "otto", GIFT["reason"])
    assert (act["side"], act["requested_ms"], act["applied_ms"], act["version"]) == ("white", 12 * HOUR, 12 * HOUR, 3)
    assert (act["before"]["white_ms"], act["after"]["white_ms"]) == (26 * DAY, 26 * DAY + 12 * HOUR)
    assert act["after"]["deadline_ms"] - act["before"]["deadline_ms"] == 12 * HOUR
    assert (act["warnings"], act["dry_run"]) == ([], False)

    shown = white.get(f"/v1/games/{game}").json_body
    assert shown["clock"]["deadline_ms"] == act["after"]["deadline_ms"]
    event = shown["events"][-1]
    assert (event["type"], event["side"], event["applied_ms"], event["act"]) == (
        "adjusted",
        "white",
        12 * HOUR,
        act["id"],
    )
    assert GIFT["reason"] not in json.dumps(shown), "why is a matter of the desk"

    (line,) = acts_on(game)
    assert (line.id, line.actor, line.key_id, line.reason) == (act["id"], "otto", operator.key.id, GIFT["reason"])
    assert len(line.signature) >= 16
    assert line.at_ms == now.ms
    sound(game)


def test_who_holds_the_version_before_an_act_is_told_the_new_state(door: Door, now: Time, operator: Referee) -> None:
    game, white, _ = paired(door)
    mark = white.get(f"/v1/games/{game}").headers["ETag"]
    assert white.get(f"/v1/games/{game}", If_None_Match=mark).status_code == 304
    acted = operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR})
    after = white.get(f"/v1/games/{game}", If_None_Match=mark)
    assert (after.status_code, after.headers["ETag"]) == (200, acted.headers["ETag"])
    assert after.json_body["clock"]["deadline_ms"] == acted.json_body["after"]["deadline_ms"]


def test_a_gift_over_the_cap_is_cut_and_both_amounts_are_told(door: Door, now: Time, operator: Referee) -> None:
    game, white, black = paired(door)
    now.pass_by(2 * DAY)
    body = {"player": white.player, "delta_ms": 5 * DAY, "reason": "illness"}
    act = operator.post(path(game, "adjust"), body).json_body
    assert (act["requested_ms"], act["applied_ms"], act["after"]["white_ms"]) == (5 * DAY, 2 * DAY, 30 * DAY)
    assert [warning["code"] for warning in act["warnings"]] == ["clamped"]
    assert "5 d were asked for, 2 d fit" in act["warnings"][0]["detail"]
    (line,) = acts_on(game)
    assert (line.requested_ms, line.applied_ms) == (5 * DAY, 2 * DAY)
    other = operator.post(path(game, "adjust"), body | {"player": black.player, "delta_ms": -DAY}).json_body
    assert [warning["code"] for warning in other["warnings"]] == ["deadline_stays"]
    sound(game)


def test_absolute_and_reset(door: Door, now: Time, operator: Referee) -> None:
    game, white, _ = paired(door)
    now.pass_by(3 * DAY)
    white.move(game, 2, "g1f3")
    exactly = 10 * DAY + 4 * HOUR
    set_to = operator.post(path(game, "adjust"), {"side": "white", "to_ms": exactly, "reason": "x"}).json_body
    assert set_to["after"]["white_ms"] == exactly
    start = operator.post(path(game, "adjust"), {"side": "white", "reset": "start", "reason": "x"}).json_body
    assert start["after"]["white_ms"] == 30 * DAY
    snapshot = operator.post(path(game, "adjust"), {"side": "white", "snapshot": 3, "reason": "x"}).json_body
    assert snapshot["after"]["white_ms"] == 28 * DAY
    sound(game)


@pytest.mark.parametrize(
    ("act", "body", "status", "wrong", "says"),
    [
        ("adjust", {"side": "white", "delta_ms": HOUR}, 400, "reason_required", "reason"),
        ("adjust", {"side": "white", "delta_ms": HOUR, "reason": " \n"}, 400, "reason_required", "say why"),
        ("adjust", {"side": "white", "delta_ms": -28 * DAY, "reason": "x"}, 409, "would_expire", "would leave -2 d"),
        ("adjust", {"side": "white", "to_ms": 0, "reason": "x"}, 409, "would_expire", "would leave 0 s of 26 d"),
        ("adjust", {"player": "carl", "delta_ms": HOUR, "reason": "x"}, 422, "not_in_game", "has White"),
        ("adjust", {"delta_ms": HOUR, "reason": "x"}, 400, "side_required", "exactly one"),
        ("adjust", {"side": "white", "player": "carl", "to_ms": 1, "reason": "x"}, 400, "side_required", "one"),
        ("adjust", {"side": "white", "reason": "x"}, 400, "change_required", "exactly one"),
        ("adjust", {"side": "white", "to_ms": 1, "delta_ms": 1, "reason": "x"}, 400, "change_required", "one"),
        ("adjust", {"side": "white", "snapshot": 99, "reason": "x"}, 422, "unknown_version", "there are 1 to 2"),
        ("adjust", {"side": "white", "to_ms": HOUR, "reason": "x", "version": 1}, 409, "stale_version", "version 2"),
        ("resume", {"reason": "x"}, 409, "nothing_to_do", "not paused for 'referee'"),
        ("adjudicate", {"result": "white"}, 400, "reason_required", "reason"),
        ("reinstate", {"to_ms": DAY, "reason": "x"}, 409, "not_ended_on_time", "not over"),
        ("undo", {"reason": "x"}, 409, "nothing_to_undo", "since the last ply"),
    ],
)
def test_bad_input_is_refused_with_numbers_and_nothing_is_written(
    door: Door, now: Time, operator: Referee, act: str, body: dict[str, Any], status: int, wrong: str, says: str
) -> None:
    game, _, _ = paired(door)
    now.pass_by(4 * DAY)
    before = stored(game)
    for more in ({}, {"dry_run": True}):
        answer = operator.post(path(game, act), body | more)
        assert (answer.status_code, answer.json_body["code"]) == (status, wrong), answer.body
        assert says in answer.json_body["detail"]
        assert (answer.json_body.get("game", {}).get("id") == game) is (status != 400)
    assert (stored(game), acts_on(game)) == (before, [])


def test_finished_games_and_passed_deadlines_are_refused(door: Door, now: Time, operator: Referee) -> None:
    game, white, _ = paired(door)
    now.pass_by(30 * DAY)
    assert code(operator.post(path(game, "adjust"), GIFT)) == "deadline_passed"
    now.pass_by(DAY)
    assert code(operator.post(path(game, "adjust"), GIFT)) == "game_over"
    assert store.load(game).result is not None, "whoever finds a passed deadline ends the game"
    other, white, _ = paired(door)
    white.post(f"/v1/games/{other}/resign")
    for act, body in (("pause", {}), ("adjudicate", {"result": "draw"}), ("undo", {}), ("adjust", GIFT)):
        assert code(operator.post(path(other, act), body | {"reason": "x"})) == "game_over"
    assert code(operator.post(path(other, "reinstate"), {"to_ms": DAY, "reason": "x"})) == "not_ended_on_time"
    assert acts_on(game) == acts_on(other) == []


def test_directors_act_in_their_events_alone(door: Door, now: Time, desk: Desk) -> None:
    own, _, _ = paired(door, event="open")
    foreign, _, _ = paired(door, event="closed")
    director = desk("director", events=("open",), name="dora")
    assert director.post(path(own, "adjust"), GIFT).json_body["actor"] == "dora"
    before = stored(foreign)
    for act, body in (("adjust", GIFT), ("adjudicate", {"result": "draw"}), ("undo", {})):
        answer = director.post(path(foreign, act), body | {"reason": "x"})
        assert (answer.status_code, answer.json_body["code"]) == (403, "foreign_event")
    assert (stored(foreign), acts_on(foreign)) == (before, [])
    assert len(director.get(f"/v1/admin/audit?game={own}").json_body["acts"]) == 1
    assert code(director.get(f"/v1/admin/audit?game={foreign}")) == "foreign_event"
    assert code(director.get("/v1/admin/audit?actor=dora")) == "role_required"
    assert code(director.get("/v1/admin/audit")) == "role_required"


def test_a_dry_run_tells_what_would_happen_and_writes_nothing(door: Door, now: Time, operator: Referee) -> None:
    game, _, _ = paired(door)
    now.pass_by(4 * DAY)
    before = stored(game)
    tried = operator.post(path(game, "adjust"), GIFT | {"dry_run": True}, key="k1")
    assert (stored(game), acts_on(game)) == (before, [])
    done = operator.post(path(game, "adjust"), GIFT, key="k1")
    assert tried.json_body["dry_run"] is True
    assert done.json_body == tried.json_body | {"dry_run": False}
    for act, body in (("pause", {}), ("adjudicate", {"result": "annul"}), ("undo", {})):
        at_hand = stored(game)
        answer = operator.post(path(game, act), body | {"reason": "x", "dry_run": True})
        assert (answer.status_code, answer.json_body["dry_run"]) == (200, True)
        assert stored(game) == at_hand
    assert len(acts_on(game)) == 1


def test_the_same_key_again_is_answered_the_same_and_done_once(door: Door, now: Time, operator: Referee) -> None:
    game, white, _ = paired(door)
    first = operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR}, key="k1")
    now.pass_by(HOUR)
    white.move(game, 2, "g1f3")
    operator.post(path(game, "pause"), {"reason": "x"})
    now.pass_by(HOUR)
    again = operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR}, key="k1")
    assert (again.status_code, again.body) == (200, first.body)
    assert code(operator.post(path(game, "adjust"), GIFT, key="k1")) == "idempotency_key_reused"
    assert code(operator.post(path(game, "undo"), {"reason": "x"}, key="k1")) == "idempotency_key_reused"
    assert len(acts_on(game)) == 2
    assert [event.key for event in store.load(game).log if isinstance(event, RefereesEvent)].count(
        first.json_body["id"]
    ) == 1
    sound(game)


def test_pauses_have_reasons_that_everybody_sees(door: Door, now: Time, operator: Referee) -> None:
    game, white, _ = paired(door)
    operator.post(path(game, "pause"), {"reason": "letter of the doctor", "because": "illness"})
    paused = operator.post(path(game, "pause"), {"reason": "x", "because": "power cut, hall 2"}).json_body
    assert paused["after"]["pause_reasons"] == ["illness", "power cut, hall 2"]
    assert code(operator.post(path(game, "pause"), {"reason": "x", "because": "illness"})) == "nothing_to_do"
    assert paused["after"]["deadline_ms"] is None
    now.pass_by(40 * DAY)
    shown = white.get(f"/v1/games/{game}").json_body
    assert (shown["status"], shown["clock"]["pause_reasons"]) == ("paused", ["illness", "power cut, hall 2"])
    operator.post(path(game, "resume"), {"reason": "x", "because": "illness"})
    assert code(white.move(game, 2, "g1f3")) == "game_paused"
    running = operator.post(path(game, "resume"), {"reason": "x", "because": "power cut, hall 2"}).json_body
    assert running["after"]["white_ms"] == 30 * DAY
    assert white.move(game, 2, "g1f3").status_code == 200
    sound(game)


# --- decisions and what follows from them


def waiting_in_pool(game: str) -> list[Any]:
    """What waits in the pool of the game for it, by the newest version that does."""
    changes = marking.waiting(rated.pool_of(store.load(game)))
    edits = [edit for change in changes for edit in change.edits if edit.result_id == game]
    return [(max(edits, key=lambda edit: edit.version),)]


def test_a_decision_and_its_undoing_are_followed_by_lists_and_rating(door: Door, now: Time, operator: Referee) -> None:
    game, white, black = paired(door)
    now.pass_by(DAY)
    act = operator.post(path(game, "adjudicate"), {"result": "black", "reason": "engine use"}).json_body
    assert (act["after"]["result"], act["after"]["winner"], act["after"]["status"]) == (
        "adjudication",
        "black",
        "finished",
    )
    ended = store.load(game)
    fan_out.ended(ended)
    assert lists(white.player) == lists(black.player) == ([], [game])
    ((edit,),) = waiting_in_pool(game)
    assert (edit.played.winner, edit.clear) == ("B", ())
    place = (ended.result.at_ms if ended.result else 0, game)

    now.pass_by(2 * DAY)
    undone = operator.post(path(game, "undo"), {"reason": "appeal"}).json_body
    assert undone["after"]["deadline_ms"] - now.ms == act["before"]["deadline_ms"] - act["at_ms"]
    assert lists(white.player) == lists(black.player) == ([game], [])
    ((edit,),) = waiting_in_pool(game)
    assert (edit.played, edit.clear) == (None, (place,))
    assert sound(game).offer is None

    # The stream delivers the end again, late.
    fan_out.ended(ended)
    assert lists(white.player) == lists(black.player) == ([game], [])
    ((edit,),) = waiting_in_pool(game)
    assert (edit.played, edit.clear) == (None, (place,))
    sound(game)

    assert white.move(game, 2, "g1f3").status_code == 200
    operator.post(path(game, "adjudicate"), {"result": "annul", "reason": "withdrawn"})
    annulled = sound(game)
    fan_out.ended(annulled)
    assert annulled.status(now.ms) == "aborted"
    assert lists(white.player) == lists(black.player) == ([], [])
    ((edit,),) = waiting_in_pool(game)
    assert (edit.played, edit.clear) == (None, (place,))
    assert code(white.get(f"/v1/games/{game}/export")) == "not_exportable"
    sound(game)


def test_what_was_rated_after_an_undone_decision_is_rated_as_if_it_had_never_been(
    door: Door, now: Time, operator: Referee
) -> None:
    game, white, black = paired(door)
    pool = rated.pool_of(store.load(game))

    def ratings(*hands: Hand) -> list[Any]:
        assert recompute(pool, truth, lambda: False).outcome == "committed"
        found = in_pool(pool, {hand.player for hand in hands}, now.ms)
        return [found[hand.player] for hand in hands]

    operator.post(path(game, "adjudicate"), {"result": "black", "reason": "x"})
    fan_out.ended(store.load(game))
    now.pass_by(HOUR)
    later, carl, _ = paired(door, moves=0)
    # White plays on elsewhere, and so does somebody who has never played.
    for winner, loser in ((carl, white), (door("eric" + later), door("dora" + later))):
        body = {"opponent": loser.player, "profile": "30-30-1", "colour": "white"}
        other = winner.post("/v1/challenges", body, key=uuid.uuid4().hex).json_body["id"]
        loser.post(f"/v1/challenges/{other}/accept")
        loser.post(f"/v1/games/{other}/resign")
        fan_out.ended(store.load(other))
    dora = door("dora" + later)
    beaten, lucky, twin = ratings(white, black, dora)
    assert beaten.rounded < twin.rounded < lucky.rounded

    operator.post(path(game, "undo"), {"reason": "x"})
    once, new, twin = ratings(white, black, dora)
    assert (once.standing.values, once.standing.games) == (twin.standing.values, 1)
    assert (new.standing.values, new.standing.games) == (in_pool(pool, {"nobody"}, now.ms)["nobody"].standing.values, 0)


def test_a_game_flagged_wrongly_goes_on(door: Door, now: Time, operator: Referee) -> None:
    game, white, black = paired(door)
    now.pass_by(31 * DAY)
    assert white.get(f"/v1/games/{game}").json_body["result"]["reason"] == "time"
    fan_out.ended(store.load(game))
    now.pass_by(DAY)
    body = {"to_ms": 2 * DAY, "reason": "the server was away"}
    assert code(operator.post(path(game, "reinstate"), body | {"to_ms": 0})) == "would_expire"
    act = operator.post(path(game, "reinstate"), body).json_body
    assert (act["before"]["result"], act["after"]["result"], act["after"]["status"]) == ("time", None, "active")
    assert (act["side"], act["requested_ms"], act["applied_ms"]) == ("white", 2 * DAY, 2 * DAY)
    assert act["after"]["deadline_ms"] == now.ms + 2 * DAY
    assert lists(white.player) == lists(black.player) == ([game], [])
    ((edit,),) = waiting_in_pool(game)
    assert (edit.played, len(edit.clear)) == (None, 1)
    sound(game)
    assert (game, now.ms + 2 * DAY + 1_500) in set(store.due_before(RUNNING, now.ms + 3 * DAY))
    assert not flagfall.flag(game, now.ms)
    now.pass_by(2 * DAY + MINUTE)
    assert flagfall.flag(game, now.ms)
    sound(game)


# --- the negative: nothing else moves a deadline


def test_no_route_moves_a_deadline_without_its_account(door: Door, now: Time, operator: Referee) -> None:
    """Settled 14: after every act that the desk has, the deadline is the turn and the account; no body can name one."""
    game, _, _ = paired(door)
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("adjust", {"side": "white", "delta_ms": -DAY}),
        ("adjust", {"side": "white", "to_ms": 9 * DAY}),
        ("adjust", {"side": "black", "delta_ms": -DAY}),
        ("adjust", {"side": "white", "reset": "start"}),
        ("pause", {}),
        ("adjust", {"side": "white", "delta_ms": -DAY}),
        ("resume", {}),
        ("undo", {}),
        ("undo", {}),
        ("adjudicate", {"result": "draw"}),
        ("undo", {}),
    ]
    for act, body in bodies:
        now.pass_by(HOUR)
        answer = operator.post(path(game, act), body | {"reason": "x"})
        assert answer.status_code == 200, answer.body
        after = answer.json_body["after"]
        running = sound(game).clock
        assert running is not None
        if after["deadline_ms"] is not None:
            left = after["white_ms"]
            assert after["deadline_ms"] == now.ms + left
            assert after["deadline_ms"] == running.turn_started_at_ms + running.white.remaining_ms
    for field in ("deadline_ms", "deadline", "turn_started_ms", "at_ms", "now_ms"):
        for act, body in bodies:
            sent = body | {"reason": "x", field: now.ms + 90 * DAY}
            assert code(operator.post(path(game, act), sent)) == "invalid_body"


# --- the audit log


def test_the_audit_is_listed_by_game_actor_and_day_in_stable_pages(door: Door, now: Time, desk: Desk) -> None:
    name = f"otto-{uuid.uuid4().hex[:8]}"
    operator = desk(name=name)
    one, _, _ = paired(door)
    other, _, _ = paired(door)
    done = []
    for number in range(5):
        now.pass_by(HOUR)
        game = one if number % 2 == 0 else other
        done.append(operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR}).json_body["id"])

    def ids(target: str) -> list[str]:
        answer = operator.get(target)
        assert answer.status_code == 200, answer.body
        return [act["id"] for act in answer.json_body["acts"]]

    assert ids(f"/v1/admin/audit?game={one}") == [done[4], done[2], done[0]]
    assert ids(f"/v1/admin/audit?actor={name}") == done[::-1]
    day = audit.day_of(now.ms)
    assert [act for act in ids(f"/v1/admin/audit?day={day}&limit=100") if act in done] == done[::-1]
    assert [act for act in ids("/v1/admin/audit?limit=100") if act in done] == done[::-1], "today, if nothing is said"
    assert ids("/v1/admin/audit?day=1999-01-01") == []

    seen, cursor = [], ""
    while True:
        page = operator.get(f"/v1/admin/audit?actor={name}&limit=2{cursor}").json_body
        seen += [act["id"] for act in page["acts"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
        now.pass_by(HOUR)
        operator.post(path(one, "adjust"), GIFT | {"delta_ms": -HOUR})
    assert seen == done[::-1], "what is done meanwhile moves no page"
    assert code(operator.get(f"/v1/admin/audit?actor={name}&game={one}")) == "filter_required"


def test_the_audit_is_exported_line_by_line(door: Door, now: Time, operator: Referee) -> None:
    game, _, _ = paired(door)
    for _ in range(3):
        now.pass_by(HOUR)
        operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR})
    answer = operator.get(f"/v1/admin/audit/export?game={game}&limit=2")
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    *lines, trailer = [json.loads(line) for line in answer.body.decode().splitlines()]
    assert trailer["trailer"]["count"] == len(lines) == 2
    rest = operator.get(f"/v1/admin/audit/export?game={game}&cursor={trailer['trailer']['next']}")
    *more, trailer = [json.loads(line) for line in rest.body.decode().splitlines()]
    assert (len(more), trailer["trailer"]["next"]) == (1, None)
    assert [line["reason"] for line in lines + more] == [GIFT["reason"]] * 3
    assert all(line["before"]["version"] + 1 == line["after"]["version"] == line["version"] for line in lines + more)


def test_an_act_that_stands_in_the_audit_is_never_written_over(door: Door, now: Time, operator: Referee) -> None:
    game, _, _ = paired(door)
    operator.post(path(game, "adjust"), GIFT | {"delta_ms": -HOUR})
    (line,) = acts_on(game)
    before = store.load(game)
    after = store.load(game)
    with pytest.raises(store.Stale):
        store.commit(before, after, also=audit.addition(line))
    assert acts_on(game) == [line]
