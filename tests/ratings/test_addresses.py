"""Addresses of partitions: every partition has one, and nothing else has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.ids import ENTITY_ID
from chalicelib.ratings.addresses import UnknownPartition, address, partition_at, pools
from chalicelib.ratings.model import Partition

IDS = st.from_regex(ENTITY_ID, fullmatch=True)
PARTITIONS = st.one_of(
    st.just(Partition("GLOBAL")),
    IDS.map(lambda club: Partition("CLUB", club)),
    IDS.map(lambda event: Partition("EVENT", event)),
    st.tuples(IDS, IDS).map(lambda ids: Partition("SEASON", "/".join(ids))),
    st.sampled_from(sorted(pools())),
)


@given(PARTITIONS)
def test_an_address_leads_back(partition: Partition) -> None:
    text = address(partition)
    assert partition_at(text) == partition
    assert "/" not in text and "#" not in text, "it is one part of a path"


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "GLOBAL", "Global", "global:", "global:abcdefghjkmn", "club", "club:", "club:abc", "event"),
        *("club:ABCDEFGHJKMN", "club:abcdefghjkmn:abcdefghjkmn", "club:abcdefghjkmn\n", "season:abcdefghjkmn"),
        *("season:abcdefghjkmn/abcdefghjkmn", "season:abcdefghjkmn:", "pool", "pool:chess", "pool:chess:bullet"),
        *("pool:checkers:blitz", "pool:chess/blitz", "pool:chess:blitz:", "decay", "club#abcdefghjkmn"),
        "club:" + "é" * 12,
    ],
)
def test_nothing_else_is_an_address(text: str) -> None:
    with pytest.raises(UnknownPartition):
        partition_at(text)


def test_there_is_a_pool_for_every_kind_and_time_class() -> None:
    assert [address(pool) for pool in pools()] == [
        *("pool:chess:blitz", "pool:chess:rapid", "pool:chess:classical"),
        *("pool:chess960:blitz", "pool:chess960:rapid", "pool:chess960:classical"),
    ]
