"""What the admin's dashboard shows of sales and orders: numbers of SQL, states of Redis, ready to draw."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, TypeVar

from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.coupons import consuming, live
from apps.coupons.models import DeadLetter, FlashSale, Reconciliation, Status, VoucherOrder
from apps.monitoring import charts, panels
from apps.redis_kit import client, ids
from apps.redis_kit.streams import Backlog
from apps.shops.amounts import MINOR_UNITS

Value = TypeVar("Value")

MINUTES = 60
DAYS = 7
#: Rows of each table.
ROWS = 8
#: Seconds that sums over many orders are kept for: ten open dashboards cost one query.
MINUTES_KEPT, TODAY_KEPT, DAYS_KEPT = 5.0, 10.0, 120.0
PAID = (Status.PAID, Status.USED)


class Kept(Generic[Value]):
    """A function whose answer this process remembers for some seconds."""

    def __init__(self, make: Callable[[], Value], *, seconds: float) -> None:
        self._make, self._seconds = make, seconds
        self._held: tuple[float, Value] | None = None

    def __call__(self) -> Value:
        if self._held is None or time.monotonic() - self._held[0] > self._seconds:
            self._held = (time.monotonic(), self._make())
        return self._held[1]

    def forget(self) -> None:
        """Ask again at the next call."""
        self._held = None


def tiles(request: HttpRequest) -> dict[str, Any]:
    """Today's numbers, the queue, and the last verdict."""
    now = timezone.now()
    running = FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, voucher__is_offered=True)
    totals = _today()
    return {
        "orders": totals["orders"],
        "paid": (totals["paid"] or 0) / MINOR_UNITS,
        "running": running.count(),
        "letters": DeadLetter.objects.filter(replayed_at=None).count(),
        "verdict": Reconciliation.objects.order_by("-ran_at").first(),
        "backlog": _backlog(request),
    }


def orders_per_minute(_request: HttpRequest) -> dict[str, Any]:
    labels, counts = _per_minute()
    return {"chart": _chart(labels, counts, label=_("orders")), "total": sum(counts)}


def paid_per_day(_request: HttpRequest) -> dict[str, Any]:
    labels, amounts = _per_day()
    return {"chart": _chart(labels, amounts, label=_("yuan")), "total": sum(amounts)}


def stock_left(_request: HttpRequest) -> dict[str, Any]:
    """Units left and sold of each running sale, as Redis counts them."""
    sales = [sale for sale in _current() if live.phase(sale) == "running"]
    states = live.of(sales)
    left = [_units(sale, states) for sale in sales]
    sold = [sale.stock_total - units for sale, units in zip(sales, left, strict=True)]
    labels = [sale.voucher.title[:24] for sale in sales]
    bars = [charts.bars(_("left"), left), charts.bars(_("sold"), sold, charts.QUIET)]
    return {"chart": charts.data(labels, *bars), "options": charts.options(stacked=True), "sales": sales}


def sales(request: HttpRequest) -> dict[str, Any]:
    """Running and coming sales with their live state."""
    rows: list[Any] = _current()
    try:
        states = live.of(rows) if panels.redis_answers(request) else {}
    except client.UNAVAILABLE:
        states = {}
    for sale in rows:
        sale.live, sale.phase = states.get(sale.pk), live.phase(sale)
    return {"sales": rows}


def queue(_request: HttpRequest) -> dict[str, Any]:
    return {"backlog": _waiting(consuming.backlog())}


def letters(_request: HttpRequest) -> dict[str, Any]:
    return {"letters": DeadLetter.objects.filter(replayed_at=None).order_by("-id")[:ROWS]}


def _backlog(request: HttpRequest) -> dict[str, float] | None:
    """None while Redis is away: the other tiles stay."""
    try:
        return _waiting(consuming.backlog()) if panels.redis_answers(request) else None
    except client.UNAVAILABLE:
        return None


def _waiting(backlog: Backlog) -> dict[str, float]:
    waiting = backlog.lag + backlog.pending
    seconds = backlog.oldest_ms / 1000
    return {"lag": backlog.lag, "pending": backlog.pending, "waiting": waiting, "oldest_seconds": seconds}


def _current() -> list[FlashSale]:
    coming = FlashSale.objects.filter(ends_at__gt=timezone.now(), voucher__is_offered=True)
    return list(coming.select_related("voucher__shop").order_by("begins_at")[:ROWS])


def _units(sale: FlashSale, states: dict[int, live.Live]) -> int:
    units = states[sale.pk].units
    return sale.stock_left if units is None else min(units, sale.stock_total)


def _first_id(moment: datetime) -> int:
    """The smallest id of a moment: ids are time-ordered, so a range of ids is a range of time, by the key."""
    return ids.compose(max(0, int(moment.timestamp()) - ids.EPOCH), 0)


def _buckets(since: datetime, seconds: int, **what: Any) -> dict[int, Any]:
    """{number of the stretch of `seconds` since `since`: aggregate} over orders, in whole numbers."""
    first = _first_id(since)
    stretch = (F("id") - first) / (seconds << ids.COUNTER_BITS)
    rows: Any = (
        VoucherOrder.objects.filter(pk__gte=first)
        .values(stretch=stretch)
        .order_by("stretch")
        .annotate(**what)
    )
    return {row["stretch"]: row[next(iter(what))] or 0 for row in rows}


@partial(Kept, seconds=TODAY_KEPT)
def _today() -> dict[str, int | None]:
    midnight = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    orders = VoucherOrder.objects.filter(pk__gte=_first_id(midnight))
    return orders.aggregate(orders=Count("id"), paid=Sum("price", filter=Q(status__in=PAID)))


@partial(Kept, seconds=MINUTES_KEPT)
def _per_minute() -> tuple[list[str], list[int]]:
    since = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=MINUTES - 1)
    found = _buckets(since, 60, orders=Count("id"))
    moments = [timezone.localtime(since + timedelta(minutes=number)) for number in range(MINUTES)]
    return [f"{moment:%H:%M}" for moment in moments], [found.get(number, 0) for number in range(MINUTES)]


@partial(Kept, seconds=DAYS_KEPT)
def _per_day() -> tuple[list[datetime], list[float]]:
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    since = today - timedelta(days=DAYS - 1)
    found = _buckets(since, 86_400, paid=Sum("price", filter=Q(status__in=PAID)))
    days = [since + timedelta(days=number) for number in range(DAYS)]
    return days, [found.get(number, 0) / MINOR_UNITS for number in range(DAYS)]


def _chart(labels: list[Any], values: list[Any], *, label: str) -> str:
    shown = [date_format(one, _("j M")) if isinstance(one, datetime) else one for one in labels]
    return charts.data(shown, charts.bars(label, values))
