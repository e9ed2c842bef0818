"""What a page says of itself to search engines and to those who show a preview of a link.

Sources: ogp.me; schema.org in JSON-LD, whose data blocks are never executed, so that the CSP lets them be.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

#: What must not stand in a script element as it is.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04X}" for sign in "<>&\u2028\u2029"}
#: Of pages without a picture of their own; like every picture of a preview no SVG, which none shows.
SITE_PICTURE = "img/preview.png"
#: Longer descriptions are cut by whoever shows them.
MAX_DESCRIPTION = 200


@dataclass(frozen=True, kw_only=True)
class PageMetadata:
    """A page's title, description, picture (a path, no SVG), Open Graph `kind`, and `data` for schema.org.

    Paths in `data` under "url" and "image" are made absolute.
    """

    title: str
    description: str = ""
    image: str = ""
    kind: str = "website"
    data: dict[str, Any] | None = None


def render(about: PageMetadata, *, url: str, build_url: Callable[[str], str]) -> SafeString:
    """The elements for a page's head; `build_url` makes a path absolute."""
    properties = {
        "og:site_name": settings.SITE_NAME,
        "og:type": about.kind,
        "og:title": about.title,
        "og:description": about.description[:MAX_DESCRIPTION],
        "og:url": url,
        "og:image": build_url(about.image or static(SITE_PICTURE)),
    }
    lines = ((name, value) for name, value in properties.items() if value)
    tags = format_html_join("\n", '<meta property="{}" content="{}">', lines)
    size = "summary_large_image" if about.image else "summary"
    tags += format_html('\n<meta name="twitter:card" content="{}">', size)
    return tags if about.data is None else format_html("{}\n{}", tags, _render_data(about.data, build_url))


def _render_data(data: dict[str, Any], build_url: Callable[[str], str]) -> SafeString:
    whole = {"@context": "https://schema.org"} | _with_absolute_urls(data, build_url)
    text = json.dumps(whole, ensure_ascii=False).translate(_ESCAPES)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 - escaped above


def _with_absolute_urls(value: Any, build_url: Callable[[str], str], name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _with_absolute_urls(one, build_url, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_with_absolute_urls(one, build_url, name) for one in value]
    is_path = name in ("url", "image") and isinstance(value, str) and value.startswith("/")
    return build_url(value) if is_path else value
