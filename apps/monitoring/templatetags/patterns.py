"""A template tag for links to the pages of key patterns."""

from django import template

from apps.monitoring import pattern_pages
from apps.redis_kit import schema

register = template.Library()


@register.simple_tag
def pattern_url(declaration: schema.Key) -> str:
    """`{% pattern_url key %}`: the URL of a declaration's page in the admin."""
    return pattern_pages.declaration_url(declaration)
