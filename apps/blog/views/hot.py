from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_cookie, vary_on_headers

from apps.blog import asked, cards, hot, refusals


@require_GET
@vary_on_cookie
@vary_on_headers("HX-Request")
def notes(request: HttpRequest) -> HttpResponse:
    """Everybody's notes: hot, or ?tab=new."""
    tab = request.GET.get("tab", "")
    tab = tab if tab in hot.TABS else ""
    page = refusals.paged(lambda: hot.page(tab, cursor=request.GET.get("cursor")))
    template = "blog/_notes.html" if asked.by_htmx(request) else "blog/hot.html"
    return render(request, template, {"tab": tab} | cards.wall(request, page))
