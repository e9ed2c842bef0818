"""The pages of search: results, and the reader's recent searches."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import auth
from apps.redis_kit import client
from apps.search import limits
from apps.search.pages import parameters, result_page, ways_on
from apps.search.pages.parameters import Choices
from apps.search.pages.result_page import ResultPage
from apps.search.words import recent_searches, search_counts
from apps.shops.views import PageRequest
from apps.uv import recent
from apps.web.problems import Problem


@require_safe
@never_cache
def results(request: PageRequest) -> HttpResponse:
    """The page of a search; htmx gets the answer alone, and with ?cursor= only the hits after it."""
    choices = parameters.parse(request)
    if choices.is_empty:
        return render(request, "search/start.html", {"choices": choices, "ways": ways_on.build(request)})
    limits.charge_search(request, auth.viewer_id(request))
    found = result_page.build(request, choices)
    if not choices.cursor:
        _note_search(request, found)
    ways = None if found.hit_count else ways_on.build(request, choices.text)
    answer = render(request, _template(request, choices), {"choices": choices, "found": found, "ways": ways})
    if not choices.cursor:
        answer["HX-Push-Url"] = choices.address
    return answer


@require_POST
@never_cache
def forget(request: PageRequest) -> HttpResponse:
    """Remove ?q= from the reader's recent searches, or all of them."""
    owner, text = recent.request_owner(request), request.POST.get("q", "")
    try:
        if text:
            recent_searches.remove(owner, parameters.parse_text(text))
        else:
            recent_searches.clear(owner)
    except client.UNAVAILABLE as error:
        sentence = _("Your searches could not be removed. Try again in a moment.")
        raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "busy", sentence, retry_after=3) from error
    if request.htmx:
        return render(request, "search/_recent.html", {"recent": recent_searches.newest(owner)})
    return redirect("search:results")


def _template(request: PageRequest, choices: Choices) -> str:
    """The whole page, or the part that htmx asks for."""
    if not request.htmx or request.htmx.history_restore_request:
        return "search/results.html"
    return "search/_hits.html" if choices.cursor else "search/_answer.html"


def _note_search(request: HttpRequest, found: ResultPage) -> None:
    """Remember the text for this reader and count it; lists without a text are no searches."""
    choices, page = found.choices, found.page
    if choices.text and not page.is_wordless:
        recent_searches.remember(recent.request_owner(request), choices.text)
        search_counts.count(request, choices.text, hits=found.hit_count, city=found.place.city)
    search_counts.count_slow(result_page.describe(choices), page.took_ms)
