"""How names are read: Chinese in pinyin, surnames and places by their own readings, and all in one order.

`sort_key(name)` is a text: the order of the keys' code points is the order in which people read names,
Chinese by pinyin, digits as numbers, without case and accents.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

#: Characters of a person's name with a surname of one.
MAX_PERSON_NAME = 3
_TONE = re.compile(r"\d$")
_UMLAUTS = re.compile("([ln])(?:v|yu)")
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
HAN_RUN = re.compile(f"{HAN.pattern}+")

SURNAMES = {
    "曾": "zeng1", "单": "shan4", "解": "xie4", "仇": "qiu2", "区": "ou1", "查": "zha1", "朴": "piao2",
    "盖": "ge3", "缪": "miao4", "乐": "yue4", "翟": "zhai2", "覃": "qin2", "员": "yun4", "种": "chong2",
    "折": "she2", "秘": "bi4", "黑": "he4", "召": "shao4", "祭": "zhai4", "牟": "mou4", "薄": "bo2",
    "卜": "bu3", "藏": "zang1", "隗": "wei3", "郇": "xun2", "繁": "po2", "佴": "nai4", "燕": "yan1",
    "乜": "nie4", "句": "gou1", "重": "chong2", "能": "nai4", "宁": "ning4", "华": "hua4", "纪": "ji3",
    "洗": "xian3", "番": "pan1", "哈": "ha3", "那": "na1",
}  # fmt: skip
PLACES = {
    "朝阳": "chao2 yang2", "洪洞": "hong2 tong2", "单县": "shan4 xian4", "什刹海": "shi2 cha4 hai3",
    "大栅栏": "da4 shi2 lan4", "长治": "chang2 zhi4", "会稽": "kuai4 ji1", "涡阳": "guo1 yang2",
    "荥经": "ying2 jing1", "太行": "tai4 hang2", "燕郊": "yan1 jiao1", "浚县": "xun4 xian4",
    "宕昌": "tan4 chang1", "郫都": "pi2 du1", "筠连": "jun1 lian2", "任县": "ren2 xian4",
    "解州": "xie4 zhou1", "华县": "hua4 xian4", "华阴": "hua4 yin1", "朝歌": "zhao1 ge1",
}  # fmt: skip
#: What follows a surname in the name of a shop or of a person: 曾记, 单家, 解氏, 仇老板.
BEHIND_SURNAMES = frozenset("记家氏府姓老大小阿师公婆嫂哥姐叔伯妈爷娘仔妹弟先女太")
#: What is put before one: 老曾, 小单, 阿解.
BEFORE_SURNAMES = frozenset("老小阿大")
#: Surnames that begin few other words, so that 曾国藩 is a person.
SELDOM_ELSE = frozenset("曾仇朴缪翟覃牟隗郇佴乜")
#: A number has fewer digits than this, or is cut: a code point counts them.
_MAX_DIGITS = 5_000
_PIECE = re.compile(rf"\d+|{HAN_RUN.pattern}|\D")
#: Between the parts of a key: smaller than each character of a part, so that shorter names come first.
_END = "\1"


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
    place = next((run[:length] for length in (3, 2) if run[:length] in PLACES), "")
    if place:
        found.insert(0, (*PLACES[place].split(), *plain[len(place) :]))
    at = 1 if run[0] in BEFORE_SURNAMES and run[1:2] in SURNAMES else 0
    if surname := SURNAMES.get(run[at : at + 1]):
        as_name = (*plain[:at], surname, *plain[at + 1 :])
        found.insert(0 if not place and _is_surname(run, at) else len(found), as_name)
    return tuple(dict.fromkeys(found))


def _is_surname(run: str, at: int) -> bool:
    """Whether a character that is a surname is likely one there: 曾记, 老曾, 曾国藩; not 曾经 or 小区."""
    words = {run[:length] for length in range(2, 5)} if at == 0 else {run[:2]}
    if not words.isdisjoint(_pinyin().constants.PHRASES_DICT):
        return False
    is_person = at == 0 and run[0] in SELDOM_ELSE and len(run) <= MAX_PERSON_NAME
    return at == 1 or run[1:2] in BEHIND_SURNAMES or is_person


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


def sort_key(name: str) -> str:
    """The key of a name; names with one reading are ordered by their spelling."""
    plain = _strip_accents(unicodedata.normalize("NFKC", name).casefold())
    pieces = _PIECE.findall(plain)
    head = "".join(map(_head_key, pieces[:1]))
    return f"{head}{''.join(map(_piece_key, pieces[1:]))}{_END}{name}"


def _head_key(piece: str) -> str:
    """The key of what a name begins with: a surname or a place as such."""
    if not has_chinese(piece):
        return _piece_key(piece)
    return "".join(_character_keys(piece, ways_with_tones(piece)[0]))


def _piece_key(piece: str) -> str:
    if piece.isdecimal():
        return _number_key(piece)
    if has_chinese(piece):
        return "".join(_character_keys(piece, syllables_with_tones(piece)))
    return piece


def _number_key(digits: str) -> str:
    """A number by the count of its digits, then by these: 2 before 10. It begins as a digit does."""
    plain = "".join(str(unicodedata.digit(digit)) for digit in digits).lstrip("0")[:_MAX_DIGITS]
    return f"0{chr(0x100 + len(plain))}{plain}"


def _character_keys(chinese: str, read: Sequence[str]) -> list[str]:
    """Each character by its reading in its word, by tone, and then by itself."""
    if len(read) != len(chinese):
        read = [syllable_with_tone(character) for character in chinese]
    return [f"{syllable}{_END}{character}" for syllable, character in zip(read, chinese, strict=True)]


def _strip_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(one for one in decomposed if not "\u0300" <= one <= "\u036f"))
