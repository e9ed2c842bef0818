"""How Chinese characters are read aloud, in pinyin."""

import re
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from apps.web.names import heads

#: Characters of a person's name with a surname of one.
MAX_PERSON_NAME = 3
_TONE = re.compile(r"\d$")
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


def ways(text: str) -> list[list[str]]:
    """The ways to read a text, each as `syllables`, the likeliest first.

    A surname or a place at its beginning may be read otherwise than elsewhere: 曾记 as zeng, 朝阳 as chao.
    """
    run = HAN_RUN.match(text)
    if run is None:
        return [syllables(text)]
    rest = syllables(text[run.end() :]) if run.end() < len(text) else []
    read = [[_TONE.sub("", one) for one in way] for way in ways_with_tones(run[0])]
    return [[*way, *rest] for number, way in enumerate(read) if way not in read[:number]]


@lru_cache(10_000)
def ways_with_tones(run: str) -> tuple[tuple[str, ...], ...]:
    """The ways to read a run of Chinese at the beginning of a name, with tones, the likeliest first."""
    plain = tuple(syllables_with_tones(run))
    if len(plain) != len(run):
        return (plain,)
    found = [plain]
    place = next((run[:length] for length in (3, 2) if run[:length] in heads.PLACES), "")
    if place:
        found.insert(0, (*heads.PLACES[place].split(), *plain[len(place) :]))
    at = 1 if run[0] in heads.BEFORE_SURNAMES and run[1:2] in heads.SURNAMES else 0
    if surname := heads.SURNAMES.get(run[at : at + 1]):
        as_name = (*plain[:at], surname, *plain[at + 1 :])
        found.insert(0 if not place and _is_surname(run, at) else len(found), as_name)
    return tuple(dict.fromkeys(found))


def _is_surname(run: str, at: int) -> bool:
    """Whether a character that is a surname is likely one there: 曾记, 老曾, 曾国藩; not 曾经 or 小区."""
    words = {run[:length] for length in range(2, 5)} if at == 0 else {run[:2]}
    if not words.isdisjoint(_pinyin().constants.PHRASES_DICT):
        return False
    is_person = at == 0 and run[0] in heads.SELDOM_ELSE and len(run) <= MAX_PERSON_NAME
    return at == 1 or run[1:2] in heads.BEHIND_SURNAMES or is_person


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
