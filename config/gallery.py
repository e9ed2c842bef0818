"""The design gallery at /design/: every component once. Only with DEBUG or DEMO."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.generic import TemplateView

KINDS = "food ktv hair massage fitness spa kids bar party nails".split()
ICONS = (
    "home nearby flash orders me search map list locate star clock phone ticket check close info warning "
    "error back next down plus globe sun moon system logout lock device edit trash refresh share filter "
    "wallet chart settings more"
).split()
GRAB_STATES = "soon open queueing got sold_out have ended login retry".split()
SECTIONS = [f"design/_{name}.html" for name in ("basics", "shops", "sale", "feedback")]
# A drawn square in place of a real code: the gallery has no order to redeem.
SQUARE = mark_safe(
    '<svg viewBox="0 0 21 21"><path d="M0 0h7v7H0zM14 0h7v7h-7zM0 14h7v7H0zM9 9h3v3H9zM14 14h2v5h-2z"/></svg>'
)


class Gallery(TemplateView):
    template_name = "design.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        now = timezone.now()
        times = {"now": now, "soon": now + timedelta(minutes=2), "later": now + timedelta(days=1, hours=3)}
        lists = {"kinds": KINDS, "icons": ICONS, "grab_states": GRAB_STATES, "sections": SECTIONS}
        cities = [("hz", "Hangzhou"), ("sh", "Shanghai")]
        return super().get_context_data(**times, **lists, cities=cities, qr=SQUARE, **kwargs)
