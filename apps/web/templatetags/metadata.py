"""The template tag of what a page says of itself to machines."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from apps.web import page_metadata as metadata
from apps.web.page_metadata import PageMetadata

register = template.Library()


@register.simple_tag(takes_context=True)
def page_metadata(
    context: dict[str, Any], about: PageMetadata | None = None, *, title: str = "", description: str = ""
) -> SafeString:
    """`{% page_metadata about %}`, or for a list `{% page_metadata title=heading %}`."""
    request = context["request"]
    about = about or PageMetadata(title=title, description=description)
    return metadata.render(
        about, url=request.build_absolute_uri(request.path), build_url=request.build_absolute_uri
    )
