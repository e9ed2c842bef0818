"""The names of large cities in both languages, for the city that a person wrote, and of the site's cities."""

from collections.abc import Callable, Iterable

from django.utils.translation import gettext as _

from apps.web import characters, in_language

CHINESE_NAMES = {
    "Beijing": "北京", "Shanghai": "上海", "Tianjin": "天津", "Chongqing": "重庆", "Hangzhou": "杭州",
    "Ningbo": "宁波", "Wenzhou": "温州", "Shaoxing": "绍兴", "Jiaxing": "嘉兴", "Nanjing": "南京",
    "Suzhou": "苏州", "Wuxi": "无锡", "Changzhou": "常州", "Xuzhou": "徐州", "Guangzhou": "广州",
    "Shenzhen": "深圳", "Dongguan": "东莞", "Foshan": "佛山", "Zhuhai": "珠海", "Chengdu": "成都",
    "Wuhan": "武汉", "Changsha": "长沙", "Xi'an": "西安", "Zhengzhou": "郑州", "Jinan": "济南",
    "Qingdao": "青岛", "Hefei": "合肥", "Fuzhou": "福州", "Xiamen": "厦门", "Nanchang": "南昌",
    "Kunming": "昆明", "Guiyang": "贵阳", "Nanning": "南宁", "Haikou": "海口", "Sanya": "三亚",
    "Shenyang": "沈阳", "Dalian": "大连", "Harbin": "哈尔滨", "Changchun": "长春", "Shijiazhuang": "石家庄",
    "Taiyuan": "太原", "Lanzhou": "兰州", "Urumqi": "乌鲁木齐", "Hong Kong": "香港", "Macau": "澳门",
    "Taipei": "台北",
}  # fmt: skip
_PAIRS = {
    characters.fold(name): (english, chinese)
    for english, chinese in CHINESE_NAMES.items()
    for name in (english, chinese, f"{chinese}市")
}
#: Reads the (English, Chinese) names of the site's cities, which the app that has them gives.
_read_site_cities: Callable[[], Iterable[tuple[str, str]]] = tuple


def use_site_cities(read: Callable[[], Iterable[tuple[str, str]]]) -> None:
    """Offer these cities in forms; called once, when the site starts."""
    global _read_site_cities
    _read_site_cities = read


def choices(written: str) -> list[tuple[str, str]]:
    """What a form offers instead of a text, as (value, label): the site's cities, none, and what is written
    already; empty on a site without cities.
    """
    written, site_cities = written.strip(), list(_read_site_cities())
    if not site_cities:
        return []
    offered = [("", _("No city"))]
    for english, chinese in site_cities:
        is_written = written != "" and key(written) in (key(english), key(chinese))
        offered.append((written if is_written else english or chinese, in_language.choose(english, chinese)))
    is_offered = any(value == written for value, _label in offered)
    return offered if is_offered else [(written, localize(written)), *offered]


def localize(written: str) -> str:
    """A city in the active language, if it is a known one; any other text as it is written."""
    return in_language.choose(*both(written))


def key(written: str) -> str:
    """A city as it is compared, whichever language it is written in."""
    name = characters.fold(written)
    return characters.fold(_PAIRS[name][0]) if name in _PAIRS else name


def spellings(city: str) -> list[str]:
    """The ways in which people write a city."""
    name = characters.fold(city)
    if name not in _PAIRS:
        return [city.strip()]
    english, chinese = _PAIRS[name]
    return [english, chinese, f"{chinese}市"]


def both(written: str) -> tuple[str, str]:
    """(English, Chinese) of a known city; any other text as it is written, twice."""
    return _PAIRS.get(characters.fold(written), (written, written))
