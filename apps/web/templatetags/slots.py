"""`{% slot %}`: the content that other apps registered for a position on this page."""

from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils.safestring import SafeString, mark_safe

from apps.web.slots import find_slot

register = template.Library()


@register.simple_tag(takes_context=True)
def slot(context: RequestContext, name: str, subject: Any = None) -> SafeString:
    """The HTML of everything registered for slot `name`, about `subject`: `{% slot "shop" shop %}`."""
    parts = find_slot(name).render_all(context["request"], subject)
    return mark_safe("".join(parts))  # noqa: S308 - each part is escaped or safe already
