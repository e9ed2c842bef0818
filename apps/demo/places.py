"""Two real cities for the demo's shops: quarters, streets, water, and words for shop names."""

from dataclasses import dataclass
from random import Random

from apps.shops.areas import Box

#: Metres in a degree of latitude, and in a degree of longitude at the cities' latitude (about 31 north).
METRES_NORTH, METRES_EAST = 111_226, 95_700


@dataclass(frozen=True)
class Area:
    """A quarter: its centre in degrees, and `spread`, the standard deviation of its shops in metres."""

    name: str
    lat: float
    lng: float
    spread: int
    streets: tuple[str, ...]


@dataclass(frozen=True)
class City:
    slug: str
    name: str
    dialling: str
    lat: float
    lng: float
    areas: tuple[Area, ...]
    flavours: tuple[tuple[str, str], ...]
    #: Boxes that roughly cover lakes and rivers; no shop is placed in them.
    water: tuple[Box, ...]


HANGZHOU = City(
    "hangzhou", "Hangzhou", "0571", 30.2560, 120.1650,
    (
        Area("Hubin", 30.2560, 120.1668, 260, ("Yan'an Road", "Hubin Road", "Renhe Road", "Pinghai Road")),
        Area("Wulin", 30.2742, 120.1640, 380, ("Wulin Road", "Fengqi Road", "Tiyuchang Road")),
        Area("Hefang Street", 30.2408, 120.1690, 240, ("Hefang Street", "Zhongshan Middle Road",
        "Gaoyin Street")),
        Area("Nanshan Road", 30.2372, 120.1592, 160, ("Nanshan Road", "Changqiao Lane", "Wansongling Road")),
        Area("Huanglong", 30.2690, 120.1312, 380, ("Shuguang Road", "Huanglong Road", "Hangda Road")),
        Area("Wenyi", 30.2880, 120.1240, 480, ("Wenyi Road", "Wener Road", "Gudun Road")),
        Area("Canal", 30.3122, 120.1372, 320, ("Xiaohe Straight Street", "Daguan Road", "Hushu South Road")),
        Area("Qianjiang New City", 30.2460, 120.2110, 360, ("Fuchun Road", "Wuxing Road",
        "Jiefang East Road")),
        Area("Binjiang", 30.2050, 120.2080, 420, ("Jiangnan Avenue", "Jianghan Road", "Wangshang Road")),
        Area("Xixi", 30.2760, 120.0780, 420, ("Wener West Road", "Zijingang Road", "Xixi Road")),
    ),
    (("Broken Bridge", "断桥"), ("Su Causeway", "苏堤"), ("Leifeng", "雷峰"), ("West Lake", "西湖"),
     ("Longjing", "龙井"), ("Nine Creeks", "九溪"), ("Lotus Pond", "曲院"), ("Canal Side", "运河")),
    (Box(30.2270, 120.1290, 30.2625, 120.1565), Box(30.2140, 120.1750, 30.2300, 120.2300)),
)  # fmt: skip
SHANGHAI = City(
    "shanghai", "Shanghai", "021", 31.2304, 121.4737,
    (
        Area("People's Square", 31.2310, 121.4730, 320, ("Nanjing West Road", "Huanghe Road", "Fuzhou Road")),
        Area("Jing'an", 31.2240, 121.4470, 360, ("Yuyuan Road", "Changde Road", "Wulumuqi North Road")),
        Area("Xintiandi", 31.2200, 121.4745, 240, ("Madang Road", "Huaihai Middle Road", "Zizhong Road")),
        Area("Nanjing East Road", 31.2362, 121.4812, 200, ("Nanjing East Road", "Jiujiang Road",
        "Shanxi South Road")),
        Area("Wukang Road", 31.2080, 121.4380, 320, ("Wukang Road", "Anfu Road", "Hunan Road",
        "Wuyuan Road")),
        Area("Xujiahui", 31.1935, 121.4370, 340, ("Hongqiao Road", "Caoxi North Road", "Zhaojiabang Road")),
        Area("Tianzifang", 31.2108, 121.4680, 240, ("Taikang Road", "Jianguo Middle Road", "Sinan Road")),
        Area("Lujiazui", 31.2352, 121.5075, 260, ("Lujiazui Ring Road", "Century Avenue", "Zhangyang Road")),
        Area("Hongkou", 31.2640, 121.4830, 360, ("Sichuan North Road", "Duolun Road", "Tianai Road")),
        Area("Zhongshan Park", 31.2215, 121.4180, 360, ("Changning Road", "Dingxi Road", "Yuyuan West Road")),
        Area("Wujiaochang", 31.3000, 121.5140, 420, ("Daxue Road", "Handan Road", "Songhu Road")),
    ),
    (("Bund", "外滩"), ("Plane Tree", "梧桐"), ("Suzhou Creek", "苏州河"), ("Lane 88", "八十八弄"),
     ("Shikumen", "石库门"), ("Wukang", "武康"), ("Old Film", "老电影"), ("Garden Bridge", "外白渡桥")),
    (Box(31.2250, 121.4925, 31.2440, 121.5000),),
)  # fmt: skip
CITIES = (HANGZHOU, SHANGHAI)


def random_point(city: City, area: Area, chance: Random, *, wider: float = 1.0) -> tuple[float, float]:
    """Return a random (lat, lng) in the quarter, outside the city's water; `wider` multiplies the spread."""
    for _ in range(8):
        lat = area.lat + chance.gauss(0, area.spread * wider) / METRES_NORTH
        lng = area.lng + chance.gauss(0, area.spread * wider) / METRES_EAST
        if not any(box.south <= lat <= box.north and box.west <= lng <= box.east for box in city.water):
            return round(lat, 6), round(lng, 6)
    return area.lat, area.lng
