from django import template
from django.template.context import RequestContext
from django.utils.safestring import SafeString, mark_safe

from apps.shops import panels as registry
from apps.shops.models import Shop

register = template.Library()


@register.simple_tag(takes_context=True)
def panels(context: RequestContext, place: registry.Place, shop: Shop | None = None) -> SafeString:
    """`{% panels "shop" shop %}`: what other apps registered for this place."""
    shown = registry.rendered(place, context["request"], shop)
    return mark_safe("".join(shown))  # noqa: S308 - each part is escaped or safe already
