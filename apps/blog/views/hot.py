"""The public list of notes: hottest or newest."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from apps.blog import refusals
from apps.blog.display import hot_list, note_lists
from apps.front.documents.pages import shared_page
from apps.web import htmx


@require_GET
@vary_on_headers("HX-Request")
@shared_page
def show_list(request: HttpRequest) -> HttpResponse:
    """Render a page of all published notes: the hottest first, or with ?tab=new the newest."""
    tab = request.GET.get("tab", "")
    tab = tab if tab in hot_list.TABS else ""
    page = refusals.refuse_bad_cursor(lambda: hot_list.list_page(tab, cursor=request.GET.get("cursor")))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/hot_notes.html"
    return render(request, template, {"tab": tab} | note_lists.page_context(request, page))
