"""Invariants of what Redis holds of one sale, compared with SQL's rows and the orders in flight."""

from collections.abc import Iterator
from datetime import timedelta

from django.utils import timezone

from apps.coupons import keys
from apps.coupons.claims import counting, loading
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, VoucherOrder
from apps.coupons.reconcile.snapshots import Snapshot
from apps.coupons.reconcile.violations import Violation

#: A consumer that is alive needs far less for one order.
MAX_IN_FLIGHT_AGE = timedelta(seconds=60)
#: Seconds by which a key's expiry may differ: milliseconds are rounded, and claims set it by themselves.
EXPIRY_TOLERANCE_SECONDS = 5


def check(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    """Every rule that a sale's keys break; those of a closed sale say nothing more than its gate."""
    if seen.is_absent and sale.voucher.is_offered:
        # After a loss of Redis: a consumer loads it within seconds, or else its first claim does.
        return
    # A sale that takes back lost orders opens with the job at its end, or the first claim after it.
    if (seen.state in {"open", "recovering"}) != sale.voucher.is_offered:
        wanted = "open" if sale.voucher.is_offered else "closed"
        yield Violation("I27 gate", sale.pk, 1, f"the gate is {seen.state or 'missing'}, not {wanted}")
    if seen.state == "open" and sale.voucher.is_offered:
        yield from _check_rules(sale, seen)
        yield from _check_expiries(sale, seen)
        yield from _check_orders(sale, seen)


def _check_rules(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    window = (loading.unix_ms(sale.begins_at), loading.unix_ms(sale.ends_at))
    expected = tuple(map(str, (*window, sale.epoch, sale.revision, sale.voucher.per_person)))
    if seen.rules != expected:
        names = ("begins", "ends", "epoch", "revision", "per_person")
        wrong = [
            f"{name} {actual} instead of {right}"
            for name, actual, right in zip(names, seen.rules, expected, strict=True)
            if actual != right
        ]
        yield Violation("I26 rules differ", sale.pk, len(wrong), ", ".join(wrong))


def _check_expiries(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    expected = loading.keys_expire_at(sale)
    wrong = {name: at for name, at in seen.expiries.items() if abs(at - expected) > EXPIRY_TOLERANCE_SECONDS}
    if wrong:
        ends = ", ".join(f"{name} expires at {at or 'no time'}" for name, at in wrong.items())
        yield Violation("I29 expiry", sale.pk, len(wrong), f"{ends}, not at {expected}")


def _check_orders(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    stock = seen.stock or ""
    if not (stock.isascii() and stock.isdigit()):
        yield Violation("I10 stock not a number", sale.pk, 1, f"Redis holds {stock!r:.40}")
        return
    active, ended = _read_orders(sale)
    in_flight = counting.without_row_or_dead_letter(seen.waiting)
    off = sale.stock_total - len(active) - int(stock) - len(in_flight)
    if off:
        yield Violation(
            "I5 stock doesn't add up", sale.pk, off, "units = active orders + Redis stock + in flight"
        )
    expected = active | {one.buyers_field: f"{one.order_id}:{one.token}" for one in in_flight}
    if seen.buyers != expected:
        unmatched = len(set(seen.buyers.items()) ^ set(expected.items()))
        yield Violation(
            "I6 buyers differ", sale.pk, unmatched, "buyers in Redis and holders of orders differ"
        )
    yield from _check_released(sale, seen, ended)
    yield from _check_waiting(sale, seen, in_flight)


def _read_orders(sale: FlashSale) -> tuple[dict[str, str], dict[str, str]]:
    """({field of the buyers: "order:token"} of the active orders, {"user:token": order} of the others)."""
    active, ended = dict[str, str](), dict[str, str]()
    rows = VoucherOrder.objects.filter(voucher_id=sale.pk)
    columns = rows.values_list("user_id", "piece", "id", "token", "status")
    for user, piece, number, token, status in columns.iterator(counting.CHUNK_ROWS):
        if status in ACTIVE_STATUSES:
            active[keys.buyers_field(user, piece)] = f"{number}:{token}"
        else:
            ended[f"{user}:{token}"] = str(number)
    return active, ended


def _check_released(sale: FlashSale, seen: Snapshot, ended: dict[str, str]) -> Iterator[Violation]:
    """Released orders are cancelled rows, or orders that became a dead letter."""
    strange = dict(set(seen.released.items()) - set(ended.items()))
    numbers = [number for number in map(_number_or_none, strange.values()) if number]
    dead_letters = DeadLetter.objects.filter(order_id__in=numbers).values_list("order_id", flat=True)
    forged = len(strange) - sum(number in set(dead_letters) for number in numbers)
    lost = len(set(ended.items()) - set(seen.released.items()))
    if forged or lost:
        detail = "released orders in Redis and cancelled orders differ"
        yield Violation("I28 released differ", sale.pk, forged + lost, detail)


def _number_or_none(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _check_waiting(sale: FlashSale, seen: Snapshot, in_flight: list[AcceptedOrder]) -> Iterator[Violation]:
    # The entry's own time: a replayed order was accepted long before it waits.
    late_before = (timezone.now() - MAX_IN_FLIGHT_AGE).timestamp() * 1000
    late = [one for one in in_flight if seen.queued_ms[str(one.order_id)] < late_before]
    if late:
        yield Violation("I14 waiting too long", sale.pk, len(late), "accepted orders that no consumer took")
