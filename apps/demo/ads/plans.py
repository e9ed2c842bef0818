"""Who advertises what in the demo, to whom, and how well it goes."""

from dataclasses import dataclass

from apps.demo.places import TextPair

HANGZHOU, SHANGHAI = "Hangzhou", "Shanghai"
EVERYWHERE = ("", "")


@dataclass(frozen=True)
class AdPlan:
    """One ad for the `rank`-th most popular shop of a type in a city.

    `views` is a usual day's number, `rate` how many of 100 views end in a click; `words` has the factor of
    the rate on pages with the word.
    """

    title: TextPair
    text: TextPair
    kind: str
    city: str
    rank: int
    places: tuple[tuple[str, str], ...]
    words: dict[str, float]
    views: int
    rate: float


@dataclass(frozen=True)
class CampaignPlan:
    """Prices and budgets in yuan; `since_days` ago it began, `lasts_days` later it ends."""

    name: str
    pricing: str
    price: str
    budget: str
    daily_cap: str
    ads: tuple[AdPlan, ...]
    since_days: int = 7
    lasts_days: int = 30
    is_on: bool = True


@dataclass(frozen=True)
class AdvertiserPlan:
    name: TextPair
    campaigns: tuple[CampaignPlan, ...]


ADVERTISERS = (
    AdvertiserPlan(
        ("Lakeside Kitchens", "湖畔餐饮"),
        (
            CampaignPlan("Autumn tables", "cpc", "0.80", "450", "40", (
                AdPlan(
                    ("A window table tonight", "今晚留一张靠窗的桌子"),
                    ("Noodles pulled while you watch. The first tea is ours.",
                     "现拉的面，边看边等。第一壶茶我们请。"),
                    "food", HANGZHOU, 0, ((HANGZHOU, ""),),
                    {"noodle": 1.7, "面馆": 1.6, "food": 1.0, "美食": 1.0, "dumpling": 1.2, "bar": 0.3},
                    210, 3.2,
                ),
                AdPlan(
                    ("Hot pot for a cold night", "天冷了，来一锅"),
                    ("Two broths in one pot, open until two.", "一锅两味，开到凌晨两点。"),
                    "food", HANGZHOU, 2, ((HANGZHOU, ""), (HANGZHOU, "Hubin")),
                    {"hot pot": 2.1, "火锅": 2.0, "food": 0.9, "美食": 0.9, "grill": 1.1}, 190, 2.4,
                ),
                AdPlan(
                    ("Longjing, and nothing to do", "一壶龙井，半日清闲"),
                    ("A teahouse with a view of the lake.", "看得见湖的茶楼。"),
                    "food", HANGZHOU, 4, ((HANGZHOU, ""),),
                    {"teahouse": 1.9, "茶楼": 1.8, "food": 0.7, "美食": 0.8, "bakery": 1.2}, 120, 1.6,
                ),
            )),
            CampaignPlan("Breakfast in Shanghai", "cpa", "9", "190", "0", (
                AdPlan(
                    ("Congee before the office", "上班前的一碗粥"),
                    ("Ready in four minutes from half past six.", "六点半起，四分钟上桌。"),
                    "food", SHANGHAI, 1, ((SHANGHAI, ""),),
                    {"congee": 1.8, "粥铺": 1.8, "food": 1.0, "美食": 1.0, "noodle": 1.1}, 160, 2.8,
                ),
                AdPlan(
                    ("Warm bread at seven", "早上七点，面包刚出炉"),
                    ("Order today, collect it on your way.", "今天下单，路过来取。"),
                    "food", SHANGHAI, 3, ((SHANGHAI, ""),),
                    {"bakery": 2.0, "烘焙": 1.9, "food": 0.8, "美食": 0.8, "teahouse": 1.1}, 130, 2.1,
                ),
            )),
        ),
    ),
    AdvertiserPlan(
        ("Quiet Hands Group", "静手集团"),
        (
            CampaignPlan("An hour off", "cpc", "1.20", "320", "25", (
                AdPlan(
                    ("An hour without a phone", "放下手机的一小时"),
                    ("Neck, back and feet. Say so if you like it gentle.",
                     "肩颈、背部和足部。怕疼提前说。"),
                    "massage", HANGZHOU, 0, ((HANGZHOU, ""),),
                    {"massage": 1.8, "按摩": 1.7, "spa": 1.4, "fitness": 1.3, "food": 0.5}, 150, 2.0,
                ),
                AdPlan(
                    ("Steam, stone and silence", "蒸汽、石板和安静"),
                    ("Weekdays before noon for half.", "工作日中午前半价。"),
                    "spa", SHANGHAI, 0, ((SHANGHAI, ""),),
                    {"spa": 1.9, "水疗": 1.7, "massage": 1.3, "按摩": 1.2, "hair": 0.8}, 110, 1.7,
                ),
            )),
        ),
    ),
    AdvertiserPlan(
        ("Night & Day Leisure", "昼夜娱乐"),
        (
            CampaignPlan("Weekend nights", "cpm", "18", "260", "14", (
                AdPlan(
                    ("Forty rooms, no last song", "四十间房，唱到尽兴"),
                    ("Bring eight friends and sing for four hours.", "带上八位朋友，唱四个小时。"),
                    "ktv", HANGZHOU, 0, (EVERYWHERE,),
                    {"ktv": 1.9, "party": 1.5, "bar": 1.3, "酒吧": 1.3, "kids": 0.2}, 240, 1.2,
                ),
                AdPlan(
                    ("Twelve taps, one long table", "十二个酒头，一张长桌"),
                    ("The first small glass is for tasting.", "第一小杯随便尝。"),
                    "bar", SHANGHAI, 0, ((SHANGHAI, ""), (HANGZHOU, "")),
                    {"bar": 1.8, "酒吧": 1.8, "taproom": 2.0, "ktv": 1.1, "fitness": 0.4}, 200, 1.5,
                ),
            )),
            CampaignPlan("Rainy Sundays", "cpc", "0.50", "120", "0", (
                AdPlan(
                    ("Socks on, coats off", "穿好袜子，脱下外套"),
                    ("A slide for grown-ups too.", "大人也能玩的滑梯。"),
                    "kids", HANGZHOU, 0, ((HANGZHOU, ""),),
                    {"kids": 1.9, "亲子": 1.8, "playhouse": 1.6, "bar": 0.2}, 140, 2.6,
                ),
                AdPlan(
                    ("Climb something today", "今天去攀一面墙"),
                    ("Day passes, shoes included.", "单日卡，含鞋。"),
                    "fitness", HANGZHOU, 0, ((HANGZHOU, ""), (SHANGHAI, "")),
                    {"fitness": 1.6, "climbing": 2.2, "攀岩": 2.1, "food": 0.6}, 120, 1.9,
                ),
            )),
        ),
    ),
    AdvertiserPlan(
        ("Corner Beauty", "街角美业"),
        (
            CampaignPlan("New season", "cpc", "0.90", "60", "0", (
                AdPlan(
                    ("Colour that grows out well", "长出来也好看的发色"),
                    ("A cut, a talk, a cup of tea.", "剪个头，聊聊天，喝杯茶。"),
                    "hair", SHANGHAI, 0, ((SHANGHAI, ""),),
                    {"hair": 1.7, "美发": 1.7, "nails": 1.2, "bar": 0.5}, 130, 1.8,
                ),
            ), is_on=False),
        ),
    ),
)  # fmt: skip
