"""The link of an ad, and its picture."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from apps.accounts.pictures import files, uploads
from apps.ads import display
from apps.ads.models import Ad


@require_safe
@never_cache
def follow(request: HttpRequest, ad_id: int, ticket: str) -> HttpResponse:
    """Count the click and go where the ad leads; a click that can't be counted goes there too."""
    ad = get_object_or_404(Ad.objects.select_related("shop"), pk=ad_id)
    display.record_click(request, ticket)
    return HttpResponse(status=302, headers={"Location": ad.target_url, "Referrer-Policy": "origin"})


@files.public_picture
@require_safe
def picture(request: HttpRequest, name: str) -> HttpResponseBase:
    """An ad's picture by its unguessable name, in a `width` if one is named."""
    return uploads.respond(request, "ads", name)
