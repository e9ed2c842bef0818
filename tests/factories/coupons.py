"""Vouchers, flash sales, orders and payments.

What loads a sale into Redis is the fixture `make_sale`; who claims and pays as people do takes
`tests.coupons.buyers` and `tests.coupons.payers`.
"""

from datetime import timedelta

import factory
from django.utils import timezone

from apps.coupons.models import FlashSale, Reconciliation, Redemption, Reminder, Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState, SandboxCharge
from tests.factories.people import UserFactory
from tests.factories.rows import RowFactory
from tests.factories.shops import ShopFactory


class VoucherFactory(RowFactory[Voucher]):
    """An ordinary voucher that is offered and doesn't expire."""

    class Meta:
        model = Voucher

    shop = factory.SubFactory(ShopFactory)
    title_en = "Noodles for two"
    price = 4_900
    value = 8_800


class FlashSaleFactory(RowFactory[FlashSale]):
    """Ten units for an hour, since a minute ago; Redis has not loaded them."""

    class Meta:
        model = FlashSale

    class Params:
        # Seconds.
        begins_in = -60
        lasts = 3_600
        coming = factory.Trait(begins_in=86_400)
        ended = factory.Trait(begins_in=-86_400)
        sold_out = factory.Trait(stock_left=0)

    voucher = factory.SubFactory(VoucherFactory, title_en="Noodles at half price")
    stock_total = 10
    stock_left = factory.SelfAttribute("stock_total")
    begins_at = factory.LazyAttribute(lambda sale: timezone.now() + timedelta(seconds=sale.begins_in))
    ends_at = factory.LazyAttribute(lambda sale: sale.begins_at + timedelta(seconds=sale.lasts))


class ReminderFactory(RowFactory[Reminder]):
    """A person wants to know when a sale begins."""

    class Meta:
        model = Reminder

    user = factory.SubFactory(UserFactory)
    sale = factory.SubFactory(FlashSaleFactory, coming=True)


class VoucherOrderFactory(RowFactory[VoucherOrder]):
    """An unpaid order that was accepted just now; its unit was taken from no stock."""

    class Meta:
        model = VoucherOrder

    class Params:
        paid = factory.Trait(status=Status.PAID, paid_at=factory.SelfAttribute("accepted_at"))
        cancelled = factory.Trait(status=Status.CANCELLED, cancelled_at=factory.SelfAttribute("accepted_at"))

    id = factory.Sequence(lambda number: number + 1)
    token = factory.Sequence(str)
    user = factory.SubFactory(UserFactory)
    voucher = factory.SubFactory(VoucherFactory)
    price = factory.SelfAttribute("voucher.price")
    accepted_at = factory.LazyFunction(timezone.now)
    created_at = factory.SelfAttribute("accepted_at")
    pay_deadline = factory.LazyAttribute(lambda order: order.accepted_at + timedelta(minutes=15))
    redeem_code = factory.Sequence(lambda number: f"{number:012}")


class RedemptionFactory(RowFactory[Redemption]):
    """A cashier redeemed an order; its status is left as it is."""

    class Meta:
        model = Redemption

    order = factory.SubFactory(VoucherOrderFactory, paid=True)
    cashier = factory.SubFactory(UserFactory)


class PaymentFactory(RowFactory[Payment]):
    """A payment of the sandbox bank whose money came and is settled."""

    class Meta:
        model = Payment

    class Params:
        order = factory.SubFactory(VoucherOrderFactory, paid=True)

    order_id = factory.SelfAttribute("order.pk")
    provider = "sandbox"
    reference = factory.Sequence(lambda number: f"{number:032x}")
    subject = factory.SelfAttribute("order.voucher.title_en")
    amount = factory.SelfAttribute("order.price")
    currency = factory.SelfAttribute("order.currency")
    state = PaymentState.SUCCEEDED
    finished_at = factory.LazyFunction(timezone.now)
    settled_at = factory.SelfAttribute("finished_at")


class SandboxChargeFactory(RowFactory[SandboxCharge]):
    """What the sandbox bank knows of a payment: the money was taken."""

    class Meta:
        model = SandboxCharge

    reference = factory.Sequence(lambda number: f"{number:032x}")
    subject = "Noodles for two"
    amount = 4_900
    currency = "CNY"
    return_url = "http://testserver/orders/1/returned/"
    state = SandboxCharge.State.PAID


class ReconciliationFactory(RowFactory[Reconciliation]):
    """A clean run over three sales."""

    class Meta:
        model = Reconciliation

    sales = 3
    seconds = 0.5
