"""What races of payments share: a crowd that queues, acts that start together, and how all of it ended."""

from collections import Counter
from collections.abc import Callable

from apps.coupons import keys
from apps.coupons.claims import entries
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.models.payments import Payment
from apps.coupons.orders import recording
from apps.coupons.payments import settlement
from apps.coupons.payments.provider import Notice
from apps.coupons.reconcile import sale_invariants
from apps.redis_kit import client
from tests.coupons import buyers, payers
from tests.factories import UserFactory
from tests.races import race


def queue_all_units(sale: FlashSale) -> None:
    """A queued order for each unit."""
    for user in UserFactory.bulk_create(sale.stock_total):
        buyers.queue_order(sale, user)


def record_queued(sale: FlashSale) -> None:
    """Every queued order becomes a row, and the stream is empty."""
    held = keys.for_sale(sale.pk)
    recording.record(entries.iter_waiting_orders(held.orders))
    client.get().delete(held.orders, held.queued)


def receive_success(payment: Payment) -> str:
    """The callback, behind its signature; where the payment stands then."""
    notice = Notice(
        reference=payment.reference, succeeded=True, amount=payment.amount, currency=payment.currency
    )
    (settled,) = settlement.receive_notice("sandbox", notice)
    return settled.state


def run_concurrently(*acts: Callable[[], object]) -> list[object]:
    """What each returned, all started together."""
    return race(len(acts), lambda number: acts[number]())


def count_outcomes(sale: FlashSale) -> Counter[tuple[str, str, str, int]]:
    """Where each order, its payment and the bank's charge stand; Redis, SQL and the ledger agree."""
    assert list(sale_invariants.find_violations(sale)) == []
    books = payers.read_payment_states()
    status = dict(VoucherOrder.objects.values_list("pk", "status"))
    return Counter((status[payment.order_id], *books[payment.reference]) for payment in Payment.objects.all())
