"""Texts, durations and counts in the languages of the players."""

from __future__ import annotations

from typing import Final, Literal, get_args

from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.reference.english import ENGLISH
from chalicelib.reference.german import GERMAN
from chalicelib.reference.russian import RUSSIAN
from chalicelib.reference.wording import Wording

Language = Literal["de", "en", "ru"]

LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
WORDINGS: Final[dict[Language, Wording]] = {"de": GERMAN, "en": ENGLISH, "ru": RUSSIAN}

_UNITS: Final = (("day", DAY), ("hour", HOUR), ("minute", MINUTE), ("second", SECOND))


def text(language: Language, key: str, **values: object) -> str:
    """The text called `key`, its placeholders filled from `values`; values without a placeholder are left out."""
    return WORDINGS[language].texts[key].format_map(values)


def counted(language: Language, number: int, noun: str) -> str:
    """A number and its noun in the right form.

    >>> counted("ru", 2, "ply"), counted("ru", 5, "ply"), counted("en", 1, "ply")
    ('2 полухода', '5 полуходов', '1 ply')
    """
    wording = WORDINGS[language]
    return f"{number} {wording.counted[noun][wording.form(number)]}"


def spelled(language: Language, ms: int) -> str:
    """A duration (ms, not negative) in words, to the ms: the texts say exactly by what the server plays.

    >>> spelled("de", 30 * DAY), spelled("ru", 19 * HOUR + 12 * MINUTE), spelled("en", 1_500)
    ('30 Tage', '19 часов 12 минут', '1.5 seconds')
    """
    nouns = WORDINGS[language].counted
    return " ".join(f"{number} {nouns[unit][form]}" for number, unit, form in _parts(WORDINGS[language], ms))


def abbreviated(language: Language, ms: int) -> str:
    """As `spelled`, with the signs of the units.

    >>> abbreviated("de", 2 * DAY + 3 * HOUR), abbreviated("en", 0)
    ('2 T 3 Std', '0 s')
    """
    signs = WORDINGS[language].short
    return " ".join(f"{number} {signs[unit]}" for number, unit, _ in _parts(WORDINGS[language], ms))


def _parts(wording: Wording, ms: int) -> list[tuple[str, str, int]]:
    """Numbers, units and the forms that they ask for, largest unit first, without zeros."""
    parts = []
    for unit, length_ms in _UNITS:
        number, ms = divmod(ms, length_ms)
        if unit == "second" and ms:
            fraction = f"{ms:03d}".rstrip("0")
            parts.append((f"{number}{wording.decimal_sign}{fraction}", unit, wording.form_of_fractions))
        elif number:
            parts.append((str(number), unit, wording.form(number)))
    return parts or [("0", "second", wording.form(0))]
