"""What a person saved: shops, notes, lists."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts import auth
from apps.saves import lists
from apps.saves.display import pages, tabs
from apps.web import htmx


@never_cache
@login_required
@require_safe
def saved(request: HttpRequest) -> HttpResponse:
    """Tabs of one's saved shops, notes and lists; htmx gets the next rows."""
    user, tab = auth.require_user(request), tabs.requested(request)
    if tab == "lists":
        deleted = lists.list_restorable(user.pk)
        content = {"tab": tab, "lists": pages.list_rows(user.pk), "deleted": deleted}
        return render(request, "saves/mine.html", content)
    page = pages.page_of_person(user.pk, tabs.KINDS[tab], cursor=request.GET.get("cursor", ""))
    template = "saves/_rows.html" if htmx.is_htmx(request) else "saves/mine.html"
    return render(request, template, {"tab": tab, "removable": True} | tabs.rows_context(request, page))
