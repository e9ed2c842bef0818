"""Pages of check-ins: the calendar, the check-in button, make-ups, the leaderboard, my points."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.middleware import HtmxDetails

from apps.accounts import auth
from apps.signins import calendars, check_ins, display, limits, refusals
from apps.signins.streaks import leaderboard
from apps.web.problems import Problem


class HtmxRequest(HttpRequest):
    """A request as django_htmx's middleware annotates it."""

    htmx: HtmxDetails


@never_cache
@login_required
@require_GET
def calendar(request: HtmxRequest) -> HttpResponse:
    """The user's calendar; for htmx another month alone."""
    month = refusals.parse_month(request.GET["month"]) if request.GET.get("month") else None
    page = display.build_calendar(auth.require_user(request), month)
    template = "signins/_month.html" if request.htmx.target == "month" else "signins/calendar.html"
    return render(request, template, {"page": page})


@never_cache
@login_required
@require_POST
def check_in(request: HtmxRequest) -> HttpResponse:
    """Check in for today; htmx gets the part with the button again: the profile's card or the calendar."""
    user = auth.require_user(request)
    limits.charge(user.pk)
    result = check_ins.check_in_today(user.pk)
    message = display.checked_in(result)
    if not request.htmx:
        messages.success(request, message)
        return redirect("signins:calendar")
    context: dict[str, object] = {"check_in_result": result, "message": message}
    if request.htmx.target == "check-in-card":
        context["today"] = calendars.summarize_today(user.pk)
        return render(request, "signins/_check_in_card.html", context)
    context["page"] = display.build_calendar(user, None)
    return render(request, "signins/_calendar_page.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def make_up(request: HtmxRequest) -> HttpResponse:
    """GET shows the question, in a dialog or on its own page; POST makes up the day."""
    user, day = auth.require_user(request), refusals.parse_day(request.GET.get("day", ""))
    if request.method == "GET":
        template = "signins/_make_up.html" if request.htmx.target == "make-up" else "signins/make_up.html"
        return render(request, template, {"offer": display.build_make_up_offer(user, day)})
    try:
        limits.charge(user.pk)
        messages.success(request, display.made_up(check_ins.make_up(user, day)))
    except Problem as problem:
        messages.error(request, problem.detail)
    return redirect(f"{reverse('signins:calendar')}?month={day.year:04}-{day.month:02}")


@never_cache
@require_GET
def board(request: HttpRequest) -> HttpResponse:
    """The longest streaks of today, and the viewer's own rank."""
    return render(request, "signins/leaders.html", {"board": leaderboard.load(auth.viewer_id(request))})


@never_cache
@login_required
@require_GET
def points(request: HtmxRequest) -> HttpResponse:
    """The user's point entries, the newest first, and what points buy; for htmx the next rows alone."""
    user = auth.require_user(request)
    page = display.list_point_entries(user, request.GET.get("cursor"))
    about: dict[str, object] = {"entries": page.items, "next": page.next}
    if request.htmx:
        return render(request, "signins/_point_entries.html", about)
    return render(request, "signins/points.html", about | {"offer": display.build_points_offer(user)})
