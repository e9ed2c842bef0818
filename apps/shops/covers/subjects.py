"""What a shop is about by the words of its name, in English or Chinese: "hot_pot", "bakery", "pool" …"""

import re
from collections.abc import Mapping
from functools import lru_cache

#: Subject -> its words as a regular expression, in English and in Chinese. Of two that begin at a letter
#: the first counts. Words that say no more than the type, such as "kitchen" or "bar", are no subject.
WORDS: Mapping[str, tuple[str, str]] = {
    "coffee": (r"coffee|caf[eé]s?|espresso|latte|roaster(?:s|y)?", "咖啡"),
    "bakery": (
        r"bakery|bakeries|bakers?|bakehouse|breads?|bagels?|croissants?|patisserie|p[âa]tisserie",
        "烘焙|烘培|面包|吐司|欧包|糕点|蛋挞",
    ),
    "cake": (r"(?:cheese)?cakes?|desserts?|sweets", "蛋糕|甜品|甜点|糖水|慕斯"),
    "ice_cream": (r"ice ?creams?|gelato|gelateria", "冰淇淋|冰激凌|雪糕"),
    "tea": (r"tea ?(?:house|room|shop)s?|teas?|boba|matcha", "茶(?!餐厅)"),
    "noodles": (
        r"(?:rice )?noodles?|ramen|udon|soba|ph[oở]",
        "[拉汤拌炒小肉拆削烩阳春担干]面|面[馆条庄铺坊店屋]|米线|米粉|粉丝|面(?=[（(]|$)",
    ),
    "dumplings": (
        r"(?:soup )?dumplings?|wontons?|xiao ?long ?bao|baozi|buns?|dim sum|gyoza",
        "饺|小笼|汤包|包子|包铺|馄饨|云吞|抄手|生煎|锅贴|烧卖|点心",
    ),
    "hot_pot": (r"hot ?pots?|shabu(?:[ -]shabu)?|malatang", "火锅|麻辣烫|串串|冒菜|涮"),
    "duck": (r"(?:roast(?:ed)? )?(?:ducks?|goose)", "烤鸭|鸭(?!血粉丝)|烧鹅|烤鹅"),
    "grill": (
        r"grills?|barbecues?|bbq|skewers?|kebabs?|yakitori|steak(?:s|house)?",
        "烧烤|烤串|烤肉|烤羊|串烧|撸串|牛排",
    ),
    "sushi": (r"sushi|sashimi|omakase", "寿司|刺身|日料"),
    "fish": (r"seafoods?|fish|crabs?|prawns?|shrimps?|oysters?|lobsters?", "海鲜|鱼|虾|蟹|生蚝"),
    "congee": (r"congees?|porridge", "粥"),
    "pizza": (r"pizzas?|pizzeria", "披萨|比萨"),
    "karaoke": (r"ktv|karaoke|singing", "ktv|量贩|欢唱|卡拉ok"),
    "nails": (r"nails?(?: (?:bar|salon|studio))?|manicures?|lashes", "美甲|美睫"),
    "barber": (r"barbers?(?:hop)?", "理发"),
    "hair": (r"hair(?:dressers?)?|colou?r bar|salon|scissors|stylists?", "美发|剪艺|造型|染发|发型|剪发"),
    "foot_bath": (r"foot (?:massage|bath|spa)|reflexology", "足道|足浴|足疗|泡脚"),
    "massage": (r"massages?|tui ?na|quiet hands", "按摩|推拿|正骨|艾灸|理疗"),
    "climbing": (r"climbing|bouldering", "攀岩|抱石"),
    "pool": (r"(?:swimming )?pools?(?! hall| table)|swim(?:ming)?", "游泳|泳池|泳馆"),
    "boxing": (r"boxing|muay thai", "拳击|泰拳|搏击"),
    "yoga": (r"yoga|pilates", "瑜伽|普拉提"),
    "badminton": (r"badminton", "羽毛球"),
    "little_gym": (r"(?:little|kids'?|baby) gym", "(?:儿童|宝宝|亲子)(?:体能|运动)"),
    "gym": (r"gym|fitness|crossfit", "健身|体能"),
    "hot_spring": (r"hot springs?|onsen", "温泉|汤泉"),
    "bath": (r"bath ?houses?|baths?|saunas?", "浴场|浴池|洗浴|汗蒸|桑拿"),
    "skin_care": (r"skin ?care|facials?", "美容|养肤"),
    "spa": (r"spas?", "水疗"),
    "trampoline": (r"trampolines?", "蹦床"),
    "books": (r"stor(?:y|ies)|books?(?:shop|store)?|reading", "绘本|书店|书屋|书吧|图书|读书"),
    "clay": (r"clay|pottery|ceramics?", "陶艺|陶瓷|陶吧"),
    "playhouse": (r"playhouses?|play ?grounds?|kids|children", "乐园|亲子|儿童"),
    "beer": (r"taprooms?|beers?|brew(?:ery|ing|pub|s)?|ales?", "精酿|啤酒"),
    "whisky": (r"whisk(?:e?y|ies)|cocktails?|speakeasy", "威士忌|鸡尾酒"),
    "jazz": (r"jazz|blues|vinyl", "爵士|黑胶"),
    "wine": (r"wines?|winery", "葡萄酒|红酒|酒窖"),
    "board_games": (r"board ?games?|mah ?jongg?", "桌游|麻将|棋牌"),
    "escape": (r"escape(?: rooms?)?", "密室|剧本杀"),
    "party": (r"party|parties", "轰趴|派对"),
}
# Both languages for either name: many shops are called "Luna 咖啡". Chinese knows no ends of words.
_PATTERN = re.compile(
    "|".join(
        rf"(?P<{subject}>(?<![a-zé])(?:{english})(?![a-zé])|{chinese})"
        for subject, (english, chinese) in WORDS.items()
    ),
    re.IGNORECASE,
)
#: The quarter of a branch: "Hot Pot (Old Town)", "火锅（老城店）".
_IN_BRACKETS = re.compile(r"\s*[(（][^)）]*[)）]")


# A process knows the names of some lists; a name that isn't kept takes ten microseconds.
@lru_cache(5_000)
def find(english: str, chinese: str) -> str:
    """The subject of a shop by its names, "" when they have no known word.

    The last word counts: "Teahouse Hot Pot" and "茶楼火锅" are hot pots. The English name is read first.
    """
    found = find_all(_IN_BRACKETS.sub("", english)) or find_all(_IN_BRACKETS.sub("", chinese))
    return found[-1] if found else ""


def find_all(text: str) -> list[str]:
    """Every subject that a text names, in its order."""
    return [str(match.lastgroup) for match in _PATTERN.finditer(text)]
