"""What races of payments share: a crowd that queues, acts that start together, and how all of it ended."""

from collections import Counter
from collections.abc import Callable

from apps.accounts.models import User
from apps.coupons import invariants, keys, recording, stream
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.payments import settling
from apps.coupons.payments.models import Payment
from apps.coupons.payments.provider import Notice
from apps.redis_kit import client
from tests.coupons import buyers, payers
from tests.races import race


def everybody_queues(sale: FlashSale) -> None:
    """A queued order for each unit."""
    phones = (f"+86139{number:08}" for number in range(sale.stock_total))
    for user in User.objects.bulk_create(User(phone=phone, nickname="Racer") for phone in phones):
        buyers.queued(sale, user)


def record(sale: FlashSale) -> None:
    """Every queued order becomes a row, and the stream is empty."""
    held = keys.of_sale(sale.pk)
    recording.record(stream.waiting(held.orders))
    client.get().delete(held.orders, held.queued)


def told(payment: Payment) -> str:
    """The callback, behind its signature; where the payment stands then."""
    notice = Notice(
        reference=payment.reference, succeeded=True, amount=payment.amount, currency=payment.currency
    )
    return settling.receive("sandbox", notice).state


def at_once(*acts: Callable[[], object]) -> list[object]:
    """What each returned, all started together."""
    return race(len(acts), lambda number: acts[number]())


def ends(sale: FlashSale) -> Counter[tuple[str, str, str, int]]:
    """Where each order, its payment and the bank's charge stand; Redis, SQL and the ledger agree."""
    assert list(invariants.broken(sale)) == []
    books = payers.books()
    status = dict(VoucherOrder.objects.values_list("pk", "status"))
    return Counter((status[payment.order_id], *books[payment.reference]) for payment in Payment.objects.all())
