"""Makes ordinary vouchers of the demo: two or three for three shops in five."""

from collections.abc import Iterator
from random import Random

from apps.coupons.models import Voucher
from apps.shops.models import Shop
from apps.web import batches

#: Highest id of a shop that gets vouchers: a million shops need no two million vouchers.
SHOPS_WITH_VOUCHERS = 2_000
BATCH_VOUCHERS = 500
#: Shop type -> vouchers: (titles, subtitles, value as a multiple of the shop's price, discount in per cent).
OFFERS = {
    "food": (
        (("{value} towards the bill", "{value}代金券"),
         ("Any table, any day", "不限桌位，不限日期"), 1.0, 15),
        (("Lunch for one", "单人午餐"),
         ("Weekdays", "周一至周五可用"), 0.8, 25),
        (("Dinner for two", "双人晚餐"),
         ("Eight dishes to choose from", "八道菜任选"), 2.2, 22),
    ),
    "ktv": (
        (("Three hours, small room", "小包三小时"),
         ("Until 18:00", "18:00前可用"), 1.5, 35),
        (("Evening for six", "六人欢唱夜场"),
         ("Snacks included", "含小吃"), 5.0, 30),
    ),
    "hair": (
        (("Cut and blow-dry", "剪发加吹风"),
         ("Any stylist but the owner", "店主以外的发型师任选"), 1.0, 20),
        (("Colour and care", "染发加护理"),
         ("Up to shoulder length", "及肩以内"), 2.5, 28),
    ),
    "massage": (
        (("Sixty minutes", "六十分钟"),
         ("Neck, back or feet", "肩颈、背部或足部"), 1.0, 18),
        (("Ninety minutes for two", "双人九十分钟"),
         ("Side by side", "同室并排"), 2.8, 26),
    ),
    "fitness": (
        (("Day pass", "单日卡"),
         ("All courses open", "全部课程可上"), 0.8, 30),
        (("Ten visits", "十次卡"),
         ("Valid for half a year", "半年内有效"), 7.0, 25),
    ),
    "spa": (
        (("Half a day of steam", "汗蒸半日"),
         ("Towel and tea included", "含毛巾和茶水"), 1.0, 22),
        (("Face care", "面部护理"),
         ("Seventy minutes", "七十分钟"), 1.4, 30),
    ),
    "kids": (
        (("One child, one grown-up", "一大一小"),
         ("All day", "全天不限时"), 1.0, 20),
        (("Birthday table for eight", "八人生日桌"),
         ("Cake not included", "不含蛋糕"), 7.0, 15),
    ),
    "bar": (
        (("{value} towards drinks", "{value}酒水代金券"),
         ("Before 21:00", "21:00前可用"), 1.0, 20),
        (("Tasting flight", "品鉴套装"),
         ("Five small glasses", "五小杯"), 1.2, 25),
    ),
    "party": (
        (("Four hours for eight", "八人四小时"),
         ("Monday to Thursday", "周一至周四可用"), 6.0, 30),
        (("Whole night", "通宵场"),
         ("Until 08:00", "至次日08:00"), 9.0, 20),
    ),
    "nails": (
        (("One colour", "单色美甲"),
         ("With care of the hands", "含手部护理"), 0.8, 25),
        (("Lashes and nails", "美甲加美睫"),
         ("Two hours", "两小时"), 2.0, 28),
    ),
}  # fmt: skip
RULES = (
    "One voucher a visit. Tell the shop before you order. Not together with other offers.",
    "每次到店限用一张。请在点单前告知商户。不与其他优惠同享。",
)


def make(shops: int, *, seed: int) -> int:
    """Make vouchers for shops without any, up to shop id `shops`; return how many are new."""
    made = 0
    wanted = Shop.objects.filter(pk__lte=min(shops, SHOPS_WITH_VOUCHERS), vouchers=None).select_related(
        "type"
    )
    for some in batches.chunked(list(wanted.order_by("pk")), BATCH_VOUCHERS):
        made += len(
            Voucher.objects.bulk_create(one for shop in some for one in _vouchers_of_shop(shop, seed))
        )
    return made


def _vouchers_of_shop(shop: Shop, seed: int) -> Iterator[Voucher]:
    chance = Random(f"{seed}:voucher:{shop.pk}")
    if shop.pk % 5 < 3:
        for titles, subtitles, share, discount in OFFERS.get(shop.type.slug, ()):
            value = max(1_000, int(shop.price * share) // 500 * 500)
            price = max(500, int(value * (100 - discount + chance.randint(-4, 4)) / 100) // 100 * 100)
            title, title_zh = (text.format(value=f"¥{value // 100}") for text in titles)
            yield Voucher(
                shop=shop,
                title_en=title,
                title_zh=title_zh,
                subtitle_en=subtitles[0],
                subtitle_zh=subtitles[1],
                rules_en=RULES[0],
                rules_zh=RULES[1],
                price=price,
                value=value,
            )
