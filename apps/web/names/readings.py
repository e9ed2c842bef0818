"""How Chinese characters are read aloud, in pinyin."""

import re
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

_UMLAUTS = re.compile("([ln])(?:v|yu)")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
HAN_RUN = re.compile(f"{HAN.pattern}+")


def has_chinese(text: str) -> bool:
    """Whether any character has a reading in pinyin."""
    return HAN.search(text) is not None


def syllables(text: str) -> list[str]:
    """The syllables of a text without tones; what is no Chinese stays as it is, in one piece.

    "重庆2号" -> ["chong", "qing", "2", "hao"]: by the word, since one character has several readings.
    """
    return _pinyin().lazy_pinyin(text, v_to_u=False) if has_chinese(text) else [text]


def write_umlauts_as_u(pinyin: str) -> str:
    """Pinyin with "u" for every way to type an ü after l and n: v, and the yu of passports."""
    return _UMLAUTS.sub(r"\1u", pinyin)


@lru_cache(50_000)
def syllable_with_tone(character: str) -> str:
    """The usual reading of one character with the number of its tone: "hai3"."""
    style = _pinyin().Style.TONE3
    read: list[str] = _pinyin().lazy_pinyin(character, style=style, neutral_tone_with_five=True)
    return read[0]


def syllables_with_tones(text: str) -> list[str]:
    """As `syllables`, with the number of each tone: ["chong2", "qing4", "2", "hao4"]."""
    style = _pinyin().Style.TONE3
    return list(_pinyin().lazy_pinyin(text, style=style, neutral_tone_with_five=True))


@cache
def _pinyin() -> Any:
    # Not at the top: its dictionaries take 57 MB, and only processes that write names need them.
    return import_module("pypinyin")
