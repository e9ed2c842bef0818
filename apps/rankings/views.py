"""Pages of rankings: the best of each type in a city, and all places of one type."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from apps.front.documents.pages import shared_page
from apps.rankings import display
from apps.shops.geo import location
from apps.shops.lists import list_page
from apps.shops.models import ShopType


@require_safe
@shared_page
def index(request: HttpRequest) -> HttpResponse:
    """The best five of each type in the chosen city; a document for each city, as the home page."""
    place = location.from_request(request)
    about = _about(place) | {"sections": display.load_sections(place.city, list(ShopType.objects.all()))}
    response = render(request, "rankings/index.html", about)
    place.remember(response)
    return response


@require_safe
@shared_page
def of_type(request: HttpRequest, slug: str) -> HttpResponse:
    """The best fifty of one type in the chosen city; a document for each city."""
    kind, place = get_object_or_404(ShopType, slug=slug), location.from_request(request)
    about = {"kind": kind, "entries": display.load_entries(place.city, kind.pk)}
    about |= {"kinds": [(one.slug, one.icon, one.name) for one in ShopType.objects.all()]}
    response = render(request, "rankings/type.html", about | _about(place))
    place.remember(response)
    return response


def _about(place: location.Location) -> dict[str, object]:
    return {
        "city": place.city,
        "places": list_page.list_places(),
    }
