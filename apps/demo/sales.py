"""Makes the demo's flash sales, one in each state a sale can have now; an older demo gets new ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from apps.accounts.pictures.files import DrawnFile
from apps.coupons.claims import loading, order_ids
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.demo import people, photographs, texts
from apps.demo.texts import TextPair
from apps.redis_kit import ids
from apps.shops.models import Shop

#: Prefix of the request tokens of the demo's own orders.
REQUEST_PREFIX = "demo-"
_TEXTS = texts.read("sales")
RULES, RULES_FOR_TWO = texts.pair(_TEXTS["rules"]), texts.pair(_TEXTS["rules_for_two"])
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: How long a sale's coupons can be used.
VALID_AFTER_END = 30 * DAY
#: Orders of sales have numbers of their own within a second, so many for each sale.
FIRST_ORDER_NUMBER, MAX_SOLD = 10_000, 1_000


@dataclass(frozen=True)
class SaleContent:
    """A coupon to sell: prices are in fen; `photo` is the name of its photograph."""

    title: TextPair
    subtitle: TextPair
    price: int
    value: int
    slug: str
    photo: str
    #: What the name of its shop should have, and the city that the shop should be in.
    shop_word: str = ""
    city: str = ""
    per_person: int = 1
    rules: TextPair = RULES


@dataclass(frozen=True)
class SaleState:
    """A sale to make in one state: `begins` and `ends` count from now.

    `is_present(at)` returns the filter that finds an existing sale in this state. Of several `contents` that
    with the fewest sales is taken: a demo that is started again and again has another coming sale each time.
    """

    contents: tuple[SaleContent, ...]
    begins: timedelta
    ends: timedelta
    units: int
    sold: int
    is_present: Callable[[datetime], Q]


def _is_open_at(at: datetime) -> Q:
    return Q(begins_at__lte=at, ends_at__gt=at + HOUR / 2)


def _read_content(row: dict[str, Any]) -> SaleContent:
    pairs = {name: texts.pair(row[name]) for name in ("title", "subtitle")}
    return SaleContent(**row | pairs, rules=RULES if row.get("per_person", 1) == 1 else RULES_FOR_TWO)


CONTENTS = {name: _read_content(row) for name, row in _TEXTS["contents"].items()}
#: Coupons of the sale that begins soon, in turn.
COMING = tuple(CONTENTS[name] for name in ("hot_pot", "tea", "nails", "kids"))

SALE_STATES = (
    SaleState(
        (CONTENTS["feast"],), -HOUR, 9 * HOUR, 200, 74,
        lambda at: _is_open_at(at) & Q(stock_left__gte=10, stock_total__gte=100),
    ),
    SaleState(
        (CONTENTS["quiet_hands"],), -2 * HOUR, 7 * HOUR, 60, 41,
        lambda at: _is_open_at(at) & Q(stock_left__gte=5, stock_total__lt=100),
    ),
    SaleState(
        COMING, timedelta(minutes=5), 5 * HOUR, 100, 0,
        lambda at: Q(begins_at__gt=at, begins_at__lte=at + timedelta(minutes=30)),
    ),
    SaleState(
        (CONTENTS["songs"],), DAY, DAY + 6 * HOUR, 80, 0,
        lambda at: Q(begins_at__gt=at + timedelta(minutes=30)),
    ),
    SaleState(
        (CONTENTS["hair"],), -3 * HOUR, 12 * HOUR, 30, 30,
        lambda at: _is_open_at(at) & Q(stock_left=0),
    ),
    SaleState((CONTENTS["spa"],), -2 * DAY, -DAY, 50, 38, lambda at: Q(ends_at__lte=at)),
)  # fmt: skip


def make() -> int:
    """Make a sale for each state that no offered sale has now; return how many are new."""
    now = timezone.now()
    missing = [slot for slot in SALE_STATES if not _offered().filter(slot.is_present(now)).exists()]
    for slot in missing:
        _make_sale(slot, now)
    return len(missing)


def _offered() -> QuerySet[FlashSale]:
    return FlashSale.objects.filter(voucher__is_offered=True)


def _make_sale(slot: SaleState, now: datetime) -> None:
    content = _least_sold(slot.contents)
    with transaction.atomic():
        voucher = Voucher.objects.create(
            shop=_least_used_shop(content),
            title_en=content.title[0],
            title_zh=content.title[1],
            subtitle_en=content.subtitle[0],
            subtitle_zh=content.subtitle[1],
            rules_en=content.rules[0],
            rules_zh=content.rules[1],
            per_person=content.per_person,
            price=content.price,
            value=content.value,
            valid_until=now + slot.ends + VALID_AFTER_END,
        )
        # Written directly: sales.create cannot make a sale that is over or partly sold.
        sale = FlashSale.objects.create(
            voucher=voucher,
            stock_total=slot.units,
            stock_left=slot.units - slot.sold,
            begins_at=now + slot.begins,
            ends_at=now + slot.ends,
        )
        drawn = photographs.prepare(photographs.CATALOGUE[content.photo])
        name = f"{uuid4().hex}.webp"
        voucher.picture.save(name, DrawnFile(drawn.large, name, drawn.cards))
        VoucherOrder.objects.bulk_create(_build_orders(sale, slot.sold))
        transaction.on_commit(lambda: loading.load(voucher.pk))


def _least_sold(contents: Sequence[SaleContent]) -> SaleContent:
    """The content with the fewest sales, the first of equal ones."""
    sales = FlashSale.objects.filter(voucher__title_en__in=[one.title[0] for one in contents])
    titles = Counter(sales.values_list("voucher__title_en", flat=True))
    return min(contents, key=lambda one: titles[one.title[0]])


def _least_used_shop(content: SaleContent) -> Shop:
    """The shop with the fewest sales of the type's first 40 public ones; of those that fit best, if any."""
    shops = Shop.objects.open_to_public().filter(type__slug=content.slug)[:40]
    named = [shop.pk for shop in shops if content.shop_word in shop.name_en and content.city in shop.city_en]
    ranked = Shop.objects.filter(pk__in=named or [shop.pk for shop in shops])
    had = Count("vouchers", filter=Q(vouchers__sale__isnull=False))
    return ranked.annotate(had=had).order_by("had", "-popularity", "pk")[0]


def _build_orders(sale: FlashSale, sold: int) -> list[VoucherOrder]:
    """Return paid orders of the first `sold` people, spread evenly over the sale's time until now."""
    last = min(timezone.now(), sale.ends_at)
    step = (last - sale.begins_at) / max(1, sold + 1)
    return [
        _build_order(sale, user_id, sale.begins_at + step * place, number=place)
        for place, user_id in enumerate(people.all_ids()[:sold], start=1)
    ]


def _build_order(sale: FlashSale, user_id: int, at: datetime, *, number: int) -> VoucherOrder:
    return VoucherOrder(
        id=compose_past_order_id(at, FIRST_ORDER_NUMBER + sale.pk * MAX_SOLD + number),
        token=f"{REQUEST_PREFIX}{user_id}",
        user_id=user_id,
        voucher=sale.voucher,
        status=Status.PAID,
        price=sale.voucher.price,
        accepted_at=at,
        created_at=at,
        pay_deadline=at + timedelta(minutes=15),
        paid_at=at + timedelta(minutes=2),
        redeem_code=redeem_codes.draw_one(),
        valid_until=sale.voucher.valid_until,
    )


def compose_past_order_id(at: datetime, number: int) -> int:
    """The id of an order of that second; `number` tells orders of one second from each other."""
    return order_ids.compose(int(at.timestamp()) - ids.EPOCH, number, lane=order_ids.ORDINARY_LANE)
