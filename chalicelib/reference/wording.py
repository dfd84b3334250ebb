"""What a language has to bring along."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct


class Wording(Struct, frozen=True):
    """One language. Numbers stand in no text: they come in through placeholders, from the server's own constants.

    `form` gives the grammatical form that follows a number, as an index into the forms of `counted`. `short` are the
    signs of the units. Fractions are written with the `decimal_sign` and take the form `form_of_fractions`. `texts` are
    templates for str.format; a duration or count that fills a placeholder stands in
    the nominative.
    """

    form: Callable[[int], int]
    form_of_fractions: int
    decimal_sign: str
    counted: Mapping[str, tuple[str, ...]]
    short: Mapping[str, str]
    texts: Mapping[str, str]


def one_or_many(number: int) -> int:
    """Form 0 for one, form 1 for all else, as in English and German."""
    return 0 if number == 1 else 1
