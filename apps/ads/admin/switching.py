"""States of campaigns and ads as the admin names them, and the buttons and actions that stop and resume."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.adminkit import history
from apps.adminkit.change_forms import Badges
from apps.ads import insight, roles
from apps.ads.models import Ad, Campaign
from apps.ads.money.amounts import format_amount
from apps.redis_kit import client
from apps.web.problems import Problem, translation

LABELS = {
    "running": _("running"),
    "planned": _("planned"),
    "stopped": _("stopped"),
    "spent": _("budget spent"),
    "over": _("over"),
}
#: The badge of each label.
BADGES = Badges(
    {
        LABELS["running"]: "success",
        LABELS["planned"]: "info",
        LABELS["stopped"]: "warning",
        LABELS["spent"]: "danger",
        LABELS["over"]: "default",
    }
)

#: A verb of ads.changes: (id, on=…).
Switch = Callable[..., object]
BUTTONS = {"stop": False, "resume": True}


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


def sees_all(request: HttpRequest) -> bool:
    return roles.sees_all(request.user)


def with_totals(rows: QuerySet[Any], ads: str = "") -> QuerySet[Any]:
    """The rows with `views` and `clicks` of all their ads, which `ads` leads to."""
    sums = {name: Coalesce(Sum(f"{ads}__{name}"), 0) for name in ("views", "clicks")}
    return rows.annotate(**sums)


def pressed(request: HttpRequest) -> str:
    """The name of the pressed button of BUTTONS, or ""."""
    return next((name for name in BUTTONS if name in request.POST), "")


def switch(
    admin: ModelAdmin[Any], request: HttpRequest, object_id: str, button: str, verb: Switch
) -> HttpResponse:
    """Run the verb on a row that the user may change, and come back to its page."""
    row = admin.get_object(request, object_id)
    if row is None:
        raise Http404
    if not admin.has_change_permission(request, row):
        raise PermissionDenied
    switch_many(request, [row], verb, on=BUTTONS[button])
    return redirect(request.path)


def switch_many(request: HttpRequest, rows: Any, verb: Switch, *, on: bool) -> None:
    """Run the verb on each row, note it in the history, and say how many."""
    done = 0
    for row in rows:
        with show_refusals(request):
            verb(row.pk, on=on)
            history.record_changed(request, row, gettext("goes on") if on else gettext("stopped"))
            done += 1
    message = (
        gettext("%d go on.") if on else gettext("%d stopped: nothing of it is shown or charged any more.")
    )
    if done:
        messages.success(request, message % done)


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Show a refusal that is raised inside the block as a message."""
    try:
        yield
    except (Problem, *client.UNAVAILABLE) as error:
        messages.error(request, translation.translate(error).detail)
