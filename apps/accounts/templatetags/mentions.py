"""Template filter of texts that mention people."""

from collections.abc import Iterable

from django import template
from django.utils.safestring import SafeString

from apps.accounts import mentions
from apps.accounts.mentions import Link

register = template.Library()


@register.filter
def mention_links(text: str, people: Iterable[Link]) -> SafeString:
    """`{{ note.text|mention_links:note.links }}`: the text with a link to each person it mentions."""
    return mentions.render_text(text, people)
