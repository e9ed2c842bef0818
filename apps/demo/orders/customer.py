"""Makes the customer's orders: one in each state that an order can have, and at each start one to pay."""

from datetime import timedelta
from random import Random

from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.demo import logins
from apps.demo.orders import history

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
#: How long the order to pay waits: whoever starts the demo shall see it.
TO_PAY_WITHIN = HOUR
#: How long ago each order was made.
PAST = (
    (Status.USED, 19 * DAY),
    (Status.CANCELLED, 12 * DAY),
    (Status.REFUNDED, 9 * DAY),
    (Status.USED, 5 * DAY),
    (Status.PAID, 2 * DAY),
    (Status.PAID, 3 * HOUR),
)
#: Numbers of these orders within their seconds, beyond those of everybody's.
FIRST_NUMBER = 5_000
#: The order that expired unused, and was paid back by itself.
EXPIRED_AGO, EXPIRED_AFTER = 32 * DAY, 7 * DAY


def make() -> int:
    """Make the orders of the past unless there are some, and one to pay unless one waits; how many."""
    customer = User.objects.get(phone=logins.CUSTOMER_PHONE)
    mine = VoucherOrder.objects.filter(user=customer)
    vouchers = list(_free_vouchers(customer))
    if not vouchers:
        return 0
    made = [] if mine.exists() else _build_past(customer, vouchers)
    if not mine.filter(status=Status.UNPAID).exists() and len(vouchers) > len(made):
        made.append(_build_to_pay(customer, vouchers[-1]))
    return len(VoucherOrder.objects.bulk_create(made))


def _free_vouchers(customer: User) -> list[Voucher]:
    """Vouchers of different shops that the customer may still buy."""
    had = VoucherOrder.objects.active().filter(user=customer).values("voucher")
    offered = Voucher.objects.filter(sale=None, is_offered=True).exclude(pk__in=had).order_by("pk")[:200]
    return list({voucher.shop_id: voucher for voucher in offered}.values())[: len(PAST) + 2]


def _build_past(customer: User, vouchers: list[Voucher]) -> list[VoucherOrder]:
    now, chance = timezone.now(), Random(customer.pk)
    made = [
        history.build(
            voucher, customer.pk, now - ago, number=FIRST_NUMBER + place, status=status, chance=chance
        )
        for place, (voucher, (status, ago)) in enumerate(zip(vouchers, PAST, strict=False))
    ]
    return [_build_expired(customer, vouchers[0]), *made]


def _build_expired(customer: User, voucher: Voucher) -> VoucherOrder:
    at = timezone.now() - EXPIRED_AGO
    order = history.build(
        voucher, customer.pk, at, number=FIRST_NUMBER - 1, status=Status.REFUNDED, chance=Random(0)
    )
    order.valid_until = at + EXPIRED_AFTER
    order.refunded_at = order.valid_until + timedelta(seconds=20)
    return order


def _build_to_pay(customer: User, voucher: Voucher) -> VoucherOrder:
    now = timezone.now()
    number = FIRST_NUMBER + VoucherOrder.objects.filter(user=customer).count() + len(PAST)
    order = history.build(
        voucher, customer.pk, now, number=number, status=Status.UNPAID, chance=Random(number)
    )
    order.pay_deadline = now + TO_PAY_WITHIN
    return order
