"""Texts that a row holds in English and in Chinese, shown in the active language.

A model has two columns, `name_en` and `name_zh`, and `name = InLanguage("name")` reads them. A text that is
missing in one language falls back to the other.
"""

import re
from collections.abc import Iterable
from typing import Annotated, Any, overload

from django.core.exceptions import ValidationError
from django.db.models import F, Value
from django.db.models.functions import Coalesce, NullIf
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from pydantic import Field

#: The languages in which rows have texts, whichever of them the interface has (settings.LANGUAGES).
ENGLISH, CHINESE = "en", "zh-hans"
#: Ending of a text's column, by language.
SUFFIXES = {ENGLISH: "_en", CHINESE: "_zh"}
#: Parameter and member of an answer of the JSON API that gives the texts of both languages.
AllLanguages = Annotated[bool, Field(description="add `texts`: the texts of both languages")]
Texts = Annotated[
    dict[str, dict[str, str]] | None,
    Field(
        description='with `all_languages=1` only: the texts by language ("en", "zh-hans") and member; "" for '
        "one that is missing",
        examples=[{"en": {"name": "Third Floor Hot Pot"}, "zh-hans": {"name": "三楼火锅"}}],
    ),
]
#: "Latte 拿铁" and "拿铁 Latte"; in "XO 酱" and "A5 和牛" the letters belong to the Chinese word.
_LATIN_PART, _HAN_PART = (
    r"(?P<latin>[^\u3400-\u9fff]*[A-Za-z]{3}[^\u3400-\u9fff]*)",
    r"(?P<han>[^A-Za-z]*[\u3400-\u9fff][^A-Za-z]*)",
)
_TWO_PARTS = tuple(
    re.compile(pattern) for pattern in (rf"{_LATIN_PART}\s{_HAN_PART}", rf"{_HAN_PART}\s{_LATIN_PART}")
)
#: A regular expression for a Chinese character, which databases know too.
HAN = "[\u3400-\u9fff]"
_HAN_PATTERN = re.compile(HAN)
_LATIN_PATTERN = re.compile("[A-Za-z]")


class InLanguage:
    """An attribute of a model: the text of `<name>_en` or `<name>_zh`, by the active language."""

    def __init__(self, name: str) -> None:
        self._columns = columns(name)

    @overload
    def __get__(self, row: None, owner: Any = None) -> "InLanguage": ...
    @overload
    def __get__(self, row: object, owner: Any = None) -> str: ...
    def __get__(self, row: object | None, owner: Any = None) -> "str | InLanguage":
        if row is None:
            return self
        own, other = reversed(self._columns) if is_chinese() else self._columns
        text: str = getattr(row, own) or getattr(row, other)
        return text

    def __set__(self, row: object, value: str) -> None:
        raise AttributeError(f"write {' or '.join(self._columns)}: this reads one of them")


class TextOrder(F):
    """What to order a query by: `TextOrder("shop__name")` is the name in the language active by then."""

    name: str

    def resolve_expression(self, *args: Any, **options: Any) -> Any:
        own, other = reversed(columns(self.name)) if is_chinese() else columns(self.name)
        return Coalesce(NullIf(F(own), Value("")), F(other)).resolve_expression(*args, **options)


def is_chinese() -> bool:
    """Whether the active language is Chinese; every other one shows English."""
    return (get_language() or "").startswith("zh")


def choose(english: str, chinese: str) -> str:
    """The text in the active language, or else the other one."""
    return (chinese or english) if is_chinese() else (english or chinese)


def choose_part(text: str) -> str:
    """The part in the active language of a line that says it in both ("Latte 拿铁"); any other line whole."""
    for pattern in _TWO_PARTS:
        if found := pattern.fullmatch(text):
            return choose(found["latin"].strip(" /()（）|·-"), found["han"].strip(" /()（）|·-"))
    return text


def columns(*names: str) -> tuple[str, ...]:
    """The columns of texts in both languages, English before Chinese."""
    return tuple(f"{name}{suffix}" for name in names for suffix in SUFFIXES.values())


def by_language(row: object, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Language -> the row's texts by name; "" for a text that is missing."""
    listed = list(names)
    return {
        language: {name: getattr(row, f"{name}{suffix}") for name in listed}
        for language, suffix in SUFFIXES.items()
    }


def add_texts(row: object, names: Iterable[str]) -> None:
    """Give a row the attribute `texts`, which schemas with that member show."""
    vars(row)["texts"] = by_language(row, names)


def require_either(row: object, names: Iterable[str]) -> None:
    """Raise the ValidationError of a model's `clean` when a text is missing in both languages."""
    missing = {
        column: _("Write this in one language at least.")
        for name in names
        if not any(getattr(row, column) for column in columns(name))
        for column in columns(name)[:1]
    }
    if missing:
        raise ValidationError(missing)


def language_of(text: str) -> str:
    """The language that a text is written in, by its script: "zh-Hans", "en", or "" without letters."""
    if _HAN_PATTERN.search(text):
        return "zh-Hans"
    return "en" if _LATIN_PATTERN.search(text) else ""
