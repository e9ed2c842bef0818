"""The nodes of `{% once %}`: page fragments rendered once and cached, with placeholders that each page fills.

A fragment is cached under the values that it displays. A changed value makes another key, so nothing has to
be invalidated.
"""

import re
import secrets
from collections.abc import Mapping
from datetime import date
from typing import Any

from django import template
from django.template.base import FilterExpression, NodeList
from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

#: Characters of fragments that one node caches: hundreds of shops' pages, or five thousand cards. Past the
#: limit the node empties its cache, so that it can't fill the memory.
MAX_CACHED_CHARACTERS = 5_000_000
#: Types whose equality follows the text that they render.
PLAIN_TYPES = (str, int, float, date, Promise, type(None))
#: Marks a placeholder in a fragment's text; random, so that no person's text contains it.
_PLACEHOLDER_MARK = f"\x00{secrets.token_hex(8)}\x00"
_PLACEHOLDER_PATTERN = re.compile(f"{_PLACEHOLDER_MARK}([0-9]+);")


class PlaceholderNode(template.Node):
    """A part inside a cached fragment that is rendered with each page's own context."""

    # Empty: {% once %} refuses some nodes (get_nodes_by_type), but a placeholder may contain them.
    child_nodelists = ()

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: template.Context) -> SafeString:
        gaps: list[PlaceholderNode] | None = getattr(context, "gaps", None)
        if gaps is None:
            return self.nodelist.render(context)
        if self not in gaps:
            gaps.append(self)
        return mark_safe(f"{_PLACEHOLDER_MARK}{gaps.index(self)};")  # noqa: S308 - digits


class CachedFragment:
    """A fragment's rendered text, with placeholders."""

    def __init__(self, text: str, gaps: list[PlaceholderNode]) -> None:
        self._parts: list[str] = _PLACEHOLDER_PATTERN.split(text)
        self._order = [int(number) for number in self._parts[1::2]]
        self._gaps = gaps
        self.size = len(text)

    def fill(self, context: template.Context) -> SafeString:
        """The text with its placeholders filled; a placeholder that occurs twice is rendered once."""
        if not self._gaps:
            return SafeString(self._parts[0])
        drawn = [gap.render(context) for gap in self._gaps]
        parts = self._parts.copy()
        parts[1::2] = [drawn[number] for number in self._order]
        return SafeString("".join(parts))


class OnceNode(template.Node):
    """Renders its content once per language and combination of its values."""

    def __init__(self, nodelist: NodeList, values: Mapping[str, FilterExpression]) -> None:
        self.nodelist, self._values = nodelist, values
        self._drawn: dict[tuple[object, ...], CachedFragment] = {}
        self._size = 0

    def render(self, context: template.Context) -> SafeString:
        values = {name: value.resolve(context) for name, value in self._values.items()}
        # True, 1 and 1.0 are equal as keys of a dict but render three texts.
        key = (get_language(), *((type(value), value) for value in values.values()))
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._draw(context, values)
            self._keep(key, drawn)
        return drawn.fill(context)

    def _keep(self, key: tuple[object, ...], drawn: CachedFragment) -> None:
        # Without a lock, parallel threads may miscount the size by a fragment or two.
        if self._size > MAX_CACHED_CHARACTERS:
            self._drawn.clear()
            self._size = 0
        self._drawn[key] = drawn
        self._size += drawn.size

    def _draw(self, context: template.Context, values: dict[str, Any]) -> CachedFragment:
        for name, value in values.items():
            # A model instance is no key: it equals another one of the same id with other fields.
            if not is_cacheable(value):
                raise TypeError(f"once {name}={value!r:.50}: name the values of it that are shown")
        # A context with these values alone: other data of the page must not get into the cache.
        alone: Any = template.Context(values, autoescape=context.autoescape)
        alone.template, alone.gaps = context.template, []
        return CachedFragment(self.nodelist.render(alone), alone.gaps)


def is_cacheable(value: object) -> bool:
    """Whether the value can be a cache key: a plain value, or a tuple (a NamedTuple) of such.

    A tuple must not contain a SafeString: its key would equal that of the same text unescaped.
    """
    if isinstance(value, tuple):
        return all(is_cacheable(member) and not isinstance(member, SafeString) for member in value)
    return isinstance(value, PLAIN_TYPES)
