"""Chinese characters as mainland China writes them, for those of Hong Kong, Taiwan and Japan."""

from functools import cache

from opencc import OpenCC

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
