"""Invariants between Redis and SQL for every flash sale, with the names of the admin's report, and repairs.

Redis is read, the numbers that must fit together at one moment, then compared with SQL's rows and the orders
in flight. Those between orders and payments are in payment_invariants; docs/operations.md lists all.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import cast

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_noop
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import loading
from apps.coupons.claims.entries import AcceptedOrder, iter_parsed, list_numbers
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle, returns
from apps.coupons.reconcile.violations import Violation
from apps.coupons.terms import Terms, find_differences, keys_expire_at
from apps.redis_kit import client, scripts
from apps.web.batches import chunked
from apps.web.stored_texts import Template

SNAPSHOT = scripts.Script("snapshot", package="apps.coupons.reconcile", reply=list)
#: Redis's TTL of a key that doesn't exist.
NO_KEY = -2

#: A consumer that is alive needs far less for one order.
MAX_IN_FLIGHT_AGE = timedelta(seconds=60)
#: Seconds by which a key's expiry may differ: milliseconds are rounded, and claims set it by themselves.
EXPIRY_TOLERANCE_SECONDS = 5
SUM = Template(gettext_noop("I5 stock doesn't add up"))
SUM_DETAIL = Template(gettext_noop("units = active orders + Redis stock + in flight"))
BUYERS = Template(gettext_noop("I6 buyers differ"))
BUYERS_DETAIL = Template(gettext_noop("buyers in Redis and holders of orders differ"))
NOT_A_NUMBER = Template(gettext_noop("I10 stock not a number"))
NOT_A_NUMBER_DETAIL = Template(gettext_noop("Redis holds %(stock)s"))
WAITING = Template(gettext_noop("I14 waiting too long"))
WAITING_DETAIL = Template(gettext_noop("accepted orders that no consumer took"))
RULES = Template(gettext_noop("I26 rules differ"))
RULES_DETAIL = Template(gettext_noop("Redis has %(actual)s, right is %(expected)s"))
GATE = Template(gettext_noop("I27 gate"))
GATE_DETAIL = Template(gettext_noop("the gate is %(actual)s, not %(expected)s"))
RELEASED = Template(gettext_noop("I28 released differ"))
RELEASED_DETAIL = Template(gettext_noop("released orders in Redis and cancelled orders differ"))
EXPIRY = Template(gettext_noop("I29 expiry"))
EXPIRY_DETAIL = Template(gettext_noop("expire at %(actual)s, not at %(expected)s"))
#: The sweep of unpaid orders runs every few seconds.
CLOSE_TOLERANCE = timedelta(seconds=15)
OVERSOLD = Template(gettext_noop("I1 oversold"))
OVERSOLD_DETAIL = Template(gettext_noop("more active orders than units"))
TOO_MANY = Template(gettext_noop("I2 too many for one person"))
TOO_MANY_DETAIL = Template(gettext_noop("people with more active orders than one person may have"))
RETURNED = Template(gettext_noop("I7 return not once"))
RETURNED_DETAIL = Template(gettext_noop("cancelled or refunded orders and returned units differ"))
OUTSIDE = Template(gettext_noop("I8 outside the window"))
OUTSIDE_DETAIL = Template(gettext_noop("orders accepted outside the sale's window"))
OVERDUE = Template(gettext_noop("I12 unpaid past deadline"))
OVERDUE_DETAIL = Template(gettext_noop("unpaid orders that nobody closed"))
SOLD = Template(gettext_noop("I18 sold counter"))
SOLD_DETAIL = Template(gettext_noop("units left in SQL don't match the active orders"))
WRONG_TYPE_DETAIL = Template(gettext_noop("a key of the sale has the wrong type in Redis"))


@dataclass(frozen=True)
class Snapshot:
    """What Redis held of one sale; `queued_ms`: order id -> unix ms of its entry.

    Buyers and released orders are of the milliseconds before: of a large sale they are too many for one
    command, beside which no claim is served. What differs from SQL is read again (_read_again).
    `gate` are the fields of the sale's hash. `expiries` are the unix
    seconds at which the existing keys among sale, stock, buyers and released expire; 0: never.
    """

    gate: dict[str, str]
    stock: str | None
    buyers: dict[str, str]
    released: dict[str, str]
    expiries: dict[str, int]
    waiting: list[AcceptedOrder]
    queued_ms: dict[str, int]

    @property
    def state(self) -> str | None:
        return self.gate.get("state")

    @property
    def is_absent(self) -> bool:
        """Whether Redis holds nothing of the sale."""
        return not (self.expiries or self.waiting)


def read_snapshot(voucher_id: int) -> Snapshot | None:
    """Gate, stock, buyers, released orders and stream of one sale; None when a key has the wrong type."""
    sale_keys = keys.for_sale(voucher_id)
    try:
        buyers, released = _read_in_slices(sale_keys.buyers), _read_in_slices(sale_keys.released)
        # A script and not MULTI, whose answers redis-py leaves raw on a Redis Cluster.
        gate, stock, lifetimes, now, found = SNAPSHOT(
            client.get(), keys=[*sale_keys.of_sale_alone, sale_keys.orders], args=[]
        )
    except ResponseError:
        return None
    entries = [(entry_id, dict_from_flat(fields)) for entry_id, fields in found]
    waiting = [one for one in iter_parsed(entries) if one.voucher_id == voucher_id]
    return Snapshot(
        gate=dict_from_flat(gate),
        stock=stock,
        buyers=buyers,
        released=released,
        expiries={
            name: now + left if left >= 0 else 0
            for name, left in zip(("sale", "stock", "buyers", "released"), lifetimes, strict=True)
            if left != NO_KEY
        },
        waiting=waiting,
        queued_ms={
            number: int(entry_id.partition("-")[0])
            for entry_id, fields in entries
            for number in list_numbers(fields)
        },
    )


def _read_in_slices(key: str) -> dict[str, str]:
    """A hash of any size, in commands of well below a millisecond each."""
    return dict(client.get().hscan_iter(key, count=loading.CHUNK_ROWS))


def _read_again(key: str, read: dict[str, str], expected: dict[str, str]) -> dict[str, str]:
    """The hash as it was read, but for the fields that aren't as expected: those as they are now."""
    different = sorted({field for field, _value in read.items() ^ expected.items()})
    now = dict(read)
    for fields in chunked(different, loading.CHUNK_ROWS):
        for field, value in zip(
            fields, cast("list[str | None]", client.get().hmget(key, fields)), strict=True
        ):
            now.pop(field, None)
            if value is not None:
                now[field] = value
    return now


def dict_from_flat(flat: list[str]) -> dict[str, str]:
    """{field: value} of a hash or an entry as a script returns it."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def check_redis(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    """Every rule that a sale's keys break; those of a closed sale say nothing more than its gate."""
    if seen.is_absent and sale.is_offered:
        # After a loss of Redis: a consumer loads it within seconds, or else its first claim does.
        return
    # A sale that takes back lost orders opens with the job at its end, or the first claim after it.
    if (seen.state in {"open", "recovering"}) != sale.is_offered:
        wanted = "open" if sale.is_offered else "closed"
        detail = GATE_DETAIL.fill(actual=seen.state or "–", expected=wanted)
        yield Violation(GATE.fill(), sale.pk, 1, detail)
    if seen.state == "open" and sale.is_offered:
        yield from _check_rules(sale, seen)
        yield from _check_expiries(sale, seen)
        yield from _check_orders(sale, seen)


def _check_rules(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    rules = asdict(Terms.from_sale(sale).to_redis()) | {"epoch": sale.epoch, "revision": sale.revision}
    if wrong := find_differences(seen.gate, rules):
        detail = RULES_DETAIL.fill(
            actual=", ".join(f"{name} {actual}" for name, actual, _right in wrong),
            expected=", ".join(f"{name} {right}" for name, _actual, right in wrong),
        )
        yield Violation(RULES.fill(), sale.pk, len(wrong), detail)


def _check_expiries(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    expected = keys_expire_at(sale.ends_at)
    wrong = {name: at for name, at in seen.expiries.items() if abs(at - expected) > EXPIRY_TOLERANCE_SECONDS}
    if wrong:
        actual = ", ".join(f"{name} {at or '–'}" for name, at in wrong.items())
        detail = EXPIRY_DETAIL.fill(actual=actual, expected=expected)
        yield Violation(EXPIRY.fill(), sale.pk, len(wrong), detail)


def _check_orders(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    stock = seen.stock or ""
    if not (stock.isascii() and stock.isdigit()):
        yield Violation(NOT_A_NUMBER.fill(), sale.pk, 1, NOT_A_NUMBER_DETAIL.fill(stock=f"{stock!r:.40}"))
        return
    active, ended = _read_orders(sale)
    in_flight = loading.without_row_or_dead_letter(seen.waiting)
    off = sale.stock_total - len(active) - int(stock) - len(in_flight)
    if off:
        yield Violation(SUM.fill(), sale.pk, off, SUM_DETAIL.fill())
    expected = active | {one.buyers_field: f"{one.order_id}:{one.token}" for one in in_flight}
    buyers = _read_again(keys.for_sale(sale.pk).buyers, seen.buyers, expected)
    if unmatched := len(buyers.items() ^ expected.items()):
        yield Violation(BUYERS.fill(), sale.pk, unmatched, BUYERS_DETAIL.fill())
    yield from _check_released(sale, seen, ended)
    yield from _check_waiting(sale, seen, in_flight)


def _read_orders(sale: FlashSale) -> tuple[dict[str, str], dict[str, str]]:
    """({field of the buyers: "order:token"} of the active orders, {"user:token": order} of the others)."""
    active, ended = dict[str, str](), dict[str, str]()
    rows = VoucherOrder.objects.filter(voucher_id=sale.pk)
    columns = rows.values_list("user_id", "piece", "id", "token", "status")
    for user, piece, number, token, status in columns.iterator(loading.CHUNK_ROWS):
        if status in ACTIVE_STATUSES:
            active[keys.buyers_field(user, piece)] = f"{number}:{token}"
        else:
            ended[f"{user}:{token}"] = str(number)
    return active, ended


def _check_released(sale: FlashSale, seen: Snapshot, ended: dict[str, str]) -> Iterator[Violation]:
    """Released orders are cancelled rows, or orders that became a dead letter."""
    released = _read_again(keys.for_sale(sale.pk).released, seen.released, ended)
    strange = dict(released.items() - ended.items())
    numbers = [number for number in map(_number_or_none, strange.values()) if number]
    dead_letters = DeadLetter.objects.filter(order_id__in=numbers).values_list("order_id", flat=True)
    forged = len(strange) - sum(number in set(dead_letters) for number in numbers)
    lost = len(ended.items() - released.items())
    if forged or lost:
        yield Violation(RELEASED.fill(), sale.pk, forged + lost, RELEASED_DETAIL.fill())


def _number_or_none(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _check_waiting(sale: FlashSale, seen: Snapshot, in_flight: list[AcceptedOrder]) -> Iterator[Violation]:
    # The entry's own time: a replayed order was accepted long before it waits.
    late_before = (timezone.now() - MAX_IN_FLIGHT_AGE).timestamp() * 1000
    late = [one for one in in_flight if seen.queued_ms[str(one.order_id)] < late_before]
    if late:
        yield Violation(WAITING.fill(), sale.pk, len(late), WAITING_DETAIL.fill())


def find_violations(sale: FlashSale) -> Iterator[Violation]:
    """Every rule that this sale breaks. Redis is read first: what it has accepted, SQL may know by then."""
    seen = read_snapshot(sale.pk)
    sale.refresh_from_db()
    yield from _check_sql(sale)
    if seen is None:
        yield Violation(NOT_A_NUMBER.fill(), sale.pk, 1, WRONG_TYPE_DETAIL.fill())
    else:
        yield from check_redis(sale, seen)


def _check_sql(sale: FlashSale) -> Iterator[Violation]:
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk)
    active = orders.active().count()
    if active > sale.stock_total:
        yield Violation(OVERSOLD.fill(), sale.pk, active - sale.stock_total, OVERSOLD_DETAIL.fill())
    if active != sale.stock_total - sale.stock_left:
        off = sale.stock_total - sale.stock_left - active
        yield Violation(SOLD.fill(), sale.pk, off, SOLD_DETAIL.fill())
    owned = orders.active().values("user_id").annotate(n=Count("id"))
    if greedy := owned.filter(n__gt=sale.voucher.per_person).count():
        yield Violation(TOO_MANY.fill(), sale.pk, greedy, TOO_MANY_DETAIL.fill())
    yield from _check_returns(sale)
    outside = orders.filter(Q(accepted_at__lt=sale.begins_at) | Q(accepted_at__gte=sale.ends_at)).count()
    if outside:
        yield Violation(OUTSIDE.fill(), sale.pk, outside, OUTSIDE_DETAIL.fill())
    overdue = orders.overdue(timezone.now() - CLOSE_TOLERANCE).count()
    if overdue:
        yield Violation(OVERDUE.fill(), sale.pk, overdue, OVERDUE_DETAIL.fill())


def _check_returns(sale: FlashSale) -> Iterator[Violation]:
    ends = VoucherOrder.objects.filter(voucher_id=sale.pk, status__in=returns.LEDGER_KINDS)
    missing = ends.filter(ledger=None).count()
    right = [Q(order__status=status, kind=kind) for status, kind in returns.LEDGER_KINDS.items()]
    extra = StockLedger.objects.filter(sale=sale).exclude(reduce(or_, right)).count()
    if missing or extra:
        yield Violation(RETURNED.fill(), sale.pk, missing + extra, RETURNED_DETAIL.fill())


def repair_sale(voucher_id: int) -> None:
    """Make one sale's counters agree again; I1 and I2 are left alone, because SQL's constraints forbid
    them.
    """
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update().get(pk=voucher_id)
        _book_missing_returns(sale)
        active = VoucherOrder.objects.filter(voucher_id=voucher_id).active().count()
        if active <= sale.stock_total:
            sale.stock_left = sale.stock_total - active
            sale.save(update_fields=["stock_left"])
    lifecycle.close_overdue(voucher_id=voucher_id)
    loading.load(voucher_id, force=True)


def _book_missing_returns(sale: FlashSale) -> None:
    gave_back = VoucherOrder.objects.filter(voucher_id=sale.pk, status__in=returns.LEDGER_KINDS, ledger=None)
    StockLedger.objects.bulk_create([returns.build_ledger_entry(order) for order in gave_back])
