"""Parts of pages that look the same on many: drawn once, then said again."""

from datetime import date
from functools import lru_cache

from django import template
from django.template.base import FilterExpression, NodeList, Parser, Token, token_kwargs
from django.template.defaulttags import CsrfTokenNode
from django.template.loader_tags import BlockNode
from django.templatetags.static import static
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from apps.slots import addresses

register = template.Library()
#: Drawings that one place keeps; past it it starts over, since a page must not fill memory.
MOST = 1_000
#: What is told apart by what it says.
PLAIN = (str, int, float, date, Promise, type(None))


@register.simple_tag
@lru_cache(MOST)
def icon(name: str, cls: str = "", label: str = "") -> SafeString:
    """`{% icon "map" %}`: a symbol of the sprite; `label` says it to people who can't see it."""
    said = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')  # noqa: S308
    sprite = static("img/icons.svg")
    return format_html('<svg class="icon {}" {}><use href="{}#{}"></use></svg>', cls, said, sprite, name)


register.simple_tag(addresses.of, name="address")


class OnceNode(template.Node):
    """Draws what it holds once a language and once for each combination of its values."""

    def __init__(self, nodelist: NodeList, values: dict[str, FilterExpression]) -> None:
        self.nodelist, self._values = nodelist, values
        self._drawn: dict[tuple[object, ...], SafeString] = {}

    def render(self, context: template.Context) -> SafeString:
        values = {name: value.resolve(context) for name, value in self._values.items()}
        # True, 1 and 1.0 are one key of a dict, and three texts.
        key = (get_language(), *((type(value), value) for value in values.values()))
        drawn = self._drawn.get(key)
        if drawn is None:
            if len(self._drawn) >= MOST:
                self._drawn.clear()
            drawn = self._drawn[key] = self._draw(context, values)
        return drawn

    def _draw(self, context: template.Context, values: dict[str, object]) -> SafeString:
        for name, value in values.items():
            # A row is equal to itself whatever became of its fields.
            if not isinstance(value, PLAIN):
                raise TypeError(f"once {name}={value!r:.50}: name the values of it that are shown")
        # A context of its own: whatever else the page knows can't get in.
        alone = template.Context(values, autoescape=context.autoescape)
        alone.template = context.template
        return self.nodelist.render(alone)


@register.tag
def once(parser: Parser, token: Token) -> OnceNode:
    """`{% once here=here %}…{% endonce %}`: drawn once for each `here`, knowing nothing else of the page."""
    words = token.split_contents()[1:]
    values = token_kwargs(words, parser)
    if words:
        raise template.TemplateSyntaxError(f"once takes name=value, not {words[0]!r}")
    nodelist = parser.parse(("endonce",))
    parser.delete_first_token()
    for kind in (BlockNode, CsrfTokenNode):
        if nodelist.get_nodes_by_type(kind):
            raise template.TemplateSyntaxError(f"{kind.__name__} differs from page to page: not inside once")
    return OnceNode(nodelist, values)
