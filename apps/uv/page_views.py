"""Decides which responses are pages that a person looks at."""

import re
from functools import lru_cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from apps.web.htmx import is_htmx

#: Not for visitors: managers' pages, and the API with its documentation.
EXCLUDED_PATHS = ("/admin/", "/api/")
#: Headers by which browsers say that nobody has asked for the page yet.
PREFETCH_HEADERS = ("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz")
#: Programs that name themselves (Cubot makes phones). Headless browsers aren't: they see what people see.
BOT_PATTERN = re.compile(
    r"(?<!cu)bot\b|bot[/;_-]|crawl|spider|slurp|archiver|preview|monitor|uptime|pingdom|lighthouse|facebookexternalhit|"
    r"whatsapp|feedfetcher|mediapartners|curl|wget|python|httpx|aiohttp|go-http|java/|okhttp|ruby|perl|php/|"
    r"node-fetch|axios|postman|scrapy|httpclient",
    re.IGNORECASE,
)


def is_page_view(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the response is a whole HTML page that was found and that a person opened."""
    return (
        response.status_code == 200
        and request.method == "GET"
        and response.get("Content-Type", "").startswith("text/html")
        and not request.path_info.startswith(EXCLUDED_PATHS)
        and is_navigation(request)
        and not is_bot(request.headers.get("User-Agent", ""))
    )


def is_navigation(request: HttpRequest) -> bool:
    """False for parts of pages, requests of scripts and prefetches."""
    if any(
        request.headers.get(name, "").lower().startswith(("prefetch", "preview")) for name in PREFETCH_HEADERS
    ):
        return False
    if is_htmx(request):
        return request.headers.get("HX-Boosted") == "true"
    return request.headers.get("Sec-Fetch-Dest", "document") == "document"


# The same few thousand browsers come again, and a search takes as long as a query.
@lru_cache(5_000)
def is_bot(agent: str) -> bool:
    """Whether a User-Agent is missing or names a program."""
    return not agent or BOT_PATTERN.search(agent) is not None
