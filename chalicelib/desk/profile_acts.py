"""Adding and retiring time controls: each act is stored together with its line in the audit log."""

from __future__ import annotations

from collections.abc import Callable

from pynamodb.exceptions import TransactWriteError
from pynamodb.transactions import TransactWrite

from chalicelib.clock.profiles import Profile, UnknownProfile, is_rigid_code, named
from chalicelib.desk import audit
from chalicelib.desk.acts import KeyReused
from chalicelib.desk.audit import AuditItem
from chalicelib.desk.model import Act
from chalicelib.profiles import known, store

_MANY = 1_000


class ProfileExists(Exception):
    """The code is taken; the message says by what."""


class AlreadyRetired(Exception):
    """The profile is retired already."""


def add(act: Act, profile: Profile) -> Act:
    """Add a profile. The same act again is answered as the first time. Raises ProfileExists, KeyReused."""

    def write(transaction: TransactWrite) -> None:
        _check_free(profile.code)
        store.add(transaction, profile)

    try:
        return _once(act, write)
    except TransactWriteError as error:
        if profile.code in store.load_all():
            raise ProfileExists(f"there is a profile {profile.code!r}") from error
        raise


def retire(act: Act, code: str) -> Act:
    """Retire a profile, of whatever origin. Raises UnknownProfile, AlreadyRetired, KeyReused."""

    def write(transaction: TransactWrite) -> None:
        known.find(code)
        store.retire(transaction, code, act.at_ms)

    try:
        return _once(act, write)
    except TransactWriteError as error:
        if store.load_all().get(code, store.Administered()).retired_ms is not None:
            raise AlreadyRetired(code) from error
        raise


def _once(act: Act, write: Callable[[TransactWrite], None]) -> Act:
    """Write an act with what it does, unless it was written before. A transaction that is cancelled may be our own, its
    answer lost, or somebody else was first."""
    if earlier := _earlier(act):
        return earlier
    known.forget()
    try:
        with TransactWrite(connection=AuditItem._get_connection().connection) as transaction:
            write(transaction)
            audit.addition(act)(transaction)
    except TransactWriteError as error:
        if error.cause_response_code == "TransactionCanceledException" and (earlier := _earlier(act)):
            return earlier
        raise
    finally:
        known.forget()
    return act


def _earlier(act: Act) -> Act | None:
    found = next((one for one in audit.of_subject(act.subject, _MANY).acts if one.id == act.id), None)
    if found is not None and found.fingerprint != act.fingerprint:
        raise KeyReused(act.id)
    return found


def _check_free(code: str) -> None:
    if is_rigid_code(code):
        raise ProfileExists(f"{code!r} is of the form T<days>_<moves>, which names the rigid profiles")
    try:
        named(code)
    except UnknownProfile:
        return
    raise ProfileExists(f"{code!r} is built in")
