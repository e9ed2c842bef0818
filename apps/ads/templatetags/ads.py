"""What pages and the dashboard show of ads: `{% load ads %}`."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from apps.adminkit.panels import dashboard_panel
from apps.ads import insight, roles
from apps.ads.models import DailyCount
from apps.ads.money import amounts
from apps.web.page_parts import page_part

register = template.Library()
#: Of a value in the query, as GET /api/ads takes it.
MAX_VALUE_LENGTH = 200
#: Campaigns on the dashboard.
MAX_CAMPAIGNS = 8


@page_part(register, "ads/_box.html")
def ad_box(place: str, **subject: str | int) -> dict[str, str]:
    """`{% ad_box "shop" shop=shop.pk %}`: an empty box that asks GET /api/ads with these values.

    It is the same for everybody: static/js/ads.js fills it with what one reader sees. `place` is shop, note
    or search, whose subject is `shop`, `note` or the text `q`; a search's city is the reader's chosen one.
    """
    values = {name: str(value)[:MAX_VALUE_LENGTH] for name, value in subject.items()}
    return {"query": urlencode({"place": place} | values)}


@dashboard_panel(
    register, "admin/ads/panels/campaigns.html", permission="ads.view_campaign", needs_redis=False
)
def campaigns_today(request: HttpRequest) -> dict[str, Any]:
    """`{% campaigns_today %}`: the campaigns of the person's that spent most today.

    For staff also how many choices ended before all ads were compared.
    """
    counts = DailyCount.objects.filter(day=timezone.localdate())
    rows: Any = (
        roles.restrict(counts, request.user, "ad__campaign__advertiser__members")
        .values("ad__campaign", "ad__campaign__name")
        .annotate(seen=Sum("views"), followed=Sum("clicks"), spent=Sum("spent_micros"))
        .order_by("-spent", "-seen")[:MAX_CAMPAIGNS]
    )
    return {
        "cut_choices": insight.cut_choices_today() if roles.sees_all(request.user) else 0,
        "campaigns": [
            {
                "id": row["ad__campaign"],
                "name": row["ad__campaign__name"],
                "views": row["seen"],
                "rate": amounts.format_rate(row["followed"], row["seen"]),
                "spent": amounts.format_amount(row["spent"]),
            }
            for row in rows
        ],
    }
