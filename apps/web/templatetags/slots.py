from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils.safestring import SafeString, mark_safe

from apps.web import slots as places

register = template.Library()


@register.simple_tag(takes_context=True)
def slot(context: RequestContext, name: str, subject: Any = None) -> SafeString:
    """`{% slot "shop" shop %}`: what other apps registered for this place."""
    shown = places.find_slot(name).rendered(context["request"], subject)
    return mark_safe("".join(shown))  # noqa: S308 - each part is escaped or safe already
