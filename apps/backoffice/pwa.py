"""The site as an installed app: web app manifest, service worker, and the page that it shows offline."""

import hashlib
import json
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import require_safe

#: The light theme's background and brand (css/tokens.css).
BACKGROUND, BRAND = "#faf6f2", "#c4351a"

#: What the page is made of; tests/browser/test_offline.py finds what is missing.
ASSETS = (
    *("css/site.css", "css/errors.css", "css/offline.css"),
    *("fonts/figtree.woff2", "fonts/bricolage.woff2", "img/mark.svg"),
    *("js/offline_page.js", "js/draft_store.js"),
)
#: Beginnings of paths at which a POST changes who reads: what is kept of a person goes.
LOG_IN_PATHS = ("/login/", "/logout/", "/me/sessions/", "/me/delete/", "/api/auth/")
#: Beginnings of paths that have no page for offline: the admin has its own log-in, the API answers programs.
LEFT_ALONE = ("/admin/", "/api/")


@require_safe
@cache_control(public=True, max_age=86_400)
def manifest(_request: HttpRequest) -> JsonResponse:
    """The manifest, for everybody alike: in the site's own language."""
    with translation.override(settings.LANGUAGE_CODE):
        description = _("Shops near you, and coupons worth running for.")
    icons = [
        {"src": static("img/mark.svg"), "sizes": "any", "type": "image/svg+xml"},
        {
            "src": static("img/icon-maskable.svg"),
            "sizes": "any",
            "type": "image/svg+xml",
            "purpose": "maskable",
        },
    ]
    body = {
        "name": settings.SITE_NAME,
        "short_name": settings.SITE_NAME,
        "description": description,
        "lang": settings.LANGUAGE_CODE,
        "start_url": "/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": BRAND,
        "icons": icons,
    }
    return JsonResponse(
        body, content_type="application/manifest+json", json_dumps_params={"ensure_ascii": False}
    )


class Release(NamedTuple):
    """The worker's script; `name` is another one for each change of the script or of an asset."""

    name: str
    script: bytes


@require_safe
@cache_control(no_cache=True)
def service_worker(_request: HttpRequest) -> HttpResponse:
    """The worker's script, for everybody alike; its place at the root lets it answer for all pages."""
    return HttpResponse(read_release().script, content_type="text/javascript; charset=utf-8")


@never_cache
@require_safe
def offline_page(request: HttpRequest) -> HttpResponse:
    """What the reader has when the network is away: coupons with their codes, saved shops, drafts.

    The headers tell the worker whose page it is, and of which release.
    """
    response = render(request, "offline/page.html", {"now": timezone.now()})
    response["Savor-Reader"] = str(request.user.pk or 0)
    response["Savor-Release"] = read_release().name
    return response


@cache
def read_release() -> Release:
    """The worker of this process's release; with DEBUG, without fingerprints, it keeps no files."""
    source = (settings.BASE_DIR / "templates/offline/service_worker.js").read_text(encoding="utf-8")
    known = {
        "assets": [] if settings.DEBUG else [static(name) for name in ASSETS],
        "page": reverse("offline"),
        "icon": static("img/mark.svg"),
        "languages": [code for code, _name in settings.LANGUAGES],
        "log_in_paths": LOG_IN_PATHS,
        "left_alone": LEFT_ALONE,
    }
    digest = hashlib.sha256(json.dumps([settings.VERSION, known, source]).encode()).hexdigest()
    name = digest[:12]
    return Release(name, f"const RELEASE = {json.dumps({'name': name} | known)};\n{source}".encode())
