"""The states of campaigns and ads, as the admin names them, and what is spent of a budget."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.ads import insight
from apps.ads.models import Ad, Campaign
from apps.ads.money.amounts import format_amount

LABELS = {
    "running": _("running"),
    "planned": _("planned"),
    "stopped": _("stopped"),
    "spent": _("budget spent"),
    "over": _("over"),
}
#: The badge of each label.
BADGES = {
    LABELS["running"]: "success",
    LABELS["planned"]: "info",
    LABELS["stopped"]: "warning",
    LABELS["spent"]: "danger",
    LABELS["over"]: "default",
}


def of_campaign(campaign: Campaign) -> str:
    """One of LABELS."""
    now = timezone.now()
    if not campaign.is_on:
        return "stopped"
    if campaign.ends_at and campaign.ends_at <= now:
        return "over"
    if campaign.begins_at > now:
        return "planned"
    return "spent" if campaign.charged_micros + campaign.cost_micros > campaign.budget_micros else "running"


def of_ad(ad: Ad) -> str:
    """One of LABELS: an ad runs with its campaign."""
    return of_campaign(ad.campaign) if ad.is_on else "stopped"


def spending(campaign: Campaign, spent: int) -> dict[str, Any]:
    """The spent part of a budget in micros, for its bar."""
    return {
        "spent": format_amount(spent),
        "budget": format_amount(campaign.budget_micros),
        "left": format_amount(campaign.budget_micros - spent),
        "percent": round(100 * spent / campaign.budget_micros) if campaign.budget_micros else 0,
    }


def spent_micros(campaign: Campaign) -> int:
    """What is spent by now: Redis knows of charges that have no row yet."""
    live = insight.live_state(campaign.pk)
    # The row's budget: a form may have put a new one into the instance.
    budget = Campaign.objects.values_list("budget_micros", flat=True).get(pk=campaign.pk)
    return max(campaign.charged_micros, budget - live.left_micros) if live else campaign.charged_micros
