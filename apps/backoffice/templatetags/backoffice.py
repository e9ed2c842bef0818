"""What the dashboard shows of visitors and of the maintenance: `{% load backoffice %}`."""

from typing import Any

from django import template
from django.http import HttpRequest

from apps.adminkit.panels import dashboard_panel
from apps.backoffice import first_steps, visitors
from apps.siteconfig.maintenance.switch import switch

register = template.Library()


@dashboard_panel(register, "admin/siteconfig/panel.html", needs_redis=False)
def maintenance_panel(_request: HttpRequest) -> dict[str, Any]:
    """`{% maintenance_panel %}`: a warning while the site is closed for maintenance."""
    return {"closed": switch.closed}


@dashboard_panel(register, "backoffice/_first_steps.html", permission="shops.add_city", needs_redis=False)
def first_steps_panel(_request: HttpRequest) -> dict[str, Any]:
    """`{% first_steps_panel %}`: what a new site needs before guests come; nothing once all of it is done."""
    steps = first_steps.list_steps()
    return {"steps": [] if all(step.is_done for step in steps) else steps}


@dashboard_panel(
    register, "backoffice/_visitors_panel.html", permission=visitors.VIEW_PERMISSION, needs_redis=False
)
def visitors_panel(_request: HttpRequest) -> dict[str, Any]:
    """`{% visitors_panel %}`: the visitors of two weeks by day."""
    return visitors.dashboard_context()
