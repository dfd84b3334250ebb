"""The commands of the desk, typed as an operator would; the requests go through the app's own door."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from chalicelib.core.durations import DAY, HOUR
from chalicelib.games import store
from infra.admin.__main__ import main
from infra.admin.client import Client
from tests.desk.hand import Referee
from tests.desk.table import paired, sound
from tests.games.conftest import PUBLIC_URL, Hand, Time

Door = Callable[..., Hand]
Said = Callable[..., str]
Exchanged = tuple[int, str, str]


@pytest.fixture
def said(
    operator: Referee, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Said:
    """What a command prints; it fails unless the command ends with the code that is expected."""

    def exchange(_: Client, method: str, target: str, body: bytes, headers: Mapping[str, str]) -> Exchanged:
        answer = operator.client.http.request(method, target, headers=dict(headers), body=body)
        return answer.status_code, answer.headers["Content-Type"], answer.body.decode()

    monkeypatch.setattr(Client, "_exchange", exchange)
    operator.signer.save(tmp_path / "otto.json")

    def say(*arguments: str, ends: int = 0) -> str:
        code = main([*arguments, "--url", PUBLIC_URL, "--key", str(tmp_path / "otto.json")])
        printed = capsys.readouterr()
        assert code == ends, printed
        told = printed.err if ends else printed.out
        lines = [line for line in told.splitlines() if not line.startswith('{"level"')]
        return "\n".join(lines)

    return say


def test_the_address_of_the_tests_has_no_path() -> None:
    assert urlsplit(PUBLIC_URL).path in ("", "/")


def test_a_referee_types_all_acts(door: Door, now: Time, said: Said) -> None:
    game, white, _ = paired(door)
    now.pass_by(4 * DAY)
    gift = ("adjust", game, "--player", white.player, "--delta", "12h", "--reason", "power cut")
    tried = said(*gift, "--dry-run")
    assert tried.startswith(f"would adjust {game}")
    assert store.load(game).version == 2
    told = said(*gift, "--idempotency-key", "k1")
    assert "white: asked for 12 h, applied 12 h" in told
    assert "before: version 2, active, white 26 d, black 30 d, deadline" in told
    assert "after: version 3, active, white 26 d 12 h" in told
    assert said(*gift, "--idempotency-key", "k1") == told
    assert "white: asked for -1 d 12 h" in said("adjust", game, "--side", "white", "--delta=-1d12h", "--reason", "x")
    assert "warning (clamped)" in said("adjust", game, "--side", "white", "--to", "40d", "--reason", "x")
    said("adjust", game, "--side", "white", "--snapshot", "3", "--reason", "x")
    said("adjust", game, "--side", "white", "--reset", "--reason", "x")
    assert "paused for illness" in said("pause", game, "--because", "illness", "--reason", "x")
    said("resume", game, "--because", "illness", "--reason", "x")
    assert "adjudication, black wins" in said("adjudicate", game, "black", "--reason", "engine")
    assert "active, white 30 d" in said("undo", game, "--reason", "appeal")
    now.pass_by(31 * DAY)
    assert white.get(f"/v1/games/{game}").json_body["result"]["reason"] == "time"
    assert "active, white 2 d" in said("reinstate", game, "--to", "2d", "--reason", "server away")
    sound(game)

    lines = said("audit", "--game", game).splitlines()
    assert len(lines) == 10
    assert all("otto" in line for line in lines)
    exported = [json.loads(line) for line in said("audit", "--game", game, "--export").splitlines()]
    assert exported[0]["kind"] == "reinstate"
    assert sorted(act["kind"] for act in exported[1:]) == ["adjudicate", *["adjust"] * 5, "pause", "resume", "undo"]


def test_refusals_are_told_with_numbers_and_wrong_calls_are_told_what_is_right(
    door: Door, now: Time, said: Said, capsys: pytest.CaptureFixture[str]
) -> None:
    game, _, _ = paired(door)
    now.pass_by(HOUR)
    told = said("adjust", game, "--side", "white", "--delta=-31d", "--reason", "x", ends=1)
    assert "409 would_expire: would leave -1 d 1 h of 29 d 23 h" in told
    assert "unknown_game" in said("undo", "nosuchgame23", "--reason", "x", ends=1)
    for wrong in (
        ["adjust", game, "--side", "white", "--delta", "12 hours", "--reason", "x"],
        ["pause", game],
        ["adjudicate", game, "nobody", "--reason", "x"],
    ):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == 2
    assert "write 12h, 10d4h" in capsys.readouterr().err


def test_an_operator_types_profiles(door: Door, now: Time, said: Said) -> None:
    from chalicelib.profiles import known
    from chalicelib.profiles.store import ProfileItem

    try:
        told = said("profiles", "add", "9-9-1", "--start", "9d", "--increment", "1d", "--reason", "summer")
        assert json.loads(told)["cap_ms"] == 9 * DAY
        assert "9-9-1 is retired" in said("profiles", "retire", "9-9-1", "--reason", "over")
        assert "(added, retired 2026-" in said("profiles", "list")
        assert "above cap_ms" in said(
            "profiles", "add", "9-9-9", "--start", "1d", "--increment", "9d", "--reason", "x", ends=1
        )
    finally:
        ProfileItem("profiles", "9-9-1").delete()
        known.forget()
