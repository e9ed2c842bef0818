"""The web app manifest: what a phone calls the site when somebody puts it on the home screen."""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

#: The light theme's background and brand (css/tokens.css).
BACKGROUND, BRAND = "#faf6f2", "#c4351a"


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
