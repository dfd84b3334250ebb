"""Every language says everything, and says it with the server's numbers, exactly."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from string import Formatter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from chalicelib.clock.profiles import NAMED
from chalicelib.core.durations import DAY, HOUR, MINUTE, SECOND
from chalicelib.reference.profiles import profile_text
from chalicelib.reference.rules import ENDS, SECTIONS, Constants, quotations, rules
from chalicelib.reference.texts import LANGUAGES, WORDINGS, Language, abbreviated, counted, spelled
from chalicelib.rules.chess.referee import FIFTY_MOVES, FIVEFOLD, SEVENTYFIVE_MOVES, THREEFOLD

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
def test_a_spelled_duration_is_exact(spell: Callable[[Language, int], str], ms: int, language: Language) -> None:
    assert read(language, spell(language, ms)) == ms


def read(language: Language, words: str) -> int:
    """The duration (ms) that words or signs stand for."""
    wording = WORDINGS[language]
    names = {form: unit for unit, forms in wording.counted.items() for form in forms if unit in UNITS}
    names |= {sign: unit for unit, sign in wording.short.items()}
    pairs = zip(words.split()[::2], words.split()[1::2], strict=True)
    spans = [Decimal(number.replace(wording.decimal_sign, ".")) * UNITS[names[name]] for number, name in pairs]
    assert all(span == int(span) for span in spans)
    return int(sum(spans))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_say_the_numbers_by_which_the_server_plays(language: Language) -> None:
    """Every constant stands in the text, to the ms, and no paragraph says another number."""
    quoted = quotations(language)
    for name, value in asdict(Constants()).items():
        if name.endswith("_ms"):
            assert read(language, quoted[name.removesuffix("_ms")]) == value, name
        else:
            assert quoted[name].startswith(str(value)), name
    of_profiles = "\n".join(profile_text(language, profile) for profile in NAMED.values())
    for section in rules(language).sections:
        for paragraph in section.paragraphs:
            rest = paragraph
            for said in sorted(quoted.values(), key=len, reverse=True):
                rest = rest.replace(said, "")
            assert rest.partition(": ")[2] in of_profiles or not any(sign.isdigit() for sign in rest), paragraph


WRITTEN_OUT: dict[Language, dict[str, int]] = {
    "de": {"dritten": 3, "fünften": 5, "fünfzig": 50, "fünfundsiebzig": 75},
    "en": {"third": 3, "fifth": 5, "fifty": 50, "seventy-five": 75},
    "ru": {"третий": 3, "пятом": 5, "пятьдесят": 50, "семидесяти пяти": 75},
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_written_as_words_are_those_of_the_referee(language: Language) -> None:
    drawn = [THREEFOLD, FIFTY_MOVES // 2, FIVEFOLD, SEVENTYFIVE_MOVES // 2]
    words = {number: word for word, number in WRITTEN_OUT[language].items()}
    claims, automatic = WORDINGS[language].texts["draws.claims"], WORDINGS[language].texts["draws.automatic"]
    assert all(words[number] in claims for number in drawn[:2])
    assert all(words[number] in automatic for number in drawn[2:])


def test_durations_at_the_edges() -> None:
    assert spelled("en", HOUR - 1) == "59 minutes 59.999 seconds"
    assert spelled("en", HOUR) == "1 hour"
    assert spelled("en", DAY - MINUTE) == "23 hours 59 minutes"
    assert [spelled(language, 1_500) for language in LANGUAGES] == ["1,5 Sekunden", "1.5 seconds", "1,5 секунды"]
    assert spelled("ru", 999) == "0,999 секунды"
    assert abbreviated("de", DAY * 12 // 10) == "1 T 4 Std 48 Min"
