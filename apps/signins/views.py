from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.middleware import HtmxDetails

from apps.accounts import auth
from apps.problems import Problem
from apps.signins import asked, leaders, limits, makeups, pages, sentences
from apps.signins import calendar as calendars


class PageRequest(HttpRequest):
    """As django_htmx's middleware hands it on."""

    htmx: HtmxDetails


@never_cache
@login_required
@require_GET
def calendar(request: PageRequest) -> HttpResponse:
    """My calendar; htmx gets another month alone."""
    month = asked.month(request.GET["month"]) if request.GET.get("month") else None
    page = pages.of_month(auth.user_of(request), month)
    template = "signins/_month.html" if request.htmx.target == "month" else "signins/calendar.html"
    return render(request, template, {"page": page})


@never_cache
@login_required
@require_POST
def sign_in(request: PageRequest) -> HttpResponse:
    """Sign in for today; htmx gets what has the button again, the card of my page or the calendar."""
    user = auth.user_of(request)
    limits.charge(user.pk)
    signed = calendars.sign_in(user)
    if not request.htmx:
        messages.success(request, sentences.signed(signed))
        return redirect("signins:calendar")
    about = {"signed": signed, "said": sentences.signed(signed)}
    if request.htmx.target == "sign-in-card":
        return render(request, "signins/_card.html", about | {"glance": calendars.glance(user.pk)})
    return render(request, "signins/_page.html", about | {"page": pages.of_month(user, None)})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def make_up(request: PageRequest) -> HttpResponse:
    """Asks first, in a dialog or on a page of its own; then makes up the day."""
    user, day = auth.user_of(request), asked.day(request.GET.get("day", ""))
    if request.method == "GET":
        template = "signins/_make_up.html" if request.htmx.target == "make-up" else "signins/make_up.html"
        return render(request, template, {"offer": pages.offer(user, day)})
    try:
        limits.charge(user.pk)
        messages.success(request, sentences.made_up(makeups.make_up(user, day)))
    except Problem as why:
        messages.error(request, why.detail)
    return redirect(f"{reverse('signins:calendar')}?month={day.year:04}-{day.month:02}")


@never_cache
@require_GET
def board(request: HttpRequest) -> HttpResponse:
    """The longest streaks of today, for everybody; and my rank."""
    return render(request, "signins/leaders.html", {"board": leaders.board(auth.viewer_id(request))})


@never_cache
@login_required
@require_GET
def points(request: PageRequest) -> HttpResponse:
    """Where my points came from and went; htmx gets the next rows alone."""
    page = pages.movements(auth.user_of(request), request.GET.get("cursor"))
    template = "signins/_points.html" if request.htmx else "signins/points.html"
    return render(request, template, {"entries": page.items, "next": page.next})
