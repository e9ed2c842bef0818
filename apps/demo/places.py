"""Two real cities for the demo's shops: quarters, streets, water, and words for shop names, in both
languages.
"""

from dataclasses import dataclass
from random import Random

from apps.shops.areas import Box

#: Metres in a degree of latitude, and in a degree of longitude at the cities' latitude (about 31 north).
METRES_NORTH, METRES_EAST = 111_226, 95_700

#: A text in English and in Chinese.
TextPair = tuple[str, str]


@dataclass(frozen=True)
class Area:
    """A quarter: its centre in degrees, and `spread`, the standard deviation of its shops in metres."""

    name: TextPair
    lat: float
    lng: float
    spread: int
    streets: tuple[TextPair, ...]


@dataclass(frozen=True)
class City:
    slug: str
    name: TextPair
    dialling: str
    lat: float
    lng: float
    areas: tuple[Area, ...]
    flavours: tuple[TextPair, ...]
    #: Boxes that roughly cover lakes and rivers; no shop is placed in them.
    water: tuple[Box, ...]


HANGZHOU = City(
    "hangzhou", ("Hangzhou", "杭州"), "0571", 30.2560, 120.1650,
    (
        Area(("Hubin", "湖滨"), 30.2560, 120.1668, 260, (
            ("Yan'an Road", "延安路"),
            ("Hubin Road", "湖滨路"),
            ("Renhe Road", "仁和路"),
            ("Pinghai Road", "平海路"),
        )),
        Area(("Wulin", "武林"), 30.2742, 120.1640, 380, (
            ("Wulin Road", "武林路"),
            ("Fengqi Road", "凤起路"),
            ("Tiyuchang Road", "体育场路"),
        )),
        Area(("Hefang Street", "河坊街"), 30.2408, 120.1690, 240, (
            ("Hefang Street", "河坊街"),
            ("Zhongshan Middle Road", "中山中路"),
            ("Gaoyin Street", "高银街"),
        )),
        Area(("Nanshan Road", "南山路"), 30.2372, 120.1592, 160, (
            ("Nanshan Road", "南山路"),
            ("Changqiao Lane", "长桥巷"),
            ("Wansongling Road", "万松岭路"),
        )),
        Area(("Huanglong", "黄龙"), 30.2690, 120.1312, 380, (
            ("Shuguang Road", "曙光路"),
            ("Huanglong Road", "黄龙路"),
            ("Hangda Road", "杭大路"),
        )),
        Area(("Wenyi", "文一"), 30.2880, 120.1240, 480, (
            ("Wenyi Road", "文一路"),
            ("Wener Road", "文二路"),
            ("Gudun Road", "古墩路"),
        )),
        Area(("Canal", "运河"), 30.3122, 120.1372, 320, (
            ("Xiaohe Straight Street", "小河直街"),
            ("Daguan Road", "大关路"),
            ("Hushu South Road", "湖墅南路"),
        )),
        Area(("Qianjiang New City", "钱江新城"), 30.2460, 120.2110, 360, (
            ("Fuchun Road", "富春路"),
            ("Wuxing Road", "五星路"),
            ("Jiefang East Road", "解放东路"),
        )),
        Area(("Binjiang", "滨江"), 30.2050, 120.2080, 420, (
            ("Jiangnan Avenue", "江南大道"),
            ("Jianghan Road", "江汉路"),
            ("Wangshang Road", "网商路"),
        )),
        Area(("Xixi", "西溪"), 30.2760, 120.0780, 420, (
            ("Wener West Road", "文二西路"),
            ("Zijingang Road", "紫金港路"),
            ("Xixi Road", "西溪路"),
        )),
    ),
    (("Broken Bridge", "断桥"), ("Su Causeway", "苏堤"), ("Leifeng", "雷峰"), ("West Lake", "西湖"),
     ("Longjing", "龙井"), ("Nine Creeks", "九溪"), ("Lotus Pond", "曲院"), ("Canal Side", "运河")),
    (Box(30.2270, 120.1290, 30.2625, 120.1565), Box(30.2140, 120.1750, 30.2300, 120.2300)),
)  # fmt: skip
SHANGHAI = City(
    "shanghai", ("Shanghai", "上海"), "021", 31.2304, 121.4737,
    (
        Area(("People's Square", "人民广场"), 31.2310, 121.4730, 320, (
            ("Nanjing West Road", "南京西路"),
            ("Huanghe Road", "黄河路"),
            ("Fuzhou Road", "福州路"),
        )),
        Area(("Jing'an", "静安"), 31.2240, 121.4470, 360, (
            ("Yuyuan Road", "愚园路"),
            ("Changde Road", "常德路"),
            ("Wulumuqi North Road", "乌鲁木齐北路"),
        )),
        Area(("Xintiandi", "新天地"), 31.2200, 121.4745, 240, (
            ("Madang Road", "马当路"),
            ("Huaihai Middle Road", "淮海中路"),
            ("Zizhong Road", "自忠路"),
        )),
        Area(("Nanjing East Road", "南京东路"), 31.2362, 121.4812, 200, (
            ("Nanjing East Road", "南京东路"),
            ("Jiujiang Road", "九江路"),
            ("Shanxi South Road", "山西南路"),
        )),
        Area(("Wukang Road", "武康路"), 31.2080, 121.4380, 320, (
            ("Wukang Road", "武康路"),
            ("Anfu Road", "安福路"),
            ("Hunan Road", "湖南路"),
            ("Wuyuan Road", "五原路"),
        )),
        Area(("Xujiahui", "徐家汇"), 31.1935, 121.4370, 340, (
            ("Hongqiao Road", "虹桥路"),
            ("Caoxi North Road", "漕溪北路"),
            ("Zhaojiabang Road", "肇嘉浜路"),
        )),
        Area(("Tianzifang", "田子坊"), 31.2108, 121.4680, 240, (
            ("Taikang Road", "泰康路"),
            ("Jianguo Middle Road", "建国中路"),
            ("Sinan Road", "思南路"),
        )),
        Area(("Lujiazui", "陆家嘴"), 31.2352, 121.5075, 260, (
            ("Lujiazui Ring Road", "陆家嘴环路"),
            ("Century Avenue", "世纪大道"),
            ("Zhangyang Road", "张杨路"),
        )),
        Area(("Hongkou", "虹口"), 31.2640, 121.4830, 360, (
            ("Sichuan North Road", "四川北路"),
            ("Duolun Road", "多伦路"),
            ("Tianai Road", "甜爱路"),
        )),
        Area(("Zhongshan Park", "中山公园"), 31.2215, 121.4180, 360, (
            ("Changning Road", "长宁路"),
            ("Dingxi Road", "定西路"),
            ("Yuyuan West Road", "愚园路西段"),
        )),
        Area(("Wujiaochang", "五角场"), 31.3000, 121.5140, 420, (
            ("Daxue Road", "大学路"),
            ("Handan Road", "邯郸路"),
            ("Songhu Road", "淞沪路"),
        )),
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
