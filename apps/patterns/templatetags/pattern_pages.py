"""Where pages explain Redis keys: `{% load pattern_pages %}`."""

from django import template

from apps.patterns import registry
from apps.redis_kit import schema
from apps.web.page_parts import leave_out_failures

register = template.Library()


@register.simple_tag
def pattern_page(declaration: schema.Key) -> str:
    """`{% pattern_page key as url %}`: the URL of the page that explains keys of a declaration, or ""."""
    return registry.find_page(declaration)


leave_out_failures(register, "pattern_page")
