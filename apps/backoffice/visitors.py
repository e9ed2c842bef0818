"""The admin's page of visits: by day, by kind of page, and the most viewed shops and notes."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.adminkit import charts
from apps.blog.models import Note
from apps.shops.models import Shop
from apps.uv import days, page_kinds, visits
from apps.uv.models import DailyVisits
from apps.web import short_dates

VIEW_PERMISSION = "uv.view_dailyvisits"
#: Days in the page's charts, days in the dashboard's chart, days that a table sums up, and rows of a table.
PAGE_DAYS, DASHBOARD_DAYS, TABLE_DAYS, MAX_TABLE_ROWS = 30, 14, 7, 10
KIND_LABELS = {
    "shop": gettext_lazy("shop pages"),
    "shops": gettext_lazy("lists of shops"),
    "home": gettext_lazy("home page"),
    "note": gettext_lazy("note pages"),
    "notes": gettext_lazy("hot notes"),
    "feed": gettext_lazy("feed"),
    "sales": gettext_lazy("flash sales"),
    "map": gettext_lazy("map"),
    page_kinds.OTHER_KIND: gettext_lazy("other pages"),
}


@dataclass(frozen=True)
class MostViewedRow:
    """A shop or note with its page views; `visitors` is the average number of unique visitors a day."""

    name: str
    url: str
    views: int
    visitors: float


def dashboard_context() -> dict[str, Any]:
    """Return the template context of the dashboard's panel: DASHBOARD_DAYS by day."""
    return _chart_by_day(DASHBOARD_DAYS)


def page_context() -> dict[str, Any]:
    """Return the template context of the visitors page.

    Charts cover PAGE_DAYS, by day and by kind of page.
    Tables of the most viewed shops and notes cover TABLE_DAYS.
    """
    return _chart_by_day(PAGE_DAYS) | {
        "by_kind": _chart_by_kind(),
        "stacked": charts.options(stacked=True, dates=True),
        "shops": _list_most_viewed("shop", _shop_links),
        "notes": _list_most_viewed("note", _note_links),
    }


def _chart_by_day(count: int) -> dict[str, Any]:
    today = days.today()
    report = visits.build_report(page_kinds.Scope(), today - (count - 1) * days.ONE_DAY, today)
    chart = charts.data(
        [_day_label(day.day) for day in report.days],
        charts.line_series(_("visitors"), [day.uv for day in report.days]),
        charts.line_series(_("page views"), [day.pv for day in report.days], charts.QUIET_COLOUR),
    )
    return {"report": report, "today": report.days[-1], "chart": chart, "options": charts.options(dates=True)}


def _chart_by_kind() -> str:
    """Return chart data of page views by day and kind, from SQL's snapshots; "" if there are none."""
    period = days.ending_on(days.today(), PAGE_DAYS)
    views: dict[str, dict[date, int]] = defaultdict(dict)
    snapshots = DailyVisits.objects.filter(object_id=0, day__gte=period[0], pv__gt=0).exclude(
        scope=page_kinds.SITE_SCOPE
    )
    for row in snapshots:
        views[row.scope][row.day] = row.pv
    kinds_by_views = sorted(views, key=lambda kind: -sum(views[kind].values()))[: len(charts.SERIES_COLOURS)]
    rows = [
        charts.bar_series(str(KIND_LABELS.get(kind, kind)), [views[kind].get(day, 0) for day in period], hue)
        for kind, hue in zip(kinds_by_views, charts.SERIES_COLOURS, strict=False)
    ]
    return charts.data([_day_label(day) for day in period], *rows) if rows else ""


def _list_most_viewed(
    kind: str, fetch_links: Callable[[list[int]], dict[int, tuple[str, str]]]
) -> list[MostViewedRow]:
    since = days.ending_on(days.today(), TABLE_DAYS)[0]
    visited = DailyVisits.objects.filter(scope=kind, object_id__gt=0, day__gte=since)
    sums = visited.values("object_id").annotate(views=Sum("pv"), visitors=Sum("uv"))
    top = list(sums.order_by("-views", "object_id")[:MAX_TABLE_ROWS])
    links = fetch_links([row["object_id"] for row in top])
    return [
        MostViewedRow(
            *links.get(row["object_id"], (_("deleted"), "")), row["views"], row["visitors"] / TABLE_DAYS
        )
        for row in top
    ]


def _shop_links(ids: list[int]) -> dict[int, tuple[str, str]]:
    shops = Shop.objects.filter(pk__in=ids)
    return {shop.pk: (shop.name, reverse("admin:shops_shop_change", args=[shop.pk])) for shop in shops}


def _note_links(ids: list[int]) -> dict[int, tuple[str, str]]:
    notes = Note.objects.published().filter(pk__in=ids).select_related("shop")
    return {note.pk: (note.title or note.shop.name, note.get_absolute_url()) for note in notes}


def _day_label(day: date) -> str:
    return short_dates.short_day(day)


@permission_required(VIEW_PERMISSION, raise_exception=True)
@require_safe
@never_cache
def visitors_page(request: HttpRequest) -> HttpResponse:
    """Render the visitors page: visitors and page views by day, kind of page, shop and note."""
    context = admin.site.each_context(request) | {"title": _("Visitors")} | page_context()
    return render(request, "backoffice/visitors.html", context)
