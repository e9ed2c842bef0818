"""Template tags for parts of pages: icons, addresses, photos, texts of one line."""

import re
from functools import lru_cache

from django import template
from django.conf import settings
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from apps.web import csp, object_urls

register = template.Library()
#: Icons that a process remembers.
MAX_CACHED_ICONS = 1_000


@register.simple_tag
@lru_cache(MAX_CACHED_ICONS)
def icon(name: str, cls: str = "", label: str = "") -> SafeString:
    """`{% icon "map" %}`: a symbol of the sprite; `label` says it to people who can't see it."""
    naming = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')  # noqa: S308
    sprite = static("img/icons.svg")
    return format_html('<svg class="icon {}" {}><use href="{}#{}"></use></svg>', cls, naming, sprite, name)


@register.simple_tag
@lru_cache(1)
def early_script() -> SafeString:
    """`{% early_script %}`: what must run before the first paint; the page's CSP knows it by its hash."""
    return mark_safe(f"<script>{csp.early_script()}</script>")  # noqa: S308 - a file of ours


@register.simple_tag
def site_name() -> str:
    """`{% site_name %}`: what the site is called."""
    return settings.SITE_NAME


@register.simple_tag
def version() -> str:
    """`{% version %}`: the software and its release, whatever the site is called."""
    return f"Savor {settings.VERSION}"


register.simple_tag(object_urls.build, name="address")


@register.simple_tag
def photo_viewer() -> SafeString:
    """`<ul {% photo_viewer %}>`: a group whose `a[data-photo]` js/viewer.js shows over the window."""
    texts = {
        "photos": "",
        "style": static("css/viewer.css"),
        "icons": static("img/icons.svg"),
        "label": _("Photos"),
        "number": _("Photo {n} of {all}"),
        "previous": _("Previous photo"),
        "next": _("Next photo"),
        "close": _("Close"),
        "from": _("From a note"),
        "more": _("More"),
        "report": _("Report"),
    }
    return format_html_join(" ", 'data-{}="{}"', texts.items())


@register.simple_block_tag
def oneline(content: str) -> SafeString:
    """`{% oneline %}…{% endoneline %}`: a text written over lines, as a title or an attribute wants it."""
    return mark_safe(re.sub("[ \n]+", " ", content).strip(" "))  # noqa: S308 - as safe as it was
