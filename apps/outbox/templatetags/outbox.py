"""What the dashboard shows of outgoing messages: `{% load outbox %}`."""

from datetime import timedelta
from typing import Any

from django import template
from django.db.models import Count, Min, Q
from django.http import HttpRequest
from django.utils import timezone

from apps.adminkit.panels import dashboard_panel
from apps.outbox.models import Message, State

register = template.Library()
RECENT = timedelta(hours=1)


@dashboard_panel(
    register, "admin/outbox/panels/outbox.html", permission="outbox.view_message", needs_redis=False
)
def outbox_panel(_request: HttpRequest) -> dict[str, Any]:
    """`{% outbox_panel %}`: numbers of waiting, failed and recently sent messages, and the oldest."""
    waiting = Message.objects.waiting().aggregate(count=Count("pk"), oldest=Min("created_at"))
    late = Q(sent_at__gte=timezone.now() - RECENT)
    return {
        "waiting": waiting["count"],
        "oldest": waiting["oldest"],
        "failed": Message.objects.failed().count(),
        "sent": Message.objects.filter(late, state=State.SENT).count(),
    }
