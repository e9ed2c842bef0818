"""Stop and go on, for campaigns and ads: the buttons of a page, and the actions of a list."""

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
from django.utils.translation import gettext as _

from apps.adminkit import history
from apps.ads import roles
from apps.redis_kit import client
from apps.web.problems import Problem, translation

#: A verb of ads.changes: (id, on=…).
Switch = Callable[..., object]
BUTTONS = {"stop": False, "resume": True}


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
    """Run the verb on one's own row and come back to its page."""
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
            history.record_changed(request, row, _("goes on") if on else _("stopped"))
            done += 1
    message = _("%d go on.") if on else _("%d stopped: nothing of it is shown or charged any more.")
    if done:
        messages.success(request, message % done)


@contextmanager
def show_refusals(request: HttpRequest) -> Iterator[None]:
    """Show a refusal that is raised inside the block as a message."""
    try:
        yield
    except (Problem, *client.UNAVAILABLE) as error:
        messages.error(request, translation.translate(error).detail)
