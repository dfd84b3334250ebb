"""`key new|list|rotate|revoke`: who may act at the desk. Works on the store itself, so it takes the rights to it."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.core.durations import DAY, HOUR
from chalicelib.core.identity import PLAYER_ID
from chalicelib.core.ids import random_id
from chalicelib.core.time import real_ms
from infra.admin.signer import Signer
from infra.admin.where import keys_folder, lead_to_store

if TYPE_CHECKING:
    from chalicelib.desk.keys import Key
    from infra.local import Commands

_LONGEST_DAYS: Final = 3650
_LONGEST_HOURS: Final = 24 * 30


def register(commands: Commands) -> None:
    about = commands.add_parser("key", help="make, list, rotate and revoke the keys that requests are signed with")
    parts = about.add_subparsers(metavar="COMMAND", required=True)

    new = parts.add_parser("new", help="give somebody a key; the private one goes to a file that only you can read")
    new.add_argument("name", type=_name, help="the person, as the audit log shall name them")
    new.add_argument("--role", choices=("operator", "director"), required=True)
    new.add_argument("--event", action="append", default=[], help="an event of a director; may be given again")
    new.add_argument("--hmac", action="store_true", help="a shared secret (HMAC-SHA256) instead of a pair (Ed25519)")
    _add_life(new)
    new.set_defaults(handle=_new)

    parts.add_parser("list", help="all keys that ever were").set_defaults(handle=_list)

    rotate = parts.add_parser("rotate", help="replace a key by a new one of the same person, role and events")
    rotate.add_argument("id")
    rotate.add_argument(
        "--overlap", type=_number(0, _LONGEST_HOURS), default=0, help="hours for which the old key still counts (0)"
    )
    _add_life(rotate)
    rotate.set_defaults(handle=_rotate)

    revoke = parts.add_parser("revoke", help="end a key at once")
    revoke.add_argument("id")
    revoke.set_defaults(handle=_revoke)


def _add_life(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=_number(1, _LONGEST_DAYS), default=365, help="until it expires (%(default)s)")
    parser.add_argument("--out", type=Path, help=f"where the private key goes (default: a new file in {keys_folder()})")


def _name(text: str) -> str:
    if not re.fullmatch(PLAYER_ID, text):
        raise argparse.ArgumentTypeError(f"{text!r} is no name ({PLAYER_ID})")
    return text


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")
        return int(text)

    return read


def _new(arguments: argparse.Namespace) -> int:
    if (arguments.role == "director") != bool(arguments.event):
        print("A director has events, an operator has none: --event goes with --role director.", file=sys.stderr)
        return 2
    lead_to_store()
    from chalicelib.desk import keys
    from chalicelib.desk.keys import Key

    now_ms = real_ms()
    signer = Signer.new(random_id(), "hmac-sha256" if arguments.hmac else "ed25519")
    key = Key(
        id=signer.key_id,
        name=arguments.name,
        role=arguments.role,
        events=tuple(dict.fromkeys(arguments.event)),
        algorithm=signer.algorithm,
        material=signer.verifying,
        created_ms=now_ms,
        until_ms=now_ms + arguments.days * DAY,
    )
    path = _saved(signer, key, arguments.out)
    keys.add(key)
    print(f"{_line(key, now_ms)}\nprivate key: {path}")
    return 0


def _list(_: argparse.Namespace) -> int:
    lead_to_store()
    from chalicelib.desk import keys

    for key in keys.listed():
        print(_line(key, real_ms()))
    return 0


def _rotate(arguments: argparse.Namespace) -> int:
    lead_to_store()
    from msgspec.structs import replace

    from chalicelib.desk import keys

    try:
        old = keys.load(arguments.id)
        signer = Signer.new(random_id(), old.algorithm)
        now_ms = real_ms()
        until_ms = now_ms + arguments.days * DAY
        new = replace(old, id=signer.key_id, material=signer.verifying, created_ms=now_ms, until_ms=until_ms)
        path = _saved(signer, new, arguments.out)
        keys.rotate(old, new, now_ms + arguments.overlap * HOUR)
    except keys.UnknownKey:
        return _no_such_key(arguments.id)
    except keys.KeyEnded:
        path.unlink()
        print(f"The key {arguments.id} was revoked or replaced before.", file=sys.stderr)
        return 1
    print(f"{_line(new, now_ms)}\nprivate key: {path}")
    return 0


def _revoke(arguments: argparse.Namespace) -> int:
    lead_to_store()
    from chalicelib.desk import keys

    try:
        print(_line(keys.revoke(arguments.id, real_ms()), real_ms()))
    except keys.UnknownKey:
        return _no_such_key(arguments.id)
    return 0


def _no_such_key(key_id: str) -> int:
    print(f"There is no key {key_id}; `key list` shows all.", file=sys.stderr)
    return 1


def _saved(signer: Signer, key: Key, out: Path | None) -> Path:
    """Kept before the store knows of it: a key that nobody holds cannot be used, but one that is lost would stay."""
    path = out or keys_folder() / f"{key.name}-{key.id}.json"
    signer.save(path)
    return path.resolve()


def _line(key: Key, now_ms: int) -> str:
    """A key in one line: id, state, role, name, algorithm, end, events."""
    until = datetime.fromtimestamp(key.until_ms / 1_000, UTC).isoformat(timespec="minutes").replace("+00:00", "Z")
    rest = [f"events {', '.join(key.events)}"] if key.events else []
    rest += [f"replaced by {key.successor}"] if key.successor else []
    state = key.state_at(now_ms)
    return "  ".join([key.id, f"{state:7}", f"{key.role:8}", key.name, key.algorithm, f"until {until}", *rest])
