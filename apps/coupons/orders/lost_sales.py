"""Accepted orders that Redis has lost come back: into their stream, under their old ids.

    lost_sales.start()    # in a web process

Every second its thread reads from SQL which sales were lost lately. It hands in what the process keeps of
them (claims.receipts) and SQL hasn't recorded, then notes in the sale's gate that it has nothing more. The
hold ends later while a process that was there before the loss is missing (claims.recovery). Buyers hand in
their own receipts (buyer.lost_orders). docs/reliability.md draws all of it.
"""

import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import close_old_connections
from django.utils import timezone

from apps.coupons import keys
from apps.coupons.claims import receipts, recovery
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.loading import CHUNK_ROWS
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder, WebProcess
from apps.coupons.terms import unix_ms
from apps.front import process_end
from apps.metrics import gathering
from apps.redis_kit import client, scripts
from apps.web.batches import chunked
from apps.web.problems.translation import SQL_UNAVAILABLE

#: Calls in one round trip.
BATCH_SIZE = 500

#: How long after a loss a process that was frozen, or came late, still hands in.
WATCHED_AFTER_LOSS = timedelta(minutes=5)
#: How often a process says that it lives, and when its row goes.
REPORT_EVERY, FORGET_AFTER = timedelta(seconds=20), timedelta(days=1)
#: A claim that Redis decided just before the loss is kept by then, or its call has passed its deadline.
LOOKS_BEFORE_NOTE = 2
#: Longest wait for the thread when the process ends.
EXIT_SECONDS = 2.0
log = logging.getLogger(__name__)


def _parse_result(raw: Sequence[Any]) -> ClaimAnswer:
    outcome, order_id, per_person = raw
    return ClaimAnswer(Outcome(outcome), int(order_id) if order_id else None, per_person=per_person)


READMIT = scripts.Script("readmit", package="apps.coupons.orders", reply=_parse_result)


def build_accepted(receipt: Receipt, sale: FlashSale) -> AcceptedOrder:
    """The order as it was accepted; its id names a whole second, which may lie outside the window.

    Which of the person's coupons it was, a receipt doesn't say: readmit.lua gives it a free place.
    """
    # In whole milliseconds, as the stream has it: rounded down, it could lie before the sale's begin.
    begins_at = datetime.fromtimestamp(unix_ms(sale.begins_at) / 1000, tz=UTC)
    within = max(begins_at, min(receipt.accepted_at, sale.ends_at - timedelta(milliseconds=1)))
    return AcceptedOrder(
        receipt.order_id, receipt.voucher_id, receipt.user_id, receipt.request_token, within, receipt.epoch
    )


def readmit(accepted: AcceptedOrder) -> ClaimAnswer:
    """ACCEPTED when a unit was left for the order or the person holds it already; safe to repeat.

    Else ALREADY_BOUGHT with the id of another order of theirs (they have as many as one may, or one of the
    same request), SOLD_OUT, or NOT_READY.
    """
    return readmit_many([accepted])[0]


def readmit_many(accepted: Sequence[AcceptedOrder], *, have_no_entries: bool = False) -> list[ClaimAnswer]:
    """`readmit` for each order, in their order and in a round trip for each BATCH_SIZE.

    With `have_no_entries` the stream has lost theirs: an order that its person still holds gets one as well.
    """
    calls = [_build_call(order, has_no_entry=have_no_entries) for order in accepted]
    results: list[ClaimAnswer] = []
    for start in range(0, len(calls), BATCH_SIZE):
        results += READMIT.call_many(client.get(), calls[start : start + BATCH_SIZE])[0]
    return results


def _build_call(accepted: AcceptedOrder, *, has_no_entry: bool) -> scripts.Call:
    sale_keys = keys.for_sale(accepted.voucher_id)
    at = int(accepted.accepted_at.timestamp() * 1000)
    (signature,) = receipts.sign_claims(accepted.voucher_id, [(accepted.user_id, accepted.token)])
    args: list[scripts.Arg] = [accepted.order_id, accepted.voucher_id, accepted.user_id, accepted.token, at]
    return (
        [sale_keys.sale, sale_keys.stock, sale_keys.buyers, sale_keys.orders, sale_keys.queued],
        [*args, signature, int(has_no_entry)],
    )


class HandIn:
    """What one process hands in for one loss of a sale."""

    def __init__(self, lost_at: datetime) -> None:
        self.lost_at, self._looks = lost_at, 0
        self._settled: set[int] = set()

    def look(self, sale: FlashSale, kept: Sequence[Receipt], process: str) -> None:
        """Put back what is new among the kept claims; note it when nothing more can come."""
        lost = [claim for claim in kept if claim.epoch < sale.epoch and claim.order_id not in self._settled]
        for claims in chunked(lost, CHUNK_ROWS):
            self._put_back(sale, claims)
        self._looks += 1
        if self._looks >= LOOKS_BEFORE_NOTE and all(claim.order_id in self._settled for claim in lost):
            recovery.note_handed_in(sale.pk, epoch=sale.epoch, process=process)

    def _put_back(self, sale: FlashSale, claims: Sequence[Receipt]) -> None:
        missing = list(_find_unrecorded(sale, claims))
        results = readmit_many([build_accepted(claim, sale) for claim in missing])
        not_ready = {
            claim.order_id
            for claim, result in zip(missing, results, strict=True)
            if result.outcome is Outcome.NOT_READY
        }
        self._settled |= {claim.order_id for claim in claims} - not_ready
        back = sum(result.outcome is Outcome.ACCEPTED for result in results)
        gathering.count("claims.put_back", back)
        if missing:
            log.warning("sale %d was lost: %d of %d unrecorded orders are back", sale.pk, back, len(missing))


def _find_unrecorded(sale: FlashSale, claims: Sequence[Receipt]) -> Iterator[Receipt]:
    """The claims without a row, cancelled or not, and without a dead letter."""
    users = {claim.user_id for claim in claims}
    rows = VoucherOrder.objects.filter(voucher_id=sale.pk, user_id__in=users)
    recorded, same_requests = set[int](), set[tuple[int | None, str]]()
    for order_id, user_id, token in rows.values_list("pk", "user_id", "token"):
        recorded.add(order_id)
        same_requests.add((user_id, token))
    dead_letters = DeadLetter.objects.filter(
        order_id__in=[claim.order_id for claim in claims], replayed_at=None
    )
    recorded |= {order_id for order_id in dead_letters.values_list("order_id", flat=True) if order_id}
    for claim in claims:
        if claim.order_id not in recorded and (claim.user_id, claim.request_token) not in same_requests:
            yield claim


class ProcessHandIns:
    """This process's look at the sales that were lost lately."""

    def __init__(self) -> None:
        self.process = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._hand_ins: dict[int, HandIn] = {}
        self._report_due = timezone.now()

    def look(self) -> None:
        """Hand in for each of the given sales; one that fails is looked at again, and holds up no other."""
        self._report()
        since = timezone.now() - WATCHED_AFTER_LOSS
        lost = list(FlashSale.objects.offered().filter(lost_at__gte=since))
        kept = receipts.list_kept_claims() if lost else []
        self._hand_ins = {
            sale.pk: self._find_hand_in(sale.pk, sale.lost_at) for sale in lost if sale.lost_at is not None
        }
        failures = [error for sale in lost if (error := self._look_at(sale, kept)) is not None]
        if failures:
            raise failures[0]

    def leave(self) -> None:
        """Nobody has to miss this process, which ends, unless SQL doesn't know yet what it accepted."""
        since = timezone.now() - recovery.LIVED_BEFORE_LOSS
        newest = {claim.order_id for claim in receipts.list_kept_claims() if claim.accepted_at > since}
        recorded = VoucherOrder.objects.filter(pk__in=newest).count() if newest else 0
        if recorded == len(newest):
            WebProcess.objects.filter(name=self.process).delete()

    def _find_hand_in(self, voucher_id: int, lost_at: datetime) -> HandIn:
        begun = self._hand_ins.get(voucher_id)
        return begun if begun and begun.lost_at == lost_at else HandIn(lost_at)

    def _look_at(self, sale: FlashSale, kept: Sequence[Receipt]) -> Exception | None:
        own = [claim for claim in kept if claim.voucher_id == sale.pk]
        try:
            self._hand_ins[sale.pk].look(sale, own, self.process)
        except Exception as error:  # the next look may go well
            return error
        return None

    def _report(self) -> None:
        """Say in SQL that this process lives, and may accept claims."""
        now = timezone.now()
        if now < self._report_due:
            return
        WebProcess.objects.update_or_create(name=self.process, defaults={"seen_at": now})
        WebProcess.objects.filter(seen_at__lt=now - FORGET_AFTER).delete()
        self._report_due = now + REPORT_EVERY


def start() -> None:
    """Look every settings.SALE_LOSS_POLL_SECONDS on a thread of its own, until the process ends."""
    if not settings.SALE_LOSS_POLL_SECONDS:
        return
    ending = threading.Event()
    thread = threading.Thread(target=_run, args=[ending], name="lost-sales", daemon=True)
    thread.start()

    def end() -> None:
        ending.set()
        thread.join(EXIT_SECONDS)

    process_end.register(end)


def _run(ending: threading.Event) -> None:
    hand_ins, is_away = ProcessHandIns(), False
    while not ending.is_set():
        try:
            hand_ins.look()
            is_away = False
        except (*client.UNAVAILABLE, *SQL_UNAVAILABLE) as error:
            if not is_away:
                log.warning("lost sales are looked for again later: %s", error)
            is_away = True
        except Exception:
            log.exception("lost sales could not be looked for")
        close_old_connections()
        ending.wait(settings.SALE_LOSS_POLL_SECONDS)
    try:
        hand_ins.leave()
    except SQL_UNAVAILABLE as error:
        log.warning("sales that are lost in the next minute are held for receipts: %s", error)
