"""Every language says everything, says it with the server's numbers, and never promises more time than there is."""

from __future__ import annotations

from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.reference.rules import ENDS, SECTIONS, quotations
from chalicelib.reference.texts import LANGUAGES, WORDINGS, Language, abbreviated, counted, spelled

PROFILE_TEXTS = {"profile.saving", "profile.rigid", "profile.late"}
UNITS = {"day": DAY, "hour": HOUR, "minute": MINUTE, "second": SECOND}


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def used_keys() -> set[str]:
    paragraphs = {f"{section}.{name}" for section, names in SECTIONS.items() for name in (*names, "title")}
    return paragraphs | {f"end.{reason}" for reason in ENDS} | PROFILE_TEXTS


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_text_and_no_other(language: Language) -> None:
    assert set(WORDINGS[language].texts) == used_keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_placeholder(language: Language) -> None:
    german = {key: placeholders(template) for key, template in WORDINGS["de"].texts.items()}
    assert {key: placeholders(template) for key, template in WORDINGS[language].texts.items()} == german


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_quotation_is_quoted_and_no_number_is_written_out(language: Language) -> None:
    rules = {key: template for key, template in WORDINGS[language].texts.items() if key not in PROFILE_TEXTS}
    quoted = set().union(*(placeholders(template) for template in rules.values()))
    assert quoted == set(quotations(language))
    assert [key for key, template in WORDINGS[language].texts.items() if any(sign.isdigit() for sign in template)] == []


def test_texts_are_translated() -> None:
    for key in used_keys() - PROFILE_TEXTS:
        assert len({WORDINGS[language].texts[key] for language in LANGUAGES}) == len(LANGUAGES), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_unit_and_every_form(language: Language) -> None:
    wording = WORDINGS[language]
    assert set(wording.short) == set(UNITS)
    assert set(wording.counted) == set(WORDINGS["de"].counted)
    forms = {wording.form(number) for number in range(200)}
    assert {len(nouns) for nouns in wording.counted.values()} == {len(forms)} == {max(forms) + 1}


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("de", ["0 Tage", "1 Tag", "2 Tage", "11 Tage", "21 Tage"]),
        ("en", ["0 days", "1 day", "2 days", "11 days", "21 days"]),
        ("ru", ["0 дней", "1 день", "2 дня", "11 дней", "21 день"]),
    ],
)
def test_numbers_take_the_right_noun(language: Language, texts: list[str]) -> None:
    assert [counted(language, number, "day") for number in (0, 1, 2, 11, 21)] == texts


@pytest.mark.parametrize("spell", [spelled, abbreviated])
@given(ms=st.integers(0, 4_000 * DAY), language=st.sampled_from(LANGUAGES))
def test_a_spelled_duration_is_floored(spell: object, ms: int, language: Language) -> None:
    """Read back, a duration is at most what it was, and by less than the smallest unit shown (settled 32)."""
    wording = WORDINGS[language]
    names = {form: unit for unit, forms in wording.counted.items() for form in forms if unit in UNITS}
    names |= {sign: unit for unit, sign in wording.short.items()}
    words = spell(language, ms).split()  # type: ignore[operator]
    read_ms = sum(int(number) * UNITS[names[name]] for number, name in zip(words[::2], words[1::2], strict=True))
    assert read_ms <= ms < read_ms + (SECOND if ms < HOUR else MINUTE)


def test_durations_at_the_edges() -> None:
    assert spelled("en", HOUR - 1) == "59 minutes 59 seconds"
    assert spelled("en", HOUR) == "1 hour"
    assert spelled("en", DAY - 1) == "23 hours 59 minutes"
    assert spelled("ru", 999) == "0 секунд"
    assert abbreviated("de", DAY * 12 // 10) == "1 T 4 Std 48 Min"
