"""Pages of shops: home, list, map, detail and the drawn cover."""

from urllib.parse import urlencode

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
)
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_cookie, vary_on_headers
from django_htmx.middleware import HtmxDetails

from apps.accounts.pictures import files, uploads
from apps.front.documents.pages import same_refusal, shared_page
from apps.shops import detail_page
from apps.shops.covers import preview_files, scene
from apps.shops.geo import ground as map_ground
from apps.shops.geo import location
from apps.shops.lists import list_page, nearby, query_params


class PageRequest(HttpRequest):
    """A request with `htmx`, which django_htmx's middleware adds."""

    htmx: HtmxDetails


#: Shops on the home page: two rows on a desk, and markers that a map can still be read with.
MAX_HOME_SHOPS, MAX_MAP_SHOPS = 8, 60
COVER_CACHE_CONTROL = "public, max-age=604800, stale-while-revalidate=2592000"


@require_safe
@shared_page
def home(request: PageRequest) -> HttpResponse:
    """The chosen city's home page, or the first city's; htmx gets the parts that depend on the place."""
    return _render_list(request, "shops/home.html", "shops/_home_place.html", size=MAX_HOME_SHOPS)


@require_safe
@vary_on_cookie
@vary_on_headers("HX-Request")
def shop_list(request: PageRequest) -> HttpResponse:
    """The list around a place; with ?q= the search for shops, which this address was once."""
    if request.GET.get("q", "").strip():
        return redirect(search_url(request.GET), permanent=True)
    part = "shops/_cards.html" if request.GET.get("cursor") else "shops/_list_answer.html"
    return _render_list(request, "shops/list.html", part, size=nearby.PAGE_SIZE)


@cache_control(public=True, max_age=3_600)
@require_safe
def ground(_request: HttpRequest) -> JsonResponse:
    """What maps draw below their pins: water, green, streets, districts, and the tiles of the settings."""
    return JsonResponse(map_ground.build())


@require_safe
@vary_on_cookie
@vary_on_headers("HX-Request")
def shop_map(request: PageRequest) -> HttpResponse:
    return _render_list(request, "shops/map.html", "shops/_map_rows.html", size=MAX_MAP_SHOPS)


@require_safe
@same_refusal
@shared_page
def detail(request: HttpRequest, shop_id: int) -> HttpResponse:
    return render(request, "shops/detail.html", detail_page.context(request, query_params.load_shop(shop_id)))


@require_safe
def cover(request: HttpRequest, shop_id: int) -> HttpResponseBase:
    """The drawn cover as SVG, in other `colours` if a list names some; browsers cache it for a week."""
    look = query_params.load_shop(shop_id).look
    if chosen := request.GET.get("colours"):
        look = scene.parse_colours(look, chosen)
    etag = f'"{scene.DRAWING_VERSION}-{scene.drawing_name(look, shop_id)}-{look.colours}"'
    answer: HttpResponse = HttpResponseNotModified()
    if request.headers.get("If-None-Match") != etag:
        answer = HttpResponse(scene.draw(look, shop_id), content_type="image/svg+xml")
    answer["ETag"], answer["Cache-Control"] = etag, COVER_CACHE_CONTROL
    # Opened by itself it is a document: one that may load and run nothing.
    answer["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return answer


@require_safe
def cover_png(request: HttpRequest, shop_id: int) -> HttpResponseBase:
    """The drawn cover as PNG, in a `width` if one is named, for previews of links and others without SVG."""
    look, width = query_params.load_shop(shop_id).look, uploads.read_width(request)
    etag = f'"{scene.DRAWING_VERSION}-{scene.drawing_name(look, shop_id)}-{look.colours}-{width or "png"}"'
    answer: HttpResponseBase = HttpResponseNotModified()
    if request.headers.get("If-None-Match") != etag:
        path = preview_files.find_or_draw(look, shop_id, width)
        answer = files.file_response(path, content_type="image/png")
        if isinstance(answer, HttpResponseRedirect):
            # To a bucket: its address is good for a day.
            return answer
    answer["ETag"], answer["Cache-Control"] = etag, COVER_CACHE_CONTROL
    return answer


def search_url(given: QueryDict) -> str:
    """The search for shops with the words and the type of an old address."""
    pairs = {"q": given["q"], "kind": "shops", "type": given.get("type", "")}
    return f"{reverse('search:results')}?{urlencode({name: text for name, text in pairs.items() if text})}"


def _render_list(request: PageRequest, whole: str, part: str, *, size: int) -> HttpResponse:
    """The page; htmx gets the part alone, and the address that its filters have."""
    if better := location.address_without_position(request) or list_page.address_in_new_city(request):
        return location.remember(request, redirect(better))
    is_part = bool(request.htmx) and not request.htmx.history_restore_request
    # The map says how many there are when it can't show all, and the button of the filters after each change.
    is_map = size == MAX_MAP_SHOPS
    is_counted = is_map or request.htmx.trigger == "shop-filters"
    found = list_page.context(request, size=size, is_counted=is_counted, is_map=is_map)
    response = render(request, part if is_part else whole, found | {"is_part": is_part})
    if is_part and request.htmx.trigger == "shop-filters":
        response["HX-Push-Url"] = list_page.address(request)
    found["choice"].place.remember(response)
    return response


@files.public_picture
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """A shop's uploaded picture, in a `width` if one is named; its name changes with it."""
    return uploads.respond(request, "shops", name)
