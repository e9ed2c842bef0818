"""The order consumers: they turn the orders in the partitions' streams into rows, in any number of processes.

They also recover from a Redis that may be older than it was: restarted, promoted, another copy.
"""

import logging
import multiprocessing
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from multiprocessing.process import BaseProcess
from types import FrameType
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.db import connections
from django.utils.translation import gettext_noop
from redis.client import Pipeline
from redis.cluster import RedisCluster
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import dead_letters, queued_orders, recording
from apps.metrics import gathering, sending
from apps.queues import owed
from apps.redis_kit import client, streams
from apps.web import sql_deadlines
from apps.web.problems.translation import SQL_UNAVAILABLE
from apps.web.stored_texts import Template

logger = logging.getLogger(__name__)

CONSUMER_GROUP = "orders"
#: Rows per transaction: large enough to share a commit, small enough to be quick to split.
MAX_BATCH_ORDERS = 1_000
#: Orders of an entry: a web process claims for so many at once.
MAX_ENTRY_ORDERS = 64
#: The pause after a small batch: an order is at most so much later. Without it a consumer fills a processor
#: with batches of a few orders, however few come, and those who sell go without.
BATCH_PAUSE = timedelta(milliseconds=50)
#: A consumer that dies at once is started again after this pause.
RESTART_SECONDS = 1.0
FORGED = Template(gettext_noop("order %(order)s was never accepted: the entry is forged"))


def build_consumer() -> streams.Consumer:
    """A consumer loop that reads the order streams of all partitions."""
    return streams.Consumer(
        keys.order_streams(),
        group=CONSUMER_GROUP,
        handle=_record_batch,
        dead_letter=_save_dead_letters,
        parts=streams.Parts(entries.count_orders, entries.split, most=MAX_ENTRY_ORDERS),
        after=_forget_queued,
        recover=recover,
        retry_on=SQL_UNAVAILABLE,
        batch=MAX_BATCH_ORDERS,
        gather=BATCH_PAUSE,
        min_idle=timedelta(seconds=settings.ORDER_RECLAIM_SECONDS),
        max_deliveries=5,
    )


class Backlog(NamedTuple):
    """How many accepted orders are no rows yet, over all partitions, and their entries.

    Those that no consumer has read, those that one has read and not finished, the age of the oldest in ms.
    """

    orders: int = 0
    unread_entries: int = 0
    pending_entries: int = 0
    oldest_ms: int = 0


def backlog() -> Backlog:
    """What consumers have still to do."""
    entries_left = streams.read_backlog(client.get(), keys.order_streams(), CONSUMER_GROUP)
    return Backlog(queued_orders.count(), entries_left.lag, entries_left.pending, entries_left.oldest_ms)


def serve(processes: int) -> None:
    """Consume until SIGTERM or SIGINT, in this process or in several that are replaced when they die."""
    if processes == 1:
        _run_child()
    else:
        _ProcessPool(processes).run()


def _record_batch(batch: list[streams.Entry]) -> list[streams.Refusal]:
    #: Each accepted order, and where it is: its entry, and the index among the entry's orders.
    accepted: list[tuple[entries.AcceptedOrder, streams.Entry, int]] = []
    refused: list[streams.Refusal] = []
    for entry in batch:
        for index, one in enumerate(entries.parse_each(entry.fields)):
            if isinstance(one, entries.MalformedEntry):
                refused.append((_part(entry, index), one))
            else:
                accepted.append((one, entry, index))
    why: dict[entries.AcceptedOrder, Exception] = {**_find_forged([one for one, _, _ in accepted])}
    genuine = [one for one, _, _ in accepted if one not in why] if why else [one for one, _, _ in accepted]
    with gathering.timed("verb/orders.record"):
        why |= recording.record(genuine).refused
    gathering.count("orders.recorded", len(accepted) - len(why))
    # By number first: a whole order is slow to hash, and few are refused.
    numbers = {one.order_id for one in why}
    return refused + [
        (_part(entry, index), why[one])
        for one, entry, index in accepted
        if one.order_id in numbers and one in why
    ]


def _part(entry: streams.Entry, index: int) -> streams.Entry:
    """An order of an entry as an entry of its own: the others are none of its dead letter's."""
    parts = entries.split(entry.fields)
    return replace(entry, fields=parts[index], part=index + 1 if len(parts) > 1 else None)


def _find_forged(accepted: Sequence[entries.AcceptedOrder]) -> dict[entries.AcceptedOrder, Exception]:
    """Orders without this site's signature, which Redis's buyers don't hold and SQL doesn't have either.

    Entries of a release without signatures have none, nor those of a SECRET_KEY that went without a fallback.
    """
    forged: dict[entries.AcceptedOrder, Exception] = {}
    for one in accepted:
        if one.is_signed:
            continue
        if seckill.find_order_id(one.voucher_id, user_id=one.user_id, piece=one.piece) == one.order_id:
            continue
        if not VoucherOrder.objects.filter(pk=one.order_id, user_id=one.user_id).exists():
            forged[one] = entries.ForgedEntry(FORGED.fill(order=one.order_id))
    return forged


def _save_dead_letters(failed: Sequence[streams.DeadLetter]) -> None:
    dead_letters.record_failures(
        [
            dead_letters.FailedEntry(entry.stream, entry.name, entry.fields, reason, entry.deliveries)
            for entry, reason in failed
        ]
    )


def _forget_queued(pipe: Pipeline, batch: Sequence[streams.Entry]) -> None:
    by_stream: dict[str, list[str]] = {}
    for entry in batch:
        by_stream.setdefault(entry.stream, []).extend(entries.list_numbers(entry.fields))
    for order_stream, numbers in by_stream.items():
        queued_orders.forget(pipe, order_stream, numbers)


class _ProcessPool:
    """Forked consumers: Django is loaded once, and a child that dies is replaced."""

    def __init__(self, processes: int) -> None:
        self._context = multiprocessing.get_context("fork")
        self._wanted = processes
        self._children: list[BaseProcess] = []
        self._stopping = False

    def run(self) -> None:
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)
        while not self._stopping:
            self._fill()
            time.sleep(RESTART_SECONDS)
        for child in self._children:
            child.terminate()
        for child in self._children:
            child.join()

    def _fill(self) -> None:
        for child in self._children:
            if not child.is_alive():
                logger.error("consumer %s ended with %s; starting another", child.pid, child.exitcode)
        self._children = [child for child in self._children if child.is_alive()]
        # A connection that two processes share answers the one what the other asked.
        connections.close_all()
        client.close_all()
        while len(self._children) < self._wanted and not self._stopping:
            child = self._context.Process(target=_run_child)
            child.start()
            self._children.append(child)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopping = True


def _run_child() -> None:
    sending.start("consumer")
    sql_deadlines.use(sql_deadlines.background())
    try:
        build_consumer().run()
    finally:
        sending.stop()


def recover() -> None:
    """Load the sales that this run of the server may not sell from, and drop queued orders that have rows.

    What commits owe is done as well, in case no worker is alive. While SQL is away nothing happens: the sales
    stay closed, and the next call loads them. Raises client.UNAVAILABLE.
    """
    try:
        owed.sweep()
        if loading.load_unusable():
            queued_orders.rebuild(lambda done, total: None)
            _rewrite_file()
    except SQL_UNAVAILABLE as error:
        logger.warning("sales are loaded later, SQL is away: %s", error)


def _rewrite_file() -> None:
    """Have the server write its append-only file anew, if it lets us.

    A server that loads a file whose end was cut inside a transaction keeps the transaction's begin in the
    file. At the next start it runs together with what was written since, and lost orders are there again.
    """
    connected = client.get()
    target = {"target_nodes": RedisCluster.PRIMARIES} if client.is_cluster(connected) else {}
    with suppress(ResponseError):
        cast(Any, connected).bgrewriteaof(**target)
