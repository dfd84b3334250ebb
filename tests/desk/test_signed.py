"""Signed requests at the HTTP door: who gets in, and what everybody else is told."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.desk.hand import Referee

Desk = Callable[..., Referee]

ME = "/v1/admin/me"


@pytest.mark.engine
@pytest.mark.parametrize("algorithm", ["ed25519", "hmac-sha256"])
def test_a_key_says_who_it_is(desk: Desk, algorithm: str) -> None:
    director = desk("director", events=("open", "blitz"), name="dora", algorithm=algorithm)

    answer = director.get(ME)

    assert (answer.status_code, answer.json_body) == (
        200,
        {"key_id": director.key.id, "name": "dora", "role": "director", "events": ["blitz", "open"]},
    )
