"""The dashboard's panel of ads: today's numbers of the campaigns that the person may see."""

from typing import Any

from django.db.models import Sum
from django.http import HttpRequest
from django.utils import timezone

from apps.adminkit import panels
from apps.adminkit.panels import Panel
from apps.ads import insight, roles
from apps.ads.admin import amounts
from apps.ads.admin.own_rows import own_rows
from apps.ads.models import DailyCount

MAX_ROWS = 8


def campaigns_today(request: HttpRequest) -> dict[str, Any]:
    """The campaigns that spent most today; for staff, how many choices ended before all ads were compared."""
    counts = DailyCount.objects.filter(day=timezone.localdate())
    rows: Any = (
        own_rows(request, counts, "ad__campaign__advertiser__members")
        .values("ad__campaign", "ad__campaign__name")
        .annotate(seen=Sum("views"), followed=Sum("clicks"), spent=Sum("spent_micros"))
        .order_by("-spent", "-seen")[:MAX_ROWS]
    )
    return {
        "cut_choices": insight.cut_choices_today() if roles.sees_all(request.user) else 0,
        "campaigns": [
            {
                "id": row["ad__campaign"],
                "name": row["ad__campaign__name"],
                "views": row["seen"],
                "rate": amounts.format_rate(row["followed"], row["seen"]),
                "spent": amounts.format_yuan(row["spent"]),
            }
            for row in rows
        ],
    }


def register() -> None:
    """Add the panel to the dashboard; called when the app is ready."""
    panel = Panel("admin/ads/panels/campaigns.html", campaigns_today, "ads.view_campaign", needs_redis=False)
    panels.register(panel, order=50)
