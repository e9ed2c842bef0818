"""Template filter for texts whose found words are marked."""

from collections.abc import Collection, Iterable

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from apps.search.text import marks
from apps.search.text.marks import Part
from apps.web.templatetags.languages import lang

register = template.Library()


@register.filter
def marked(parts: Iterable[Part]) -> SafeString:
    """`{{ hit.title|marked }}`: the text, escaped, with its found words in `<mark>`."""
    texts = [format_html("<mark>{}</mark>" if part.is_marked else "{}", part.text) for part in parts]
    return mark_safe("".join(texts))  # noqa: S308 - each part is escaped


@register.filter
def mark_words(text: str, words: Collection[str]) -> SafeString:
    """`{{ shop.address|mark_words:found.page.words }}`: a text with the words of a search in `<mark>`."""
    return marked(marks.mark(text, words))


@register.filter
def lang_of(parts: Iterable[Part]) -> SafeString:
    """`<h3 {{ hit.title|lang_of }}>`: the lang attribute of a text not in the page's language, or ""."""
    return lang("".join(part.text for part in parts))
