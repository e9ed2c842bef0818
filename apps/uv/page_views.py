"""Decides which responses are pages that a person looks at."""

import re
from functools import lru_cache

from django.http import HttpRequest
from django.http.response import HttpResponseBase

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


#: The headers that `is_opened_by_person` takes, in its order.
HEADERS = ("User-Agent", "Sec-Fetch-Dest", "HX-Request", "HX-Boosted", *PREFETCH_HEADERS)


def is_page_view(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the response is a whole HTML page that was found and that a person opened."""
    return (
        response.status_code == 200
        and request.method == "GET"
        and response.get("Content-Type", "").startswith("text/html")
        and not request.path_info.startswith(EXCLUDED_PATHS)
        and is_opened_by_person(*map(request.headers.get, HEADERS))
    )


# The same few thousand browsers come again, and a search takes as long as a query.
@lru_cache(5_000)
def is_opened_by_person(
    agent: str | None,
    destination: str | None,
    htmx_request: str | None,
    htmx_boosted: str | None,
    *purposes: str | None,
) -> bool:
    """False for programs, parts of pages, requests of scripts and prefetches; takes the values of HEADERS."""
    if any((purpose or "").lower().startswith(("prefetch", "preview")) for purpose in purposes):
        return False
    is_page = destination in (None, "document") if htmx_request is None else htmx_boosted == "true"
    return is_page and not is_bot(agent or "")


def is_bot(agent: str) -> bool:
    """Whether a User-Agent is missing or names a program."""
    return not agent or BOT_PATTERN.search(agent) is not None
