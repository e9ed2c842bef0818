"""Pages that report a thing, list the person's own reports, and show and dispute decisions about them."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from apps.accounts import auth
from apps.accounts.models import User
from apps.moderation import decisions, reports
from apps.moderation.models import MAX_TEXT_LENGTH, Decision
from apps.web import htmx

#: Newest decisions on one's own page: nobody with more reads on.
MAX_DECISIONS = 50


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def report(request: HttpRequest, kind: str, target_id: int) -> HttpResponse:
    """Ask what is wrong with a thing (GET), then keep the report (POST)."""
    user = auth.require_user(request)
    about = _describe_report(user, kind, target_id)
    if request.method == "GET":
        return _render_report(request, about)
    given = {name: request.POST.get(name, "") for name in ("reason", "text")}
    try:
        reports.report(user, kind, target_id, **given)
    except ValidationError as error:
        return _render_report(request, about | given | {"errors": error.messages}, status=422)
    if htmx.is_htmx(request):
        return _render_report(request, about | {"is_sent": True})
    messages.success(request, _("Thank you. We'll look at it and tell you what we did."))
    return redirect(about["subject"].url)


def _describe_report(user: User, kind: str, target_id: int) -> dict[str, Any]:
    """What the form of a report shows of its thing; raises what reports.find does."""
    return {
        **{"kind": kind, "target_id": target_id, "subject": reports.find(kind, target_id, user)},
        **{"label": reports.require_kind(kind).label, "reasons": reports.list_reasons(kind)},
        **{"known": reports.find_open(user.pk, kind, target_id), "max_length": MAX_TEXT_LENGTH},
    }


@never_cache
@login_required
@require_GET
def my_reports(request: HttpRequest) -> HttpResponse:
    """What the person reported, and what became of it."""
    page = reports.list_mine(auth.require_user(request).pk, cursor=request.GET.get("cursor", ""))
    template = "moderation/_report_rows.html" if htmx.is_htmx(request) else "moderation/my_reports.html"
    return render(request, template, {"reports": page.items, "next": page.next})


@never_cache
@login_required
@require_GET
def my_decisions(request: HttpRequest) -> HttpResponse:
    """What staff decided about the person and their things."""
    rows = decisions.list_mine(auth.require_user(request))[:MAX_DECISIONS]
    return render(request, "moderation/my_decisions.html", {"rows": [_about(row) for row in rows]})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def decision(request: HttpRequest, decision_id: int) -> HttpResponse:
    """A decision with its reason, and the form to object (GET); keep the objection (POST)."""
    user = auth.require_user(request)
    about = _about(decisions.find_mine(user, decision_id)) | {"max_length": MAX_TEXT_LENGTH}
    if request.method == "GET":
        return render(request, "moderation/decision.html", about)
    text = request.POST.get("text", "")
    try:
        decisions.object_to(user, decision_id, text)
    except ValidationError as error:
        refused = {"text": text, "errors": error.messages}
        return render(request, "moderation/decision.html", about | refused, status=422)
    messages.success(request, _("We got your objection and will tell you what comes of it."))
    return redirect("moderation:decision", decision_id)


def _render_report(request: HttpRequest, about: dict[str, Any], *, status: int = 200) -> HttpResponse:
    template = "moderation/_report.html" if htmx.is_htmx(request) else "moderation/report.html"
    return render(request, template, about, status=status)


def _about(row: Decision) -> dict[str, Any]:
    return {
        "decision": row,
        "case": row.case,
        "what": decisions.describe(row),
        "can_object": decisions.can_object(row),
    }
