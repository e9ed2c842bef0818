"""What an event of an order causes: messages, webhooks, live pages, units; all of it with the change, or
nothing.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder, Webhook, WebhookDelivery
from apps.coupons.orders import effects
from apps.coupons.orders.effects import EFFECTS, Event
from apps.coupons.webhooks import endpoints
from apps.mailbox.models import Notification
from apps.outbox.models import Channel, Message
from apps.queues.models import OwedEffect
from apps.redis_kit import client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory, VoucherFactory, VoucherOrderFactory

pytestmark = pytest.mark.django_db(transaction=True)


class Caused(NamedTuple):
    """What an event causes: the text messages, who reads what on the site, what webhooks hear, whose pages
    are told, and whether a unit is back in SQL and in Redis.
    """

    sms: list[str]
    notices: set[tuple[str, str]]
    webhooks: list[str]
    live: set[str]
    units: tuple[int, int]


BUYER, HOLDER = "alice", "bob"
NO_UNIT, BOTH_UNITS, UNIT_IN_REDIS = (0, 0), (1, 1), (0, 1)
#: The status after the event, whether the coupon was given to somebody, and what it causes.
CASES: dict[Event, tuple[Status, bool, Caused]] = {
    Event.CREATED: (Status.UNPAID, False, Caused([], set(), [], set(), NO_UNIT)),
    Event.PAID: (
        Status.PAID,
        False,
        Caused(["paid"], {(BUYER, "paid")}, ["order.paid"], {BUYER}, NO_UNIT),
    ),
    Event.USED: (
        Status.USED,
        True,
        Caused([], {(HOLDER, "used")}, ["order.used"], {BUYER, HOLDER}, NO_UNIT),
    ),
    Event.CANCELLED: (Status.CANCELLED, False, Caused([], set(), [], {BUYER}, BOTH_UNITS)),
    Event.CANCELLED_EARLY: (Status.CANCELLED, False, Caused([], set(), [], {BUYER}, UNIT_IN_REDIS)),
    Event.TIMED_OUT: (
        Status.CANCELLED,
        False,
        Caused(["timed-out"], {(BUYER, "timed-out")}, [], {BUYER}, BOTH_UNITS),
    ),
    Event.REFUNDED: (
        Status.REFUNDED,
        False,
        Caused(["refunded"], {(BUYER, "refunded")}, ["order.refunded"], {BUYER}, BOTH_UNITS),
    ),
    Event.EXPIRED: (
        Status.REFUNDED,
        True,
        Caused(
            ["expired"],
            {(BUYER, "expired"), (HOLDER, "gift-over")},
            ["order.expired"],
            {BUYER, HOLDER},
            BOTH_UNITS,
        ),
    ),
    Event.GIVEN: (Status.PAID, True, Caused(["notice"], {(BUYER, "given")}, [], {BUYER}, NO_UNIT)),
    Event.GIVEN_BACK: (Status.PAID, False, Caused([], {(BUYER, "given-back")}, [], {BUYER}, NO_UNIT)),
}


@pytest.fixture
def sale(make_sale: MakeSale) -> FlashSale:
    """One unit, which Alice takes; a program hears of all that happens to the shop's orders."""
    sale = make_sale(units=1)
    events = " ".join(endpoints.EVENTS)
    Webhook.objects.create(shop=sale.voucher.shop, url="https://example.org", secret="whsec_", events=events)
    return sale


@pytest.fixture
def names(alice: User, bob: User) -> dict[int, str]:
    return {alice.pk: BUYER, bob.pk: HOLDER}


def read_caused(sale: FlashSale, names: dict[int, str], owed: Sequence[OwedEffect]) -> Caused:
    messages = Message.objects.filter(channel=Channel.SMS)
    told = [row.arguments[0] for row in owed if row.effect.endswith("live_states.tell_again")]
    sale.refresh_from_db()
    in_redis = client.get().get(keys.for_sale(sale.pk).stock)
    return Caused(
        sms=[_read_purpose(message.key) for message in messages],
        notices={(names[row.recipient_id], row.text) for row in Notification.objects.all()},
        webhooks=[delivery.event for delivery in WebhookDelivery.objects.all()],
        live={names[user_id] for pairs in told for user_id, _order_id in pairs},
        units=(sale.stock_left, int(in_redis or 0)),
    )


def _read_purpose(key: str) -> str:
    """Of "order:<id>:paid"; a text message that the mailbox writes itself is of a "notice"."""
    return key.rpartition(":")[2] if key.startswith("order:") else "notice"


@pytest.mark.both_databases
@pytest.mark.parametrize("event", Event, ids=lambda event: event.name)
def test_an_event_causes_what_its_line_says(
    event: Event, sale: FlashSale, names: dict[int, str], alice: User, bob: User
) -> None:
    status, is_given, expected = CASES[event]
    order = buyers.create_order(sale, alice)
    order.status, order.holder = status, bob if is_given else None
    order.save()
    with transaction.atomic():
        effects.apply([order], event)
        owed = list(OwedEffect.objects.all())
    assert read_caused(sale, names, owed) == expected
    assert not OwedEffect.objects.exists()
    assert StockLedger.objects.filter(order=order).exists() == (expected.units == BOTH_UNITS)
    with transaction.atomic():
        effects.apply([], event)
        assert not OwedEffect.objects.exists()


def test_nothing_is_caused_by_what_is_rolled_back(
    sale: FlashSale, names: dict[int, str], alice: User
) -> None:
    order = buyers.create_order(sale, alice)
    order.status = Status.REFUNDED
    with transaction.atomic():
        for event in (Event.PAID, Event.REFUNDED, Event.GIVEN_BACK):
            effects.apply([order], event)
        transaction.set_rollback(True)
    assert read_caused(sale, names, list(OwedEffect.objects.all())) == Caused([], set(), [], set(), NO_UNIT)


@pytest.mark.parametrize(
    "event", [event for event in EFFECTS if event != Event.GIVEN], ids=lambda event: event.name
)
def test_an_event_of_twenty_orders_costs_the_queries_of_ten(event: Event) -> None:
    voucher = VoucherFactory.create(valid_until=timezone.now() + timedelta(days=1))
    costs = []
    for count in (10, 20):
        made = [
            VoucherOrderFactory.create(voucher=voucher, user=user) for user in UserFactory.bulk_create(count)
        ]
        rows = list(VoucherOrder.objects.filter(pk__in=[order.pk for order in made]))
        for row in rows:
            row.status = CASES[event][0]
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            effects.apply(rows, event)
        costs.append(len(queries))
    assert costs[0] == costs[1]
