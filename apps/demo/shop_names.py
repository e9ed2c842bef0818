"""Builds shop names in English and Chinese from a flavour word and the kind of shop."""

from apps.demo.places import City, TextPair
from apps.demo.shop_kinds import ShopKind

FLAVOURS = (
    ("Green Jade", "翠玉"), ("Red Lantern", "红灯笼"), ("Little Boat", "小舟"), ("Plum Blossom", "梅花"),
    ("Moonlit", "月下"), ("Bamboo Shade", "竹影"), ("Old Chen's", "老陈"), ("Aunt Li's", "李阿姨"),
    ("Master Wang's", "王师傅"), ("Grandma Zhou's", "周奶奶"), ("Two Brothers", "两兄弟"),
    ("Osmanthus", "桂花"),
    ("White Crane", "白鹤"), ("Cloud Nine", "九云"), ("Morning Market", "早市"), ("Silver Needle", "银针"),
    ("Copper Bell", "铜铃"), ("Paper Umbrella", "纸伞"), ("Third Floor", "三楼"), ("Corner", "街角"),
    ("South Wind", "南风"), ("Slow Afternoon", "慢午后"), ("Golden Carp", "金鲤"), ("Seven Stars", "七星"),
    ("Persimmon", "柿子"), ("Rain Alley", "雨巷"), ("Lucky Cat", "招财猫"), ("Half Moon", "半月"),
    ("Lakeside", "湖畔"),
)  # fmt: skip
#: Step between pairs of words; coprime to the number of pairs, so every pair is used before one repeats.
STRIDE = 1_009


def build_name(kind: ShopKind, city: City, *, turn: int, area: TextPair) -> TextPair:
    """Return the names of the `turn`-th shop of a type, such as "Lakeside Noodle House" and "湖畔面馆"."""
    flavours = city.flavours + FLAVOURS
    index = turn * STRIDE % (len(flavours) * len(kind.cores))
    (word, word_zh), (core, core_zh) = (
        flavours[index % len(flavours)],
        kind.cores[index // len(flavours)],
    )
    # When every pair has been used, a shop is a branch, and its name includes its quarter.
    if turn < len(flavours) * len(kind.cores):
        return f"{word} {core}", f"{word_zh}{core_zh}"
    return f"{word} {core} ({area[0]})", f"{word_zh}{core_zh}（{area[1]}店）"
