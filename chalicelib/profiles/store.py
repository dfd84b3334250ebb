"""What operators have said about time controls: in the desk table, one item a code."""

from __future__ import annotations

import msgspec
from msgspec import Struct
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.models import Model
from pynamodb.transactions import TransactWrite

from chalicelib.clock.profiles import Profile
from chalicelib.core.database import Table
from chalicelib.core.settings import settings

_PROFILES = "profiles"


class ProfileItem(Model):
    """An added profile, or the retirement of any."""

    class Meta(Table):
        table_name = settings().desk_table

    subject = UnicodeAttribute(hash_key=True)
    entry = UnicodeAttribute(range_key=True)
    profile = UnicodeAttribute(null=True)
    retired_ms = NumberAttribute(null=True)


class Administered(Struct, frozen=True):
    """What is stored about a code: the profile if it was added, and since when (game time) it is retired."""

    profile: Profile | None = None
    retired_ms: int | None = None


def load_all() -> dict[str, Administered]:
    """All codes that operators have said something about, by a strongly consistent read."""
    return {item.entry: _administered(item) for item in ProfileItem.query(_PROFILES, consistent_read=True)}


def add(transaction: TransactWrite, profile: Profile) -> None:
    """Add a new profile to a transaction, which fails if the code is taken."""
    item = ProfileItem(_PROFILES, profile.code, profile=msgspec.json.encode(profile).decode())
    transaction.save(item, condition=ProfileItem.entry.does_not_exist())


def retire(transaction: TransactWrite, code: str, now_ms: int) -> None:
    """Add the end of a profile to a transaction, which fails if it is retired already."""
    transaction.update(
        ProfileItem(_PROFILES, code),
        actions=[ProfileItem.retired_ms.set(now_ms)],
        condition=ProfileItem.retired_ms.does_not_exist(),
    )


def _administered(item: ProfileItem) -> Administered:
    profile = msgspec.json.decode(item.profile, type=Profile) if item.profile else None
    retired_ms = item.attribute_values.get("retired_ms")
    return Administered(profile, None if retired_ms is None else int(retired_ms))
