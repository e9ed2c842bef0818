"""Invariants of the order queues: one stream, one hash of queued orders and one id clock a partition."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import F, Max
from django.utils.translation import gettext_noop
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import order_ids
from apps.coupons.claims.entries import iter_parsed
from apps.coupons.models import VoucherOrder
from apps.coupons.reconcile.sale_invariants import dict_from_flat
from apps.coupons.reconcile.violations import Violation
from apps.redis_kit import client, ids, scripts, transport
from apps.web.stored_texts import Template

#: A partition is read again so often before it is called wrong.
MAX_CHECKS = 3
PAUSE_SECONDS = 0.1
#: Ids older than an id clock lives can't be given out again: a lost clock starts at the present second.
CLOCK_TTL_SECONDS = ids.CLOCK_TTL_SECONDS

QUEUED = Template(gettext_noop("I30 queued differ"))
UNREADABLE_DETAIL = Template(gettext_noop("partition %(partition)s: %(error)s"))
QUEUED_DETAIL = Template(
    gettext_noop("partition %(partition)s: queued orders and the stream differ: %(orders)s")
)
CLOCK = Template(gettext_noop("I31 id clock behind"))
CLOCK_DETAIL = Template(
    gettext_noop("partition %(partition)s: the id clock is at %(clock)s, order %(order)s is later")
)
RULE_NAMES = frozenset((QUEUED.fill(), CLOCK.fill()))

READ_QUEUE = scripts.Script("read_queue", package="apps.coupons.reconcile", reply=list)
MEND_QUEUE = scripts.Script("mend_queue", package="apps.coupons.reconcile", reply=int)


class QueueKeys(NamedTuple):
    """The keys of a partition's queue, as the scripts take them."""

    orders: str
    queued: str
    clock: str


def find_violations() -> Iterator[tuple[int, Violation]]:
    """(partition, violation) of every partition whose queue stays wrong over several looks."""
    newest = _newest_ids()
    for partition in range(keys.PARTITIONS):
        for violation in _find_lasting(partition, newest.get(partition, 0)):
            yield partition, violation


def repair(partition: int) -> None:
    """Make a partition's queued orders those of its stream, and its clock later than its newest row."""
    queue_keys = _queue_keys(partition)
    for key, expected in zip(queue_keys, ("stream", "hash", "hash"), strict=True):
        # A key of another type holds nothing that anybody could read.
        if transport.execute(client.get(), ("TYPE", key)) not in (expected, "none"):
            transport.execute(client.get(), ("UNLINK", key))
    second, low = ids.decompose(_newest_ids().get(partition, 0))
    args: list[scripts.Arg] = [second, low >> order_ids.LANE_BITS, CLOCK_TTL_SECONDS]
    MEND_QUEUE(client.get(), keys=queue_keys, args=args)


def _find_lasting(partition: int, newest_id: int) -> list[Violation]:
    found = list(_check(partition, newest_id))
    for _look in range(MAX_CHECKS - 1):
        if not found:
            break
        time.sleep(PAUSE_SECONDS)
        rules = {one.rule for one in found}
        found = [one for one in _check(partition, newest_id) if one.rule in rules]
    return found


def _check(partition: int, newest_id: int) -> Iterator[Violation]:
    try:
        raw, queued, second, counter = READ_QUEUE(client.get(), keys=_queue_keys(partition), args=[])
    except ResponseError as error:
        yield Violation(QUEUED.fill(), None, 1, UNREADABLE_DETAIL.fill(partition=partition, error=error))
        return
    entries = [(entry_id, dict_from_flat(fields)) for entry_id, fields in raw]
    expected = {
        str(one.order_id): f"{one.voucher_id}:{one.user_id}:{round(one.accepted_at.timestamp() * 1000)}"
        for one in iter_parsed(entries)
    }
    if wrong := set(dict_from_flat(queued).items()) ^ set(expected.items()):
        numbers = ", ".join(sorted({number for number, _queued in wrong})[:3])
        detail = QUEUED_DETAIL.fill(partition=partition, orders=numbers)
        yield Violation(QUEUED.fill(), None, len(wrong), detail)
    if second is not None and _is_behind(second, counter, newest_id):
        detail = CLOCK_DETAIL.fill(partition=partition, clock=f"{second}.{counter}", order=newest_id)
        yield Violation(CLOCK.fill(), None, 1, detail)


def _is_behind(second: str, counter: str | None, newest_id: int) -> bool:
    """Whether the clock could give out an id again. One that is no number starts at the present second."""
    if not second.isdigit():
        return True
    number = int(counter) if counter and counter.isdigit() else 0
    newest_second, newest_low = ids.decompose(newest_id)
    return (int(second), number) < (newest_second, newest_low >> order_ids.LANE_BITS)


def _newest_ids() -> dict[int, int]:
    """{partition: newest order id} of the rows that are younger than an id clock lives."""
    since = ids.compose(max(0, int(time.time()) - ids.EPOCH - CLOCK_TTL_SECONDS), 0)
    rows = VoucherOrder.objects.filter(pk__gte=since).order_by().annotate(lane=F("id") % order_ids.LANES)
    return dict(rows.values_list("lane").annotate(Max("id")))


def _queue_keys(partition: int) -> QueueKeys:
    return QueueKeys(
        keys.ORDERS(partition=partition), keys.QUEUED(partition=partition), keys.ID_CLOCK(partition=partition)
    )
