"""Makes orders of the last weeks: more at weekends, most in the evening, and a few more each week."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from random import Random

from django.utils import timezone

from apps.blog.models import Note
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.orders import redeem_codes
from apps.demo import people, sales
from apps.demo.ads.week import HOUR_WEIGHTS
from apps.demo.sales import REQUEST_PREFIX
from apps.shops.models import ShopGuest

DAYS, BATCH_ORDERS = 35, 500
#: Orders of a weekday, Monday first, in the newest week; the oldest has so much of it.
WEEKDAY_ORDERS, FIRST_SHARE = (11, 12, 12, 14, 22, 30, 27), 0.55
#: So many of the orders are by people who wrote about the shop.
WRITERS_SHARE = 0.5
#: How many of 100 orders end so, once they are old enough; the rest wait to be used.
ENDS = ((Status.USED, 64), (Status.CANCELLED, 14), (Status.REFUNDED, 8), (Status.PAID, 14))
PAY_WITHIN, MAX_VOUCHERS = timedelta(minutes=15), 400


def make(*, seed: int) -> int:
    """Make the orders of DAYS days for vouchers without a sale; 0 when there are some or nothing to buy."""
    vouchers = list(Voucher.objects.filter(sale=None, is_offered=True).order_by("pk")[:MAX_VOUCHERS])
    if not vouchers or VoucherOrder.objects.exists():
        return 0
    made = VoucherOrder.objects.bulk_create(_build_all(vouchers, Random(f"{seed}:orders")), BATCH_ORDERS)
    return len(made)


def remember_guests() -> None:
    """Have the rows of all who have used a coupon at a shop, which redeeming one would have written."""
    used = VoucherOrder.objects.kept().order_by().values_list("voucher__shop", "user").distinct()
    guests = [ShopGuest(shop_id=shop_id, user_id=user_id) for shop_id, user_id in used]
    ShopGuest.objects.bulk_create(guests, BATCH_ORDERS, ignore_conflicts=True)


def _build_all(vouchers: list[Voucher], chance: Random) -> Iterator[VoucherOrder]:
    buyers, taken = people.all_ids(), set[tuple[int, int]]()
    writers = _load_writers(buyers)
    for number, at in enumerate(_moments(chance)):
        voucher = vouchers[int(len(vouchers) * chance.random() ** 2)]
        wrote = writers[voucher.shop_id] if chance.random() < WRITERS_SHARE else []
        user_id = chance.choice(wrote or buyers)
        # A person has one order of a voucher that is paid or used.
        if (user_id, voucher.pk) not in taken:
            taken.add((user_id, voucher.pk))
            yield build(voucher, user_id, at, number=number, status=_draw_end(chance, at), chance=chance)


def _load_writers(buyers: list[int]) -> defaultdict[int, list[int]]:
    """The buyers who wrote about each shop: people who buy somewhere write about it."""
    writers = defaultdict[int, list[int]](list)
    rows = Note.objects.published().filter(author__in=buyers).order_by("pk").values_list("shop", "author")
    for shop_id, author_id in rows:
        writers[shop_id].append(author_id)
    return writers


def _moments(chance: Random) -> list[datetime]:
    """When people ordered, the first first."""
    now, today = timezone.now(), timezone.localdate()
    days = [today - timedelta(days=ago) for ago in range(DAYS - 1, -1, -1)]
    drawn = (
        _draw_moment(day, chance) for place, day in enumerate(days) for _ in range(_count(day, place, chance))
    )
    return sorted(at for at in drawn if at < now - PAY_WITHIN)


def _count(day: date, place: int, chance: Random) -> int:
    growth = FIRST_SHARE + (1 - FIRST_SHARE) * place / (DAYS - 1)
    return round(WEEKDAY_ORDERS[day.weekday()] * growth * chance.uniform(0.85, 1.15))


def _draw_moment(day: date, chance: Random) -> datetime:
    [hour] = chance.choices(range(24), HOUR_WEIGHTS)
    midnight = timezone.make_aware(datetime.combine(day, time()))
    return midnight + timedelta(hours=hour, seconds=chance.randrange(3_600))


def _draw_end(chance: Random, at: datetime) -> Status:
    """How an order ended; one of the last day was at most cancelled."""
    [end] = chance.choices([status for status, _share in ENDS], [share for _status, share in ENDS])
    is_young = at > timezone.now() - timedelta(days=1)
    return Status.PAID if is_young and end != Status.CANCELLED else end


def build(
    voucher: Voucher, user_id: int, at: datetime, *, number: int, status: Status, chance: Random
) -> VoucherOrder:
    """An order of a voucher at a moment, with the times that its status needs."""
    order = VoucherOrder(
        id=sales.compose_past_order_id(at, number),
        token=f"{REQUEST_PREFIX}past-{number}",
        user_id=user_id,
        voucher=voucher,
        status=status,
        price=voucher.price,
        accepted_at=at,
        created_at=at,
        pay_deadline=at + PAY_WITHIN,
        redeem_code=redeem_codes.draw_one(),
        valid_until=voucher.valid_until,
    )
    if status in (Status.PAID, Status.USED, Status.REFUNDED):
        order.paid_at = at + timedelta(seconds=chance.randint(40, 600))
    if status == Status.CANCELLED:
        order.cancelled_at = order.pay_deadline
    elif status in (Status.USED, Status.REFUNDED):
        share = (timezone.now() - at) * chance.uniform(0.02, 0.9)
        ended = at + min(share, timedelta(days=chance.uniform(0.2, 9)))
        order.used_at, order.refunded_at = (ended, None) if status == Status.USED else (None, ended)
    return order
