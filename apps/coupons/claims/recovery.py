"""The gate of each sale in Redis, and the hold after Redis or SQL has lost orders of a sale.

For the seconds of a hold orders come back, and nothing is sold. SQL knows the orders that were recorded, and
the web processes those that they accepted in the last moments (claims.receipts): each puts its own back and
notes it in the gate. Then the sale is counted again and sells on. While a process is missing, killed or
frozen, only buyers may know what it has accepted: the hold goes on for their receipts.
"""

import logging
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.coupons import keys
from apps.coupons.claims import order_ids
from apps.coupons.models import FlashSale, WebProcess
from apps.outbox import outbox
from apps.queues import delayed
from apps.redis_kit import client, ids, scripts
from apps.web import on_commit

#: An edit takes from Redis just before its commit, and is finished some milliseconds later.
GIVE_BACK_MS = 3_000

NOTE_HANDED_IN = scripts.Script("note_handed_in", package="apps.coupons.claims", reply=bool)
#: tasks.load_sale by its name: it imports who schedules it.
TASK_NAME = "apps.coupons.tasks.load_sale"
#: An order's id may name a second that is so far ahead of the clock.
ID_CLOCK_SLACK = timedelta(seconds=10)
#: Orders this much older than the last loss of their sale may be of an earlier one.
LOST_RECENTLY = timedelta(days=1)
#: A web process that wasn't seen for so long before a loss had nothing left that SQL doesn't know.
LIVED_BEFORE_LOSS = timedelta(seconds=60)
log = logging.getLogger(__name__)


class Gate(NamedTuple):
    """A sale's load as Redis has it, "" and 0 where it has nothing; `hold_until_ms` is unix time.

    `handed_in` are the web processes that have put back what they had accepted, in a hold.
    `server` is the run of the server that took in the load. `is_own` is false on a server that was restarted,
    promoted or given another copy since: it may be older than what it promised. `narrowed_ms` is for how long
    an edit that SQL hasn't committed has kept the sale narrowed.
    """

    state: str
    handed_in: frozenset[str]
    server: str
    epoch: int
    revision: int
    hold_until_ms: int
    readmitted: int
    narrowed_ms: int
    is_own: bool
    has_stock: bool
    can_count: bool

    @property
    def is_usable(self) -> bool:
        """Whether claims may be decided with it."""
        return self.is_own and self.can_count

    @property
    def is_left_narrowed(self) -> bool:
        """Whether an edit was begun and neither finished nor taken back: who made it may have died."""
        return self.narrowed_ms > GIVE_BACK_MS


def _parse(raw: Sequence[Any]) -> Gate:
    state, handed_in, server, *numbers, is_own, has_stock, can_count = raw
    epoch, revision, hold_until, readmitted, narrowed = (
        int(text) if text.isdigit() else 0 for text in numbers
    )
    return Gate(
        state,
        frozenset(handed_in.split()),
        server,
        epoch,
        revision,
        hold_until,
        readmitted,
        narrowed,
        bool(is_own),
        bool(has_stock),
        bool(can_count),
    )


READ_GATE = scripts.Script("read_gate", package="apps.coupons.claims", reply=_parse)


def read_gates(voucher_ids: Sequence[int]) -> list[Gate]:
    """The gate of each sale, in their order and in one round trip."""
    sale_keys = [keys.for_sale(voucher_id) for voucher_id in voucher_ids]
    return READ_GATE.call_many(client.get(), [([each.sale, each.stock], []) for each in sale_keys])[0]


def note_handed_in(voucher_id: int, *, epoch: int, process: str) -> bool:
    """Note that a web process has put back all that it had accepted; False when this load isn't held."""
    return NOTE_HANDED_IN(client.get(), keys=[keys.for_sale(voucher_id).sale], args=[epoch, process])


class Hold(NamedTuple):
    """What a load finds: `until_ms` (unix, 0: sell at once), and whether a hold begins or ends with it.

    `goes_on` when orders come back already and nothing needs a load; not where a loader died in the hold.
    `readmitted` counts the orders that came back in the hold so far.
    """

    until_ms: int = 0
    begins: bool = False
    goes_on: bool = False
    ends: bool = False
    readmitted: int = 0


def find_hold(sale: FlashSale, *, complete_run: str = "") -> Hold:
    """The hold that a load of the sale begins, goes on with or ends; Redis is read, nothing is changed.

    What the run `complete_run` of the server took in isn't lost: it wrote all that it held.
    """
    [gate], now_ms = read_gates([sale.pk]), _redis_time_ms()
    goes_on = gate.state == "recovering"
    if gate.hold_until_ms > now_ms:
        return Hold(gate.hold_until_ms, goes_on=goes_on, readmitted=gate.readmitted)
    if gate.hold_until_ms and now_ms < (longest_ms := _longest_hold_ms(sale)) and _is_any_missing(sale, gate):
        return Hold(longest_ms, goes_on=goes_on, readmitted=gate.readmitted)
    if _was_lost(sale, gate, complete_run):
        return hold_for_receipts()
    return Hold(ends=gate.hold_until_ms > 0, readmitted=gate.readmitted)


def hold_for_receipts() -> Hold:
    """The hold that begins now."""
    hold_ms = int(settings.SALE_HOLD_SECONDS * 1000)
    return Hold(_redis_time_ms() + hold_ms if hold_ms else 0, begins=True, ends=not hold_ms)


def begin_hold(sale: FlashSale, hold: Hold, reason: str) -> None:
    """Note on the sale, which the caller saves, that orders of it are lost; load it again after the hold."""
    sale.lost_at = timezone.now()
    seconds = settings.SALE_HOLD_SECONDS
    log.error("sale %s: %s; for %s s it only takes orders back", sale.pk, reason, seconds)
    if not hold.until_ms:
        return
    at = datetime.fromtimestamp(hold.until_ms / 1000, tz=UTC) + timedelta(milliseconds=100)
    on_commit.run_after_commit(_schedule_load, sale.pk, at)


def may_have_lost(order_id: int) -> bool:
    """Whether Redis lost a sale of the id's partition soon after the second that the id names."""
    made_at, partition = ids.created_at(order_id), order_id % order_ids.LANES
    since, until = made_at - ID_CLOCK_SLACK, made_at + LOST_RECENTLY
    lost = FlashSale.objects.filter(lost_at__range=(since, until)).values_list("pk", flat=True)
    return any(keys.partition_of(voucher_id) == partition for voucher_id in lost)


def email_managers(sale: FlashSale, hold: Hold, *, units: int) -> None:
    """Tell the managers, once for each loss, what became of a sale that Redis or SQL had lost."""
    lost_at = sale.lost_at or timezone.now()
    lines = [
        _("At %(time)s Redis or the database was older than before: flash sale %(sale)s (number %(number)d).")
        % {"time": f"{lost_at:%Y-%m-%d %H:%M:%S} UTC", "sale": sale, "number": sale.pk},
        _("Orders in SQL, all kept: %d.") % (sale.stock_total - sale.stock_left),
        _("Orders that came back: %d.") % hold.readmitted,
        _("Units on sale again: %d.") % units,
        _("Whoever has an order that is nowhere reads that it was lost, and may grab again."),
    ]
    outbox.email_managers(
        subject=_("%s: orders may be lost") % settings.SITE_NAME,
        text="\n".join(lines),
        key=f"sale-lost:{sale.pk}:{lost_at.timestamp():.0f}",
    )


def _longest_hold_ms(sale: FlashSale) -> int:
    seconds = settings.SALE_HOLD_SECONDS + settings.SALE_LONG_HOLD_SECONDS
    return int((sale.lost_at.timestamp() + seconds) * 1000) if sale.lost_at else 0


def _is_any_missing(sale: FlashSale, gate: Gate) -> bool:
    """Whether a web process that lived just before the loss hasn't handed in what it had accepted."""
    if sale.lost_at is None:
        return False
    processes = WebProcess.objects.filter(seen_at__gte=sale.lost_at - LIVED_BEFORE_LOSS)
    return not gate.handed_in.issuperset(processes.values_list("name", flat=True))


def _was_lost(sale: FlashSale, gate: Gate, complete_run: str) -> bool:
    """Whether Redis could have accepted claims of this sale, and has nothing, or what may be older, of it."""
    if not _could_have_accepted(sale):
        return False
    # A sale that was off the site has no gate for a while, and keeps its stock.
    if gate.epoch == 0:
        return not gate.has_stock
    # Another run of the server may be older than what the run that took in this load has promised.
    # Closing its gate changes nothing of that: a loader that died, or a voucher that is off the site.
    is_older = gate.state != "recovering" and not gate.is_own and gate.server != complete_run
    return gate.epoch < sale.epoch or is_older


def _could_have_accepted(sale: FlashSale) -> bool:
    now, retention = timezone.now(), timedelta(seconds=keys.RETENTION_AFTER_END_SECONDS)
    return sale.epoch > 0 and sale.begins_at <= now < sale.ends_at + retention


def _redis_time_ms() -> int:
    seconds, microseconds = client.get().time()
    return int(seconds) * 1000 + int(microseconds) // 1000


def _schedule_load(voucher_id: int, at: datetime) -> None:
    job = delayed.Job(TASK_NAME, [voucher_id], at, f"sales:load:{voucher_id}", delayed.Priority.HIGH)
    try:
        delayed.schedule_many([job])
    except client.UNAVAILABLE:
        log.warning("sale %d opens with the next claim: the broker is away", voucher_id)
