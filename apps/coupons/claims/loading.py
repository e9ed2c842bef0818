"""Loads a sale from SQL into Redis: closes its gate, counts, opens the gate with the next epoch.

Counted are buyers, released orders and the stock left, from SQL and the order stream. A sale that Redis had
lost, or of which SQL lacks orders that Redis has accepted, sells nothing at first (claims.recovery).
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F, Max, QuerySet
from django.utils import timezone
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import entries, recovery
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.recovery import Gate, Hold
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, VoucherOrder
from apps.coupons.terms import Terms, keys_expire_at
from apps.redis_kit import client, ids, scripts

#: Rows read or written at a time.
CHUNK_ROWS = 1_000

logger = logging.getLogger(__name__)
#: How long a voucher without a sale is marked absent; a sale created meanwhile opens at once.
ABSENT_SECONDS = 10
#: Far longer than any load takes; a loader that dies leaves the gate closed until a claim or consumer loads.
CLOSED_SECONDS = 600
#: One process at a time loads a missing sale.
REQUEST_LEASE_MS = 1_000
#: Part of every script that opens or changes a sale.
PUT_TERMS = scripts.Script("put_terms", package="apps.coupons.claims", reply=bool)
OPEN_GATE = scripts.Script("open_gate", package="apps.coupons.claims", reply=bool, parts=(PUT_TERMS,))
CLOSE_GATE = scripts.Script("close_gate", package="apps.coupons.claims", reply=int)
_loader_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="sale-loader")


@dataclass
class SaleCount:
    """A sale's data in the form of its Redis keys: buyers (field -> "order:token"), released ("user:token" ->
    order), stock left (`units`).
    """

    buyers: dict[str, str] = field(default_factory=dict)
    released: dict[str, str] = field(default_factory=dict)
    in_flight: int = 0
    units: int = 0
    newest_second: int = 0


def count_sale(sale: FlashSale) -> SaleCount:
    """Count a sale whose row is locked and whose gate is closed, so that nothing changes meanwhile."""
    count = SaleCount()
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk).order_by("id")
    columns = orders.values_list("user_id", "piece", "id", "token", "status")
    for user, piece, number, token, status in columns.iterator(CHUNK_ROWS):
        if status in ACTIVE_STATUSES:
            count.buyers[keys.buyers_field(user, piece)] = f"{number}:{token}"
        else:
            count.released[f"{user}:{token}"] = str(number)
    for accepted in without_row_or_dead_letter(_waiting_orders(sale.pk)):
        count.buyers[accepted.buyers_field] = f"{accepted.order_id}:{accepted.token}"
        count.in_flight += 1
    count.units = max(0, sale.stock_left - count.in_flight)
    count.newest_second = _find_newest_second(keys.partition_of(sale.pk))
    return count


def find_unrecorded(sale: FlashSale, count: SaleCount) -> set[int]:
    """The ids of orders that buyers hold in Redis and SQL has never had: then SQL is older than Redis.

    The sale's gate is closed, and `count` was made since. An order in the stream, or one that became a dead
    letter, is known.
    """
    known = {order.partition(":")[0] for order in count.buyers.values()} | {*count.released.values()}
    buyers = client.get().hscan_iter(keys.for_sale(sale.pk).buyers, count=CHUNK_ROWS)
    try:
        order_ids = [order.partition(":")[0] for _field, order in buyers]
    except ResponseError:
        # A key of another type names no order; the load replaces it.
        return set()
    unknown = [int(number) for number in order_ids if number not in known and number.isdecimal()]
    for start in range(0, len(unknown), CHUNK_ROWS):
        dead = DeadLetter.objects.filter(order_id__in=unknown[start : start + CHUNK_ROWS])
        known |= {str(number) for number in dead.values_list("order_id", flat=True)}
    return {number for number in unknown if str(number) not in known}


def _find_newest_second(partition: int) -> int:
    """The last second in which ids of the partition were given out, or may have been."""
    newest = VoucherOrder.objects.aggregate(newest=Max("id"))["newest"] or 0
    sales = FlashSale.objects.annotate(partition=F("voucher_id") % keys.PARTITIONS).filter(
        partition=partition
    )
    begun = sales.aggregate(newest=Max("id_second"))["newest"] or 0
    # Redis may have given out an id in this second, or in the first of an earlier load, and lost it since.
    return max(ids.decompose(newest)[0], begun, int(time.time()) - ids.EPOCH)


def without_row_or_dead_letter(waiting: Iterable[AcceptedOrder]) -> list[AcceptedOrder]:
    """The accepted orders in flight: they have neither a row nor a dead letter."""
    in_flight = {order.order_id: order for order in waiting}
    order_ids = list(in_flight)
    for start in range(0, len(order_ids), CHUNK_ROWS):
        chunk = order_ids[start : start + CHUNK_ROWS]
        rows = VoucherOrder.objects.filter(pk__in=chunk).values_list("pk", flat=True)
        dead_letters = DeadLetter.objects.filter(order_id__in=chunk, replayed_at=None)
        for order_id in {*rows, *dead_letters.values_list("order_id", flat=True)}:
            in_flight.pop(order_id or 0, None)
    return list(in_flight.values())


def _waiting_orders(voucher_id: int) -> Iterator[AcceptedOrder]:
    waiting = entries.iter_waiting_orders(keys.for_sale(voucher_id).orders)
    # What nobody signed must not become a buyer: the consumer believes the buyers.
    return (order for order in waiting if order.voucher_id == voucher_id and order.is_signed)


def load(voucher_id: int, *, force: bool = False, complete_run: str = "") -> bool:
    """Load the sale from SQL into Redis; False when it is loaded already (`force` loads again).

    `complete_run` names a run of the server that has lost nothing (recovery.find_hold).

    The sale's row is locked from closing to opening the gate, so two loaders, a consumer's commit or a
    cancellation can't slip in between. A voucher that isn't on sale is marked absent for a few seconds.
    """
    with transaction.atomic():
        sale = FlashSale.objects.select_for_update(of=("self",)).filter(pk=voucher_id).first()
        if sale is None or not sale.is_offered:
            if sale and recovery.find_hold(sale).begins:
                # The gate is forgotten before the stock, of which nothing says then that it is an older one.
                client.get().delete(keys.for_sale(voucher_id).stock)
            close_gate(voucher_id, state="absent")
            return False
        hold = recovery.find_hold(sale, complete_run=complete_run)
        if not force and (is_loaded(sale) or hold.goes_on):
            return False
        if hold.begins:
            recovery.begin_hold(sale, hold, "Redis may have lost it")
        sale.epoch = max(sale.epoch, close_gate(voucher_id)) + 1
        sale.save(update_fields=["epoch", "lost_at"])
        count = count_sale(sale)
        if hold == Hold() and (unrecorded := find_unrecorded(sale, count)):
            hold = recovery.hold_for_receipts()
            recovery.begin_hold(
                sale, hold, f"SQL lacks {len(unrecorded)} orders that Redis has accepted of it"
            )
        # The lost server may have run a second ahead of the clock, as this one is about to.
        count.newest_second += hold.begins
        _stage_hashes(sale, count)
        is_open = _open_gate(sale, count, hold)
        sale.id_second = int(client.get().hget(keys.for_sale(voucher_id).ids, "second") or 0)
        sale.save(update_fields=["id_second", "lost_at"])
        if hold.ends:
            recovery.email_managers(sale, hold, units=count.units)
        return is_open


def load_if_possible(voucher_id: int) -> None:
    """Load after an edit that SQL has committed; with Redis away, the first claim or a reconcile loads."""
    try:
        load(voucher_id, force=True)
    except client.UNAVAILABLE:
        logger.warning("sale %s is loaded when Redis is back", voucher_id)


def close_gate(voucher_id: int, state: keys.GateState = "closed") -> int:
    """Refuse claims until the next load; returns the epoch of the last one."""
    seconds = ABSENT_SECONDS if state == "absent" else CLOSED_SECONDS
    return CLOSE_GATE(client.get(), keys=[keys.for_sale(voucher_id).sale], args=[state, seconds])


def is_loaded(sale: FlashSale) -> bool:
    """Whether Redis holds this very load and revision, and this run of the server may sell from it."""
    [gate] = recovery.read_gates([sale.pk])
    is_current = (gate.state, gate.epoch, gate.revision) == ("open", sale.epoch, sale.revision)
    return is_current and gate.is_usable and not gate.is_left_narrowed


def load_unusable(among: Collection[int] | None = None) -> int:
    """Load the sales that Redis lost, those of an older server, those whose hold is over; how many.

    Of all sales that aren't long over, or of those `among` these vouchers.

    So are those whose loader died, and those of which Redis hasn't what SQL has committed, or has what was
    never committed: who edited them died between the two. A load or an edit that is under way is waited for.
    """
    columns = ("revision", "is_made_for_load", "voucher__is_offered", "voucher__shop__is_listed")
    sales = _recent_sales().select_related("voucher__shop").only(*columns)
    if among is not None:
        sales = sales.filter(pk__in=among)
    by_gate = zip(sales, recovery.read_gates([sale.pk for sale in sales]), strict=True)
    return sum(load(sale.pk) for sale, gate in by_gate if _is_unusable(sale, gate))


def load_after_orderly_stop(run_id: str) -> int:
    """Load the sales from which a server sold that was stopped in order, without a hold; how many.

    `run_id` is what that run of the server called itself. It wrote all that it held, so it has lost nothing.
    """
    sales = _wanted_sales()
    sold_from = [
        voucher_id
        for voucher_id, gate in zip(sales, recovery.read_gates(sales), strict=True)
        if gate.state == "open" and gate.server == run_id and not gate.is_own
    ]
    return sum(load(voucher_id, force=True, complete_run=run_id) for voucher_id in sold_from)


def _is_unusable(sale: FlashSale, gate: Gate) -> bool:
    if not sale.is_offered:
        return gate.state in {"open", "recovering"}
    is_current = gate.state == "open" and gate.revision == sale.revision
    return not is_current or not gate.is_usable or gate.is_left_narrowed


def request_load(voucher_id: int) -> None:
    """Load a sale that a claim found missing, in the background and once among all processes."""
    mark = keys.LOADING(partition=keys.partition_of(voucher_id), voucher=voucher_id)
    if client.get().set(mark, "1", nx=True, px=REQUEST_LEASE_MS):
        _loader_threads.submit(_load_in_background, voucher_id)


def _load_in_background(voucher_id: int) -> None:
    try:
        load(voucher_id)
    except Exception:
        # The claim has its 503 by now; the next one requests another load.
        logger.exception("sale %s could not be loaded", voucher_id)
    finally:
        # Loads are rare, and SQL connections few: an idle thread must not keep one.
        connection.close()


def rebuild(report: Callable[[int, int], None]) -> int:
    """Load every sale that isn't long over; reports (done, total), returns how many were loaded."""
    wanted, loaded = _wanted_sales(), 0
    for done, voucher_id in enumerate(wanted, start=1):
        loaded += load(voucher_id, force=True)
        report(done, len(wanted))
    return loaded


def _wanted_sales() -> list[int]:
    return list(_recent_sales().values_list("pk", flat=True))


def _recent_sales() -> QuerySet[FlashSale]:
    """The sales that aren't long over, by their begin."""
    since = timezone.now() - timedelta(seconds=keys.RETENTION_AFTER_END_SECONDS)
    return FlashSale.objects.filter(ends_at__gt=since).order_by("begins_at")


def _stage_hashes(sale: FlashSale, count: SaleCount) -> None:
    partition = keys.partition_of(sale.pk)
    staged = {
        keys.NEXT_BUYERS(partition=partition, voucher=sale.pk): count.buyers,
        keys.NEXT_RELEASED(partition=partition, voucher=sale.pk): count.released,
    }
    for key, fields in staged.items():
        client.get().delete(key)
        pairs = list(fields.items())
        for start in range(0, len(pairs), CHUNK_ROWS):
            client.get().hset(key, mapping=dict(pairs[start : start + CHUNK_ROWS]))
            client.get().expire(key, CLOSED_SECONDS)


def _open_gate(sale: FlashSale, count: SaleCount, hold: Hold) -> bool:
    sale_keys, partition = keys.for_sale(sale.pk), keys.partition_of(sale.pk)
    staged = [
        declared(partition=partition, voucher=sale.pk) for declared in (keys.NEXT_BUYERS, keys.NEXT_RELEASED)
    ]
    counted = [count.units, sale.epoch, count.newest_second, hold.until_ms, hold.readmitted]
    args = [*counted, sale.revision, keys_expire_at(sale.ends_at), *Terms.from_sale(sale).to_redis().pairs]
    return OPEN_GATE(client.get(), keys=[*sale_keys.of_sale_alone, sale_keys.ids, *staged], args=args)
