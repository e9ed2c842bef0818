"""The pages about the site itself, the same for everybody."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.accounts import codes
from apps.accounts.deletion import deletions, rules
from apps.backoffice.information import privacy_facts
from apps.front.documents.pages import shared_page
from apps.moderation.models import Reason


@require_safe
@shared_page
def help_page(request: HttpRequest) -> HttpResponse:
    """Short answers to what people ask."""
    about = {
        "pay_minutes": int(settings.PAY_WITHIN.total_seconds() // 60),
        "code_minutes": int(settings.LOGIN_CODE_TTL.total_seconds() // 60),
        "code_checks": codes.MAX_CHECKS_PER_CODE,
        "grace_days": deletions.GRACE.days,
        "operator": _operator(),
    }
    return render(request, "information/help.html", about)


@require_safe
@shared_page
def privacy(request: HttpRequest) -> HttpResponse:
    """What is stored of people, why, and for how long."""
    about = {
        "facts": privacy_facts.list_facts(),
        "cookies": privacy_facts.list_cookies(),
        "goes": rules.list_goes(),
        "kept": rules.list_kept(),
        "grace_days": deletions.GRACE.days,
        "operator": _operator(),
    }
    return render(request, "information/privacy.html", about)


@require_safe
@shared_page
def terms(request: HttpRequest) -> HttpResponse:
    """The rules between people and the operator."""
    about = {
        "pay_minutes": int(settings.PAY_WITHIN.total_seconds() // 60),
        "reasons": [reason.label for reason in Reason if reason != Reason.OTHER],
        "operator": _operator(),
    }
    return render(request, "information/terms.html", about)


@require_safe
@shared_page
def imprint(request: HttpRequest) -> HttpResponse:
    """Who runs the site, and how to reach them."""
    return render(request, "information/imprint.html", {"operator": _operator()})


def _operator() -> dict[str, object]:
    return {
        "name": settings.OPERATOR_NAME,
        "address": [line.strip() for line in settings.OPERATOR_ADDRESS if line.strip()],
        "email": settings.OPERATOR_EMAIL,
        "phone": settings.OPERATOR_PHONE,
        "registration": settings.OPERATOR_REGISTRATION,
    }
