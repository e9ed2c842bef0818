"""The pages of a person's notifications."""

import json
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.mailbox import broadcasts, copies, display, listing, push
from apps.mailbox.listing import Show
from apps.mailbox.models import Notification, Preferences
from apps.mailbox.notices import Delivery, Kind
from apps.web import htmx
from apps.web.form_state import KeepsOthersChanges
from apps.web.problems import Problem

#: What the form proposes to people without quiet hours.
USUAL_HOURS = (22, 8)
HOURS = [(hour, f"{hour:02}:00") for hour in range(24)]
#: The kinds as the page lists them, below a heading each.
KIND_GROUPS = (
    (gettext_lazy("People and notes"), (Kind.LIKE, Kind.COMMENT, Kind.REPLY, Kind.MENTION, Kind.FOLLOW)),
    (gettext_lazy("Orders and sales"), (Kind.ORDER, Kind.REFUND, Kind.SALE)),
    (gettext_lazy("Chats and the site"), (Kind.CHAT, Kind.REPORT, Kind.SITE)),
)


class PreferencesForm(KeepsOthersChanges, forms.Form):
    """A choice of each kind, and the quiet hours."""

    is_quiet = forms.BooleanField(label=gettext_lazy("No text messages at night"), required=False)
    quiet_from = forms.TypedChoiceField(label=gettext_lazy("Quiet from"), choices=HOURS, coerce=int)
    quiet_until = forms.TypedChoiceField(
        label=gettext_lazy("Until"),
        choices=HOURS,
        coerce=int,
        help_text=gettext_lazy("Text messages wait until then."),
    )

    def __init__(self, *args: Any, preferences: Preferences, **options: Any) -> None:
        chosen = (preferences.quiet_from, preferences.quiet_until)
        is_quiet = chosen[0] != chosen[1]
        hours = chosen if is_quiet else USUAL_HOURS
        options["initial"] = {"is_quiet": is_quiet, "quiet_from": hours[0], "quiet_until": hours[1]}
        super().__init__(*args, **options)
        for kind in Kind:
            self.fields[kind.value] = forms.ChoiceField(
                label=kind.label,
                choices=Delivery.choices,
                initial=preferences.delivery(kind),
                widget=forms.RadioSelect,
            )

    def kind_groups(self) -> list[tuple[str, list[forms.BoundField]]]:
        """The fields of the kinds: (heading, fields) pairs."""
        return [(str(title), [self[kind.value] for kind in kinds]) for title, kinds in KIND_GROUPS]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("is_quiet") and cleaned.get("quiet_from") == cleaned.get("quiet_until") is not None:
            self.add_error("quiet_until", gettext_lazy("Choose two different hours."))
        return cleaned

    def save(self, user_id: int) -> None:
        """Keep what a valid form says."""
        sent = self.cleaned_data
        hours = {name: sent[name] if sent["is_quiet"] else 0 for name in ("quiet_from", "quiet_until")}
        Preferences.objects.choose(user_id, {kind.value: sent[kind.value] for kind in Kind}, **hours)


SHOW_LABELS = {
    Show.ALL: gettext_lazy("All"),
    Show.UNREAD: gettext_lazy("Unread"),
    Show.LIKES: gettext_lazy("Likes"),
    Show.COMMENTS: gettext_lazy("Comments and mentions"),
    Show.FOLLOWERS: gettext_lazy("Followers"),
    Show.ORDERS: gettext_lazy("Orders and sales"),
    Show.SITE: gettext_lazy("From the site"),
}


@never_cache
@login_required
@require_safe
def show_list(request: HttpRequest) -> HttpResponse:
    """My notifications by day; htmx gets the rows of a further page."""
    cursor, show = request.GET.get("cursor"), listing.parse_show(request.GET.get("show", ""))
    page = listing.fetch_page(_user_id(request), cursor, show)
    template = "mailbox/_rows.html" if cursor and htmx.is_htmx(request) else "mailbox/list.html"
    today = timezone.localdate()
    context: dict[str, Any] = {"show": show, "labels": SHOW_LABELS.items(), "unread": page.unread}
    context |= {"items": display.build_items(page.entries, _user_id(request)), "next": page.next}
    return render(request, template, context | {"today": today, "yesterday": today - timedelta(days=1)})


@never_cache
@login_required
@require_safe
def open_notification(request: HttpRequest, number: int) -> HttpResponse:
    """Mark one as read and go to what it is about."""
    user_id = _user_id(request)
    rows = Notification.objects.filter(recipient=user_id, pk=number)
    urls = [item.url for item in display.build_items(copies.read_entries(rows, 1), user_id) if item.url]
    listing.mark_read(user_id, [number])
    if not urls:
        messages.info(request, _("What this was about is gone."))
    return redirect(urls[0] if urls else "mailbox:list")


@never_cache
@login_required
@require_safe
def show_broadcast(request: HttpRequest, number: int) -> HttpResponse:
    """A message of the site, and those before it marked as read."""
    user_id = _user_id(request)
    found = broadcasts.find_broadcast(number, user_id)
    listing.mark_read(user_id, broadcasts_to=found.pk)
    return render(request, "mailbox/broadcast.html", {"broadcast": found})


@login_required
@require_POST
def mark_all_read(request: HttpRequest) -> HttpResponse:
    """Mark everything as read and show the list again."""
    listing.mark_all_read(_user_id(request))
    return redirect("mailbox:list")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit_preferences(request: HttpRequest) -> HttpResponse:
    """How I receive each kind of notification, and my quiet hours."""
    user_id = _user_id(request)
    form = PreferencesForm(
        request.POST or None, preferences=Preferences.objects.of_people([user_id])[user_id]
    )
    if request.method == "POST" and form.is_valid():
        form.save(user_id)
        messages.success(request, _("Saved."))
        return redirect("mailbox:preferences")
    context: dict[str, Any] = {"form": form}
    if settings.VAPID_KEY:
        endpoints = json.dumps(push.list_endpoints(_login_id(request)))
        context |= {"push_key": settings.VAPID_KEY.public_text, "push_endpoints": endpoints}
    return render(request, "mailbox/preferences.html", context, status=422 if form.errors else 200)


@login_required
@require_POST
def subscribe(request: HttpRequest) -> HttpResponse:
    """Show my notifications in this browser from now on (js/push.js)."""
    sent = {name: request.POST.get(name, "") for name in ("endpoint", "p256dh", "secret")}
    push.subscribe(_login_id(request), **sent)
    return HttpResponse(status=204)


@login_required
@require_POST
def unsubscribe(request: HttpRequest) -> HttpResponse:
    """Show them here no more."""
    push.unsubscribe(_login_id(request), endpoint=request.POST.get("endpoint", ""))
    return HttpResponse(status=204)


def _login_id(request: HttpRequest) -> int:
    """The id of the log-in, which the middleware leaves on the request of a person who is logged in."""
    return int(request.auth.token_id)  # type: ignore[attr-defined]


def _user_id(request: HttpRequest) -> int:
    """The id of the logged-in person."""
    user_id = request.user.pk
    if user_id is None:
        raise Problem(401, "not_logged_in")
    return int(user_id)
