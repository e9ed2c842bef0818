"""Makes ordinary vouchers of the demo: two or three for three shops in five, with fitting pictures."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from apps.coupons.models import Voucher
from apps.demo import photographs, texts
from apps.demo.photographs import Photograph
from apps.demo.social import note_texts, own_photos
from apps.shops.models import Shop
from apps.web import batches

#: The folder of their files in the storage.
FOLDER = "vouchers"
#: How many one person may buy of each.
PER_PERSON = 5
#: Highest id of a shop that gets vouchers: a million shops need no two million vouchers.
SHOPS_WITH_VOUCHERS = 2_000
BATCH_SHOPS = 200
#: Theme of a shop -> what its coupons are for.
OFFERS: dict[str, list[dict[str, Any]]] = {
    theme: row["offers"] for theme, row in texts.read("themes").items()
}
RULES = (
    "One voucher a visit. Tell the shop before you order. Not together with other offers.",
    "每次到店限用一张。请在点单前告知商户。不与其他优惠同享。",
)


def make(shops: int, *, seed: int) -> int:
    """Make vouchers for shops without any, up to shop id `shops`; return how many are new."""
    wanted = Shop.objects.filter(pk__lte=min(shops, SHOPS_WITH_VOUCHERS), vouchers=None)
    offering = [shop for shop in wanted.select_related("type").order_by("pk") if shop.pk % 5 < 3]
    wanted_photos = dict.fromkeys(photo for shop in offering for photo in choose_photos(shop) if photo)
    photographs.prepare_all(wanted_photos, lambda _done: None)
    pictures = {photo: photographs.store_for_rows(photo, FOLDER) for photo in wanted_photos}
    made = 0
    for some in batches.chunked(offering, BATCH_SHOPS):
        vouchers = [one for shop in some for one in _vouchers_of_shop(shop, pictures, seed)]
        made += len(Voucher.objects.bulk_create(vouchers))
    return made


def choose_photos(shop: Shop) -> list[Photograph | None]:
    """What the picture of each of a shop's coupons shows: the dish that it sells, each photograph once.

    The picture of the shop itself comes last. A coupon for which none is left has no picture.
    """
    chosen = list[Photograph | None]()
    own, fitting = own_photos.find_picture(shop), own_photos.of_shop(shop)
    turned = [*fitting[shop.pk % len(fitting) :], *fitting[: shop.pk % len(fitting)]] if fitting else []
    turned.sort(key=lambda photo: (photo == own, photo.shows == "front"))
    for offer in OFFERS[note_texts.theme_of_shop(shop)]:
        free = [photo for photo in turned if photo not in chosen]
        sold = [photo for photo in free if offer["dish"] in photo.dishes] if offer["dish"] else free
        chosen.append(sold[0] if sold else None)
    return chosen


def _vouchers_of_shop(shop: Shop, pictures: Mapping[Photograph, str], seed: int) -> Iterator[Voucher]:
    chance = Random(f"{seed}:voucher:{shop.pk}")
    offers = OFFERS[note_texts.theme_of_shop(shop)]
    for offer, photo in zip(offers, choose_photos(shop), strict=True):
        value = max(1_000, int(shop.price * offer["share"]) // 500 * 500)
        discount = offer["discount"] + chance.randint(-4, 4)
        price = max(500, int(value * (100 - discount) / 100) // 100 * 100)
        title, title_zh = (text.format(value=f"¥{value // 100}") for text in texts.pair(offer["title"]))
        subtitle, subtitle_zh = texts.pair(offer["subtitle"])
        yield Voucher(
            shop=shop,
            title_en=title,
            title_zh=title_zh,
            subtitle_en=subtitle,
            subtitle_zh=subtitle_zh,
            rules_en=RULES[0],
            rules_zh=RULES[1],
            price=price,
            value=value,
            picture=pictures[photo] if photo else "",
            per_person=PER_PERSON,
        )
