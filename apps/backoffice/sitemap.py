"""robots.txt and the sitemap: the pages of shops, notes and vouchers for search engines.

A part of the sitemap is a range of ids, so that the last one costs what the first one does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.blog.models import Note
from apps.coupons.models import Voucher
from apps.shops.models import Shop
from apps.web import object_urls

#: Ids in a part; the protocol allows 50,000 addresses.
PART_SIZE = 5_000
#: Crawlers and caches in front of the site keep the answers for so long.
CACHE_CONTROL = "public, max-age=3600"
#: What is somebody's own, or changes something.
PRIVATE_PATHS = ("/admin/", "/api/", "/i18n/", "/login/", "/me/", "/orders/", "/feed/")
XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


@dataclass(frozen=True)
class Kind:
    """One kind of page: the URL of an object's page, and the objects that everybody may see."""

    view: str
    public_rows: Callable[[], QuerySet[Any]]


KINDS = {
    "shops": Kind("shops:detail", lambda: Shop.objects.open_to_public()),
    "notes": Kind("blog:note", lambda: Note.objects.published()),
    "vouchers": Kind("coupons:sale", lambda: Voucher.objects.offered()),
}
LISTS = (
    *("home", "shops:list", "rankings:index", "coupons:sales", "blog:hot", "patterns:index"),
    *("backoffice:help", "backoffice:privacy", "backoffice:terms", "backoffice:imprint"),
)


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """robots.txt: what crawlers leave alone, and where the sitemap is."""
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in PRIVATE_PATHS)]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return _respond("\n".join(lines) + "\n", "text/plain; charset=utf-8")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """The list of the sitemap's parts."""
    paths = [reverse("sitemap_lists"), *_part_paths()]
    return _respond(_xml(request, "sitemapindex", "sitemap", paths))


@require_safe
def lists(request: HttpRequest) -> HttpResponse:
    """The addresses of the pages that list others."""
    return _respond(_xml(request, "urlset", "url", map(reverse, LISTS)))


@require_safe
def part(request: HttpRequest, kind: str, number: int) -> HttpResponse:
    """The addresses of the objects of a kind with ids in the range of this number, counted from 1."""
    if kind not in KINDS:
        raise Http404
    found, last = KINDS[kind], number * PART_SIZE
    rows = found.public_rows().filter(pk__gt=last - PART_SIZE, pk__lte=last).order_by("pk")
    paths = (object_urls.build(found.view, pk) for pk in rows.values_list("pk", flat=True))
    return _respond(_xml(request, "urlset", "url", paths))


def _part_paths() -> Iterator[str]:
    for name, kind in KINDS.items():
        last = kind.public_rows().aggregate(last=Max("pk"))["last"] or 0
        for number in range(1, -(-last // PART_SIZE) + 1):
            yield reverse("sitemap_part", args=[name, number])


def _xml(request: HttpRequest, root: str, element: str, paths: Any) -> str:
    # A host that passed ALLOWED_HOSTS and paths of our own hold nothing to escape.
    origin = f"{request.scheme}://{request.get_host()}"
    lines = "".join(f"<{element}><loc>{origin}{path}</loc></{element}>\n" for path in paths)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} {XMLNS}>\n{lines}</{root}>\n'


def _respond(text: str, content_type: str = "application/xml") -> HttpResponse:
    return HttpResponse(text, content_type=content_type, headers={"Cache-Control": CACHE_CONTROL})
