"""Sets up the sale of lab.bench.consumer: its people, and accepted orders as a list or a full stream."""

from collections.abc import Mapping
from typing import Any, Self, cast

from django.core.management.color import no_style
from django.db import connection
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, loading, receipts, seckill
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import DeadLetter, FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import consuming, recording
from apps.redis_kit import client

BATCH, PEOPLE = consuming.MAX_BATCH_ORDERS, 51_000
#: Claims of a script call, as a web process makes them at most.
BATCH_CLAIMS = consuming.MAX_ENTRY_ORDERS
#: One in so many entries is odd: in turn a duplicate, or a second order of its person.
MALFORMED_EVERY = 100
#: Added to an order id, this gives an id that is never issued.
UNKNOWN_ORDER_ID = 1 << 62
EMPTIED_MODELS = (VoucherOrder, StockLedger, DeadLetter)


class Sale:
    """One loaded sale with more stock than people."""

    def __init__(self, voucher_id: int) -> None:
        self.id = voucher_id
        self.people = list(User.objects.order_by("pk").values_list("pk", flat=True))

    @classmethod
    def with_people(cls, voucher_id: int) -> Self:
        """Create the people in SQL, then return the sale."""
        fresh = (User(phone=f"+86139{number:08}", nickname="Diner") for number in range(PEOPLE))
        User.objects.bulk_create(fresh, batch_size=BATCH)
        return cls(voucher_id)

    def accepted(self, many: int, *, odd: bool) -> list[AcceptedOrder]:
        """Empty the tables and return `many` orders; if `odd`, every MALFORMED_EVERY-th is an odd one."""
        self.empty()
        earlier = [self._order(number) for number in range(many // MALFORMED_EVERY)]
        found = [self._order(number) for number in range(len(earlier), len(earlier) + many)]
        if odd:
            recording.record(earlier)
            found[::MALFORMED_EVERY] = [
                one._replace(order_id=one.order_id + UNKNOWN_ORDER_ID, token="second") if place % 2 else one
                for place, one in enumerate(earlier)
            ]
        return found

    def fill_stream(self, many: int) -> int:
        """Claim for `many` people, with an odd entry after each MALFORMED_EVERY; return how many."""
        self.empty()
        orders, told, odd = keys.for_sale(self.id).orders, list[Mapping[str, str]](), 0
        for start in range(0, many, MALFORMED_EVERY):
            for begin in range(start, start + MALFORMED_EVERY, BATCH_CLAIMS):
                self.claim(self.people[begin : min(begin + BATCH_CLAIMS, start + MALFORMED_EVERY)])
            raw = [] if told else list(entries.iter_raw_entries(orders))
            told += [one for _, fields in raw for one in entries.split(fields)]
            client.get().xadd(orders, cast(Any, _malform(told[odd % len(told)], odd)))
            odd += 1
        return many + odd

    def count_entries(self) -> int:
        """How many entries wait in the stream."""
        return client.get().xlen(keys.for_sale(self.id).orders)

    def claim(self, people: list[int]) -> None:
        """Claim for all these people with one script call."""
        seckill.claim_many({self.id: [(person, "bench") for person in people]})

    def leave(self, units: int) -> None:
        """Set the stock left in SQL, whatever was accepted."""
        FlashSale.objects.filter(pk=self.id).update(stock_left=units)

    def empty(self) -> None:
        """Delete all orders in SQL, flush Redis, and load the sale again with its full stock."""
        tables = [model._meta.db_table for model in EMPTIED_MODELS]
        flush = connection.ops.sql_flush(no_style(), tables, allow_cascade=True)
        connection.ops.execute_sql_flush(flush)
        FlashSale.objects.filter(pk=self.id).update(stock_left=FlashSale.objects.get(pk=self.id).stock_total)
        client.get().flushdb()
        # The first load finds that Redis has lost the sale, the next one ends its hold.
        while not loading.is_loaded(FlashSale.objects.get(pk=self.id)):
            loading.load(self.id)

    def _order(self, number: int) -> AcceptedOrder:
        return AcceptedOrder(
            order_id=(1 << 58) + (number << 5),
            voucher_id=self.id,
            user_id=self.people[number],
            token=f"{number:032x}",
            accepted_at=timezone.now(),
            epoch=1,
        )


def _malform(fields: Mapping[str, str], turn: int) -> Mapping[str, str]:
    if turn % 2 == 0:
        return fields
    (signature,) = receipts.sign_claims(int(fields["voucher"]), [(int(fields["user"]), "second")])
    order = str(int(fields["order"]) + UNKNOWN_ORDER_ID + turn)
    return {**fields, "order": order, "token": "second", "signature": signature}
