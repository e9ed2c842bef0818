"""Serves and uploads photos of notes."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from apps.accounts import auth
from apps.accounts.pictures import files, uploads
from apps.blog import access
from apps.blog.writing import photos
from apps.web.problems import Problem


@files.public_picture
@require_safe
def serve_photo(request: HttpRequest, name: str) -> HttpResponseBase:
    """Return a photo's file by its unguessable name, large, small (with "-card"), or in a `width`."""
    access.visible_photo(name[:32])
    return uploads.respond(request, photos.FOLDER, name)


@require_POST
@never_cache
def upload_photo(request: HttpRequest) -> HttpResponse:
    """Store a photo sent by the editor's script; returns JSON: 201 with `id` and `card_url`, or a problem."""
    try:
        user = auth.require_user(request)
        sent: Any = request.FILES.get("photo")
        if sent is None:
            raise Problem(422, "invalid", _("Add at least one photo."))
        kept = photos.upload(user, sent)
    except Problem as why:
        return why.as_json()
    return JsonResponse({"id": kept.pk, "card_url": kept.card_url}, status=201)
