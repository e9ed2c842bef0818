"""Folds texts: width, case, accents and the spelling of a Chinese character make no difference to search."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from opencc import OpenCC

from apps.web.characters import drop_ignorable

#: Traditional characters, and the variants of Hong Kong and Taiwan (OpenCC).
_TABLES = ("t2s", "hk2s", "tw2s")
#: What OpenCC's tables lack: Japanese characters, and variants on signs of shops, each before its own.
_OTHERS = (
    "戸户 呉吴 髙高 舗铺 駄驮 氷冰 姫姬 働动 邉边 隣邻 渋涩 澁涩 郷乡 鄕乡 鉱矿 鑛矿 砿矿 闘斗 鬭斗 鬪斗 "
    "挙举 擧举 侭尽 値值 倶俱 兎兔 冨富 嶋岛 嶌岛 峩峨 砲炮 窓窗 聡聪 舎舍 薗园 蝿蝇 諌谏 躰体 軆体 劒剑 "
    "劔剑 釼剑 鎗枪 隷隶 頬颊 鴬莺 喩喻 壷壶 寳宝 幇帮 彊强 恊协 椀碗 楡榆 楳梅 毘毗 涜渎 渕渊 濬浚 潅灌 "
    "煕熙 熈熙 煖暖 燿耀 畧略 疎疏 籐藤 籘藤 羮羹 翆翠 苺莓 菓果 蕋蕊 蘂蕊 蠏蟹 讃赞 輌辆 邨村 鐡铁 鑵罐 "
    "靱韧 韮韭 飜翻 鴈雁 鳫雁 鵞鹅 鼈鳖 呑吞 叡睿 姉姊 憇憩 枩松 櫂棹 毬球 汚污 焔焰 珎珍 碁棋 穐秋 緜绵 "
    "荳豆 蚫鲍 釡釜 鈩炉 凖准 竝并 緖绪 餠饼 芸艺 浜滨 缶罐 "
)
_TABLE = {pair[0]: pair[1] for pair in _OTHERS.split()}


def simplify(character: str) -> str:
    """The simplified form of a character; one that the mainland writes itself stays, but for variants."""
    for name in _TABLES:
        simpler = str(_converter(name).convert(character))
        if simpler != character:
            return simpler
    if character in _TABLE:
        return _TABLE[character]
    if _is_simplified(character):
        return character
    older = str(_converter("jp2t").convert(character))
    return simplify(older) if older != character else character


def _is_simplified(character: str) -> bool:
    """Whether it is in the mainland's own set, where the Japanese form of another word may look the same."""
    try:
        return bool(character.encode("gb2312"))
    except UnicodeEncodeError:
        return False


@cache
def _converter(name: str) -> OpenCC:
    return OpenCC(name)


#: What stands for an apostrophe.
_APOSTROPHES = frozenset("\u2018\u2019\u02bc\u02b9\u2032`\u00b4")
#: Points between words and between the parts of a name, of which one is a letter of Japanese to Unicode.
_POINTS = frozenset("\u30fb\u2022\u2027\u22c5")

#: More than all that people write with: 2 MB.
MAX_KEPT_CHARACTERS = 20_000


class _FoldedCharacters(dict[int, str]):
    """Code point -> its folded characters; `str.translate` computes each once.

    Past MAX_KEPT_CHARACTERS it starts over: texts may hold any of Unicode's million.
    """

    def __missing__(self, code: int) -> str:
        if len(self) >= MAX_KEPT_CHARACTERS:
            self.clear()
        folded = self[code] = _fold_character(chr(code))
        return folded


def fold(text: str) -> str:
    """A text in compatible form (NFKC), lower case, without accents, in simplified Chinese.

    Characters that are drawn as nothing are left out, and there is one apostrophe, one middle dot and one set
    of digits. Each character is folded alone, so that `fold_with_places` can say where each came from.
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def fold_with_places(text: str) -> tuple[str, Sequence[int]]:
    """The folded text, and for each of its characters the place in `text` that it came from; then the end."""
    if all(len(fold(character)) == 1 for character in set(text)):
        return fold(text), range(len(text) + 1)
    pieces = [fold(character) for character in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), [*places, len(text)]


def _fold_character(character: str) -> str:
    if character in _APOSTROPHES:
        return "'"
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.decimal(character))
    plain = _strip_accents(drop_ignorable(character))
    folded = _strip_accents(plain.casefold())
    if folded in _POINTS:
        return "\u00b7"
    return simplify(folded) if folded >= "\u2e80" else folded


def _strip_accents(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part)))


_FOLDED = _FoldedCharacters()
