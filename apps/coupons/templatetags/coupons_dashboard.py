"""The dashboard's panels of sales and orders, with numbers from SQL and live states from Redis.

`{% load coupons_dashboard %}`
"""

import time
from datetime import datetime, timedelta
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

from django import template
from django.conf import settings
from django.db.models import Count, F, Q, QuerySet, Sum
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.adminkit import charts, panels
from apps.adminkit.panels import dashboard_panel
from apps.coupons.catalog import offers
from apps.coupons.models import DeadLetter, FlashSale, Reconciliation, VoucherOrder
from apps.coupons.orders import consuming
from apps.redis_kit import client, ids
from apps.shops import money
from apps.shops.members import own_shops
from apps.shops.models import Shop
from apps.web import short_dates
from apps.web.days import start_of_day

register = template.Library()

CHART_MINUTES = 60
CHART_DAYS = 7
#: Rows of each table.
MAX_ROWS = 8
#: Seconds for which sums over many orders are cached: ten open dashboards cost one query.
MINUTES_CACHE_SECONDS, TODAY_CACHE_SECONDS, DAYS_CACHE_SECONDS = 5, 10, 120
VIEW_SALES, VIEW_ORDERS, VIEW_DEAD_LETTERS = (
    "coupons.view_flashsale",
    "coupons.view_voucherorder",
    "coupons.view_deadletter",
)


def _sees_own(user: Any) -> bool:
    return not own_shops.sees_all(user)


@dashboard_panel(
    register,
    "admin/coupons/panels/tiles.html",
    permission=VIEW_ORDERS,
    needs_redis=False,
    is_for=own_shops.sees_all,
)
def tiles(_request: HttpRequest) -> dict[str, Any]:
    """Today's numbers of the business."""
    now = timezone.now()
    running = FlashSale.objects.filter(begins_at__lte=now, ends_at__gt=now, voucher__is_offered=True)
    totals = _totals_today(_current_slot(TODAY_CACHE_SECONDS))
    return {
        "orders": totals.orders,
        "paid": money.format_sums(totals.paid, settings.CURRENCY),
        "running": running.count(),
    }


@dashboard_panel(
    register,
    "admin/coupons/panels/order_tiles.html",
    permission=VIEW_DEAD_LETTERS,
    needs_redis=False,
    is_for=own_shops.sees_all,
)
def order_tiles(request: HttpRequest) -> dict[str, Any]:
    """How orders are recorded, what failed, and the last reconciliation."""
    return {
        "dead_letters": DeadLetter.objects.filter(replayed_at=None).count(),
        "verdict": Reconciliation.objects.order_by("-ran_at").first(),
        "backlog": _backlog_or_none(request),
    }


@dashboard_panel(
    register,
    "admin/coupons/panels/minutes.html",
    permission=VIEW_ORDERS,
    needs_redis=False,
    is_for=own_shops.sees_all,
)
def orders_per_minute(_request: HttpRequest) -> dict[str, Any]:
    labels, counts = _orders_by_minute(_current_slot(MINUTES_CACHE_SECONDS))
    chart = _bar_chart(labels, counts, label=_("orders"))
    return {"chart": chart, "options": charts.options(dates=True), "total": sum(counts)}


@dashboard_panel(
    register,
    "admin/coupons/panels/days.html",
    permission=VIEW_ORDERS,
    needs_redis=False,
    is_for=own_shops.sees_all,
)
def paid_per_day(_request: HttpRequest) -> dict[str, Any]:
    days, sums = _paid_by_day(_current_slot(DAYS_CACHE_SECONDS))
    units = [float(money.to_units(paid, settings.CURRENCY)) for paid in sums]
    chart = _bar_chart(days, units, label=settings.CURRENCY)
    total = sum(sums)
    amount = money.format_amount(total, settings.CURRENCY)
    return {"chart": chart, "options": charts.options(dates=True), "total": total, "amount": amount}


@dashboard_panel(
    register,
    "admin/coupons/panels/sales.html",
    permission=VIEW_SALES,
    needs_redis=False,
)
def sales_table(request: HttpRequest) -> dict[str, Any]:
    """Running and coming sales with their live state."""
    rows: list[Any] = _current_sales(request)
    try:
        states = offers.read_live_states(rows) if panels.redis_is_up(request) else {}
    except client.UNAVAILABLE:
        states = {}
    for sale in rows:
        sale.live, sale.phase = states.get(sale.pk), offers.phase_for_staff(sale)
    return {"sales": rows}


@dashboard_panel(
    register,
    "admin/coupons/panels/own_shops.html",
    permission=VIEW_ORDERS,
    needs_redis=False,
    is_for=_sees_own,
)
def own_shops_today(request: HttpRequest) -> dict[str, Any]:
    """Today in each shop of an owner: orders, redeemed and refunded ones, and what was paid.

    Beside it what was paid yesterday and in the seven days before today, with its change to the seven before.
    """
    orders: Any = own_shops.restrict(VoucherOrder.objects.counted(), request.user, "voucher__shop")
    today = start_of_day()
    since = {name: Q(**{f"{name}__gte": today}) for name in ("accepted_at", "used_at", "refunded_at")}
    counts = orders.filter(reduce(or_, since.values())).values("voucher__shop").order_by()
    by_shop = {
        row["voucher__shop"]: row
        for row in counts.annotate(
            orders=Count("id", filter=since["accepted_at"]),
            redeemed=Count("id", filter=since["used_at"]),
            refunded=Count("id", filter=since["refunded_at"]),
        )
    }
    sums = _sum_paid_by_shop(orders, today)
    shops = own_shops.restrict(Shop.objects.order_by("pk"), request.user)
    rows = [
        {"shop": shop} | _describe_paid(shop, sums.get(shop.pk, {})) | by_shop.get(shop.pk, {})
        for shop in shops
    ]
    user: Any = request.user
    may = {
        "may_sell": user.has_perm("coupons.add_flashsale"),
        "may_redeem": user.has_perm("coupons.redeem_order"),
    }
    return {"rows": rows} | may


def _sum_paid_by_shop(orders: Any, today: datetime) -> dict[int, dict[str, dict[str, int]]]:
    """{shop: {currency: {period: minor units}}}: what came in each period and is still here; one query."""
    # By the calendar, as _paid_by_day.
    yesterday, week, earlier = (today - timedelta(days=days) for days in (1, 7, 14))
    periods = {"paid": (today, None), "yesterday": (yesterday, today), "week": (week, today)}
    periods["week_before"] = (earlier, week)
    found: dict[int, dict[str, dict[str, int]]] = {}
    rows = orders.paid().paid_since(earlier).order_by().values("voucher__shop", "currency")
    sums = {
        name: Sum("price", filter=Q(paid_at__gte=start, **({"paid_at__lt": end} if end else {})), default=0)
        for name, (start, end) in periods.items()
    }
    for row in rows.annotate(**sums):
        found.setdefault(row["voucher__shop"], {})[row["currency"]] = {name: row[name] for name in periods}
    return found


def _describe_paid(shop: Shop, sums: dict[str, dict[str, int]]) -> dict[str, Any]:
    """What a shop was paid in each period, in words, and `trend`: the week's change in per cent, or None."""
    texts: dict[str, Any] = {
        period: money.format_sums(
            {code: amounts[period] for code, amounts in sums.items() if amounts[period]}, shop.currency
        )
        for period in ("paid", "yesterday", "week")
    }
    own = sums.get(shop.currency, {})
    before = own.get("week_before", 0)
    return texts | {"trend": round(100 * (own["week"] - before) / before) if before else None}


@dashboard_panel(
    register,
    "admin/coupons/panels/queue.html",
    permission=VIEW_ORDERS,
    is_for=own_shops.sees_all,
)
def order_queue(_request: HttpRequest) -> dict[str, Any]:
    return {"backlog": _backlog_numbers(consuming.backlog())}


@dashboard_panel(
    register,
    "admin/coupons/panels/dead_letters.html",
    permission=VIEW_DEAD_LETTERS,
    needs_redis=False,
)
def dead_letters(_request: HttpRequest) -> dict[str, Any]:
    return {"dead_letters": DeadLetter.objects.filter(replayed_at=None).order_by("-id")[:MAX_ROWS]}


def _backlog_or_none(request: HttpRequest) -> dict[str, float] | None:
    """None while Redis is away: the other tiles stay."""
    try:
        return _backlog_numbers(consuming.backlog()) if panels.redis_is_up(request) else None
    except client.UNAVAILABLE:
        return None


def _backlog_numbers(backlog: consuming.Backlog) -> dict[str, float]:
    return {
        "waiting": backlog.orders,
        "unread": backlog.unread_entries,
        "pending": backlog.pending_entries,
        "oldest_seconds": backlog.oldest_ms / 1000,
    }


def _current_sales(request: HttpRequest) -> list[FlashSale]:
    coming: QuerySet[FlashSale] = FlashSale.objects.filter(
        ends_at__gt=timezone.now(), voucher__is_offered=True
    )
    coming = own_shops.restrict(coming, request.user, "voucher__shop")
    return list(coming.select_related("voucher__shop").order_by("begins_at")[:MAX_ROWS])


def _first_order_id(moment: datetime) -> int:
    """The smallest id of a moment: ids are time-ordered, so a range of ids is a range of time, by the key."""
    return ids.compose(max(0, int(moment.timestamp()) - ids.EPOCH), 0)


def _aggregate_by_interval(since: datetime, seconds: int, **what: Any) -> dict[int, Any]:
    """{number of the stretch of `seconds` since `since`: aggregate} over orders, in whole numbers."""
    first = _first_order_id(since)
    stretch = (F("id") - first) / (seconds << ids.COUNTER_BITS)
    rows: Any = (
        VoucherOrder.objects.counted()
        .filter(pk__gte=first)
        .values(stretch=stretch)
        .order_by("stretch")
        .annotate(**what)
    )
    return {row["stretch"]: row[next(iter(what))] or 0 for row in rows}


def _current_slot(seconds: int) -> int:
    """The number of the current slot of so many seconds: what is cached under it lasts until its end."""
    return int(time.monotonic() // seconds)


class Totals(NamedTuple):
    """A day's orders, and what was paid on it and is still here, by currency."""

    orders: int
    paid: dict[str, int]


@lru_cache(1)
def _totals_today(_slot: int) -> Totals:
    orders, today = VoucherOrder.objects.counted(), start_of_day()
    accepted = orders.filter(pk__gte=_first_order_id(today))
    return Totals(accepted.count(), orders.paid().paid_since(today).sum_prices())


@lru_cache(1)
def _orders_by_minute(_slot: int) -> tuple[list[str], list[int]]:
    since = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=CHART_MINUTES - 1)
    found = _aggregate_by_interval(since, 60, orders=Count("id"))
    moments = [timezone.localtime(since + timedelta(minutes=number)) for number in range(CHART_MINUTES)]
    return [f"{moment:%H:%M}" for moment in moments], [
        found.get(number, 0) for number in range(CHART_MINUTES)
    ]


@lru_cache(1)
def _paid_by_day(_slot: int) -> tuple[list[datetime], list[int]]:
    """The beginnings of the last days, and what was paid on each in the site's currency and is still here.

    Sums are in minor units.
    """
    today = start_of_day()
    # By the calendar: the day on which the clock is moved has 23 or 25 hours.
    days = [today - timedelta(days=number) for number in reversed(range(CHART_DAYS))]
    orders = VoucherOrder.objects.counted().paid().paid_since(days[0]).filter(currency=settings.CURRENCY)
    sums = {
        f"day_{number}": Sum("price", filter=Q(paid_at__gte=day, paid_at__lt=end), default=0)
        for number, (day, end) in enumerate(zip(days, [*days[1:], today + timedelta(days=1)], strict=True))
    }
    found = orders.aggregate(**sums)
    return days, [found[name] for name in sums]


def _bar_chart(labels: list[Any], values: list[Any], *, label: str) -> str:
    captions = [short_dates.short_day(one) if isinstance(one, datetime) else one for one in labels]
    return charts.data(captions, charts.bar_series(label, values))


@register.simple_tag
def orders_of_last_hour() -> int:
    """`{% orders_of_last_hour as orders %}`: how many orders were accepted in the last hour."""
    return VoucherOrder.objects.filter(created_at__gt=timezone.now() - timedelta(hours=1)).count()
