"""Runs the measurements of lab.bench.consumer with the settings of its site: JSON on stdout.

`python -m lab.bench.consumer_run feed <voucher> <claims a second>` sends the claims of its last part.
"""

import json
import logging
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from unittest import mock

import django

django.setup()

from django.db import IntegrityError, connection, transaction  # noqa: E402 - after the settings, as below
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.coupons.claims.entries import AcceptedOrder  # noqa: E402
from apps.coupons.models import FlashSale, VoucherOrder  # noqa: E402
from apps.coupons.orders import closing, consuming, recording, redeem_codes  # noqa: E402
from apps.coupons.orders.recording import Row  # noqa: E402
from lab.bench.consumer_sale import BATCH, MALFORMED_EVERY, Sale  # noqa: E402

#: Orders of each way, and of those that are slow; the best of so many rounds counts.
ORDERS, SLOW_WAY_ORDERS, ROUNDS = 10_000, 500, 3
#: Units by which SQL's stock is too small for the accepted orders, in one measurement.
SHORT_UNITS = 10
#: Claims a second and seconds of the last part, and claims a script call.
CLAIM_RATES, SECONDS, MAX_CONCURRENT = (2_000, 5_000, 10_000), 5, 50
WriteOrders = Callable[[Sequence[AcceptedOrder]], object]


def main(voucher_id: int) -> None:
    # The log lines for each dead letter are for operators; here they are noise.
    logging.getLogger("apps.redis_kit.streams").setLevel(logging.CRITICAL)
    sale = Sale.with_people(voucher_id)
    found = {"ways": _ways(sale), "late": [_measure_lateness(sale, rate) for rate in CLAIM_RATES]}
    print(json.dumps(found | {"batch": BATCH, "odd": MALFORMED_EVERY}))


def _ways(sale: Sale) -> dict[str, list[float]]:
    """Return by the name of each way: orders a second, and microseconds of this process's CPU per order."""
    best: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        for name, measured in _measured(sale):
            best[name] = max(best.get(name, [0, 0]), measured)
            print(name, measured, file=sys.stderr)
    return best


def _measured(sale: Sale) -> Iterator[tuple[str, list[float]]]:
    yield "one transaction each", _write(sale, SLOW_WAY_ORDERS, 1, _one_by_one)
    yield "bulk_create", _write(sale, ORDERS, BATCH, _bulk_create, odd=False)
    if connection.vendor == "postgresql":
        yield "COPY", _write(sale, ORDERS, BATCH, _copy, odd=False)
    yield "record", _write(sale, ORDERS, BATCH, recording.record)
    yield "consumer", _measure_full_stream(sale)
    yield f"consumer, {SHORT_UNITS} units too few", _measure_full_stream(sale, too_few=SHORT_UNITS)


def _write(sale: Sale, many: int, size: int, way: WriteOrders, *, odd: bool = True) -> list[float]:
    """Time `way` on batches of orders, with or without odd ones (duplicates and second orders) among them."""
    accepted = sale.accepted(many, odd=odd)
    began, used = time.perf_counter(), time.process_time()
    for start in range(0, many, size):
        way(accepted[start : start + size])
    return _rate(many, began, used)


def _rate(many: int, began: float, used: float) -> list[float]:
    own = (time.process_time() - used) / many
    return [many / (time.perf_counter() - began), own * 1e6]


def _one_by_one(batch: Sequence[AcceptedOrder]) -> None:
    """Write each order in a transaction of its own, as tutorials do."""
    for one in batch:
        with suppress(IntegrityError), transaction.atomic():
            _model(one).save(force_insert=True)
            _take_stock(one.voucher_id, 1)


def _bulk_create(batch: Sequence[AcceptedOrder]) -> None:
    with transaction.atomic():
        VoucherOrder.objects.bulk_create([_model(one) for one in batch])
        _take_stock(batch[0].voucher_id, len(batch))


def _copy(batch: Sequence[AcceptedOrder]) -> None:
    """Write orders by COPY, PostgreSQL's fastest way; a single conflict would fail the whole batch."""
    names = ", ".join(["status", "created_at", "pay_deadline", *Row._fields])
    sale = FlashSale.objects.select_related("voucher").get(pk=batch[0].voucher_id)
    fixed, codes = (
        ("unpaid", timezone.now(), closing.payment_deadline()),
        redeem_codes.draw(len(batch)),
    )
    with transaction.atomic(), connection.cursor() as cursor:
        with cursor.copy(f"COPY {VoucherOrder._meta.db_table} ({names}) FROM STDIN") as copy:
            for one, code in zip(batch, codes, strict=True):
                copy.write_row((*fixed, *recording.build_row(one, sale, code=code)))
        _take_stock(sale.pk, len(batch))


def _model(one: AcceptedOrder) -> VoucherOrder:
    return VoucherOrder(
        id=one.order_id,
        token=one.token,
        piece=one.piece,
        user_id=one.user_id,
        voucher_id=one.voucher_id,
        price=4_900,
        epoch=one.epoch,
        accepted_at=one.accepted_at,
        pay_deadline=closing.payment_deadline(),
        redeem_code=redeem_codes.draw_one(),
    )


def _take_stock(voucher_id: int, units: int) -> None:
    left = FlashSale.objects.filter(pk=voucher_id, stock_left__gte=units)
    assert left.update(stock_left=F("stock_left") - units) == 1


def _measure_full_stream(sale: Sale, *, too_few: int = 0) -> list[float]:
    """Consume a full stream until it is empty: parse, record, set aside, acknowledge, delete.

    When SQL has too little stock, the last batch is refused and split until each order without
    stock is alone; the pauses before it is tried again are not part of it.
    """
    waiting = sale.fill_stream(ORDERS)
    if too_few:
        sale.leave(ORDERS - too_few)
    consumer = consuming.build_consumer()
    # The first round makes the group and reads nothing yet.
    consumer.round()
    began, used = time.perf_counter(), time.process_time()
    while sale.count_entries() > too_few:
        consumer.round()
    found = _rate(waiting, began, used)
    assert VoucherOrder.objects.count() == ORDERS - too_few, "orders are missing"
    return found


def _measure_lateness(sale: Sale, rate: int) -> dict[str, float]:
    """Measure the ms from acceptance (by Redis's clock) to the commit, while claims arrive at a rate."""
    sale.empty()
    late: list[float] = []

    def timed(accepted: Iterable[AcceptedOrder]) -> recording.BatchResult:
        batch = list(accepted)
        done, now = record(batch), time.time()
        late.extend(1_000 * (now - one.accepted_at.timestamp()) for one in batch)
        return done

    record, consumer = recording.record, consuming.build_consumer()
    consumer.round()
    used = time.process_time()
    with mock.patch.object(recording, "record", timed), _crowd(sale, rate) as crowd:
        while crowd.poll() is None or consuming.backlog() != consuming.Backlog():
            consumer.round()
        used = time.process_time() - used
        came = float(crowd.communicate()[0])
    assert VoucherOrder.objects.count() == len(late) == rate * SECONDS, "orders are missing"
    ordered = sorted(late)
    p50, p99 = (ordered[round(share * (len(ordered) - 1))] for share in (0.5, 0.99))
    return {"rate": came, "p50": p50, "p99": p99, "most": ordered[-1], "own": used / len(late) * 1e6}


def _crowd(sale: Sale, rate: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lab.bench.consumer_run", "feed", str(sale.id), str(rate)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def feed_claims(voucher_id: int, rate: int) -> float:
    """Claim for one person after the other at `rate` a second, for SECONDS; return the rate reached."""
    sale = Sale(voucher_id)
    people, began = sale.people[: rate * SECONDS], time.perf_counter()
    for start in range(0, len(people), MAX_CONCURRENT):
        time.sleep(max(0.0, began + start / rate - time.perf_counter()))
        sale.claim(people[start : start + MAX_CONCURRENT])
    return len(people) / (time.perf_counter() - began)


if __name__ == "__main__":
    if sys.argv[1] == "feed":
        print(feed_claims(*map(int, sys.argv[2:])))
    else:
        main(int(sys.argv[1]))
