"""Invariants of what Redis holds of one sale, compared with SQL's rows and the orders in flight."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons import keys
from apps.coupons.claims import counting
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, VoucherOrder
from apps.coupons.reconcile.snapshots import Snapshot
from apps.coupons.reconcile.violations import Violation
from apps.coupons.terms import Terms, find_differences, keys_expire_at
from apps.web.stored_texts import Template

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


def check(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
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
    in_flight = counting.without_row_or_dead_letter(seen.waiting)
    off = sale.stock_total - len(active) - int(stock) - len(in_flight)
    if off:
        yield Violation(SUM.fill(), sale.pk, off, SUM_DETAIL.fill())
    expected = active | {one.buyers_field: f"{one.order_id}:{one.token}" for one in in_flight}
    if seen.buyers != expected:
        unmatched = len(set(seen.buyers.items()) ^ set(expected.items()))
        yield Violation(BUYERS.fill(), sale.pk, unmatched, BUYERS_DETAIL.fill())
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
        yield Violation(RELEASED.fill(), sale.pk, forged + lost, RELEASED_DETAIL.fill())


def _number_or_none(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def _check_waiting(sale: FlashSale, seen: Snapshot, in_flight: list[AcceptedOrder]) -> Iterator[Violation]:
    # The entry's own time: a replayed order was accepted long before it waits.
    late_before = (timezone.now() - MAX_IN_FLIGHT_AGE).timestamp() * 1000
    late = [one for one in in_flight if seen.queued_ms[str(one.order_id)] < late_before]
    if late:
        yield Violation(WAITING.fill(), sale.pk, len(late), WAITING_DETAIL.fill())
