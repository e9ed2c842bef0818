from django import template

from apps.accounts import redirects

register = template.Library()


@register.simple_tag(takes_context=True)
def this_page(context: template.Context) -> str:
    """`{% this_page %}`: where a form without script leads back to, also when htmx draws it anew."""
    return redirects.page_of(context["request"])
