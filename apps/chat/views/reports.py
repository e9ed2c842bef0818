"""The page that reports a chat, or a message of it."""

from django.contrib import messages as page_messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import auth
from apps.chat import chats
from apps.chat.models import Report
from apps.chat.moderation import reports
from apps.chat.views import refused
from apps.web.problems.ids import parse_row_id


@never_cache
@require_http_methods(["GET", "POST"])
def report(request: HttpRequest, chat_id: int) -> HttpResponse:
    """Ask for a reason (GET), then keep the report for staff (POST)."""
    user = auth.require_user(request)
    row = chats.get_mine(user.pk, chat_id)
    number = parse_row_id((request.POST or request.GET).get("number"))
    if request.method == "POST":
        reason, text = request.POST.get("reason", ""), request.POST.get("text", "")
        with refused.as_problems():
            reports.report(user.pk, chat_id, number=number, reason=reason, text=text)
        page_messages.success(request, _("Thank you. Somebody of Savor will look at it."))
        return redirect("chat:show", chat_id)
    message = reports.find_message(row.member, number) if number else None
    about = {"row": row, "message": message, "reasons": Report.Reason.choices}
    return render(request, "chat/report.html", about)
