"""Makes ordinary vouchers of the demo: two or three for three shops in five."""

from collections.abc import Iterator
from random import Random

from apps.coupons.models import Voucher
from apps.shops.models import Shop
from apps.web import batches

#: Highest id of a shop that gets vouchers: a million shops need no two million vouchers.
SHOPS_WITH_VOUCHERS = 2_000
BATCH_VOUCHERS = 500
#: Shop type -> vouchers: (title, subtitle, value as a multiple of the shop's price, discount in per cent).
OFFERS = {
    "food": (("{value} towards the bill", "Any table, any day", 1.0, 15), ("Lunch for one",
    "Weekdays", 0.8, 25),
             ("Dinner for two", "Eight dishes to choose from", 2.2, 22)),
    "ktv": (("Three hours, small room", "Until 18:00", 1.5, 35), ("Evening for six",
    "Snacks included", 5.0, 30)),
    "hair": (("Cut and blow-dry", "Any stylist but the owner", 1.0, 20), ("Colour and care",
    "Up to shoulder length", 2.5, 28)),
    "massage": (("Sixty minutes", "Neck, back or feet", 1.0, 18), ("Ninety minutes for two",
    "Side by side", 2.8, 26)),
    "fitness": (("Day pass", "All courses open", 0.8, 30), ("Ten visits", "Valid for half a year", 7.0, 25)),
    "spa": (("Half a day of steam", "Towel and tea included", 1.0, 22), ("Face care",
    "Seventy minutes", 1.4, 30)),
    "kids": (("One child, one grown-up", "All day", 1.0, 20), ("Birthday table for eight",
    "Cake not included", 7.0, 15)),
    "bar": (("{value} towards drinks", "Before 21:00", 1.0, 20), ("Tasting flight",
    "Five small glasses", 1.2, 25)),
    "party": (("Four hours for eight", "Monday to Thursday", 6.0, 30), ("Whole night",
    "Until 08:00", 9.0, 20)),
    "nails": (("One colour", "With care of the hands", 0.8, 25), ("Lashes and nails", "Two hours", 2.0, 28)),
}  # fmt: skip
RULES = "One voucher a visit. Tell the shop before you order. Not together with other offers."


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
        for title, subtitle, share, discount in OFFERS.get(shop.type.slug, ()):
            value = max(1_000, int(shop.price * share) // 500 * 500)
            price = max(500, int(value * (100 - discount + chance.randint(-4, 4)) / 100) // 100 * 100)
            named = title.format(value=f"¥{value // 100}")
            yield Voucher(shop=shop, title=named, subtitle=subtitle, rules=RULES, price=price, value=value)
