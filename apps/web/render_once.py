"""Parts of a page that are drawn once for all who would see the same, with gaps for what is each page's own.

A drawing is kept under the values it shows, so nothing has to be dropped when one of them changes.
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

#: Characters of the drawings that one place keeps, hundreds of shops' pages or five thousand cards; past it
#: it starts over, since pages must not fill memory.
MAX_CACHED_CHARACTERS = 5_000_000
#: What is told apart by what it says.
PLAIN_TYPES = (str, int, float, date, Promise, type(None))
#: Stands where a gap is while a drawing is made: nobody's text can hold it.
_PLACEHOLDER_MARK = f"\x00{secrets.token_hex(8)}\x00"
_PLACEHOLDER_PATTERN = re.compile(f"{_PLACEHOLDER_MARK}([0-9]+);")


class PlaceholderNode(template.Node):
    """A part inside a cached fragment that is rendered with each page's own context."""

    # What may not be drawn once may stand here.
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
    """Rendered text with placeholders."""

    def __init__(self, text: str, gaps: list[PlaceholderNode]) -> None:
        self._parts: list[str] = _PLACEHOLDER_PATTERN.split(text)
        self._order = [int(number) for number in self._parts[1::2]]
        self._gaps = gaps
        self.size = len(text)

    def fill(self, context: template.Context) -> SafeString:
        """Each gap is drawn once, however often it occurs."""
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
        # True, 1 and 1.0 are one key of a dict, and three texts.
        key = (get_language(), *((type(value), value) for value in values.values()))
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._draw(context, values)
            self._keep(key, drawn)
        return drawn.fill(context)

    def _keep(self, key: tuple[object, ...], drawn: CachedFragment) -> None:
        # Threads may count past one another: by a drawing or two.
        if self._size > MAX_CACHED_CHARACTERS:
            self._drawn.clear()
            self._size = 0
        self._drawn[key] = drawn
        self._size += drawn.size

    def _draw(self, context: template.Context, values: dict[str, Any]) -> CachedFragment:
        for name, value in values.items():
            # A row is equal to itself whatever became of its fields.
            if not is_cacheable(value):
                raise TypeError(f"once {name}={value!r:.50}: name the values of it that are shown")
        # A context of its own: whatever else the page knows can't get in.
        alone: Any = template.Context(values, autoescape=context.autoescape)
        alone.template, alone.gaps = context.template, []
        return CachedFragment(self.nodelist.render(alone), alone.gaps)


def is_cacheable(value: object) -> bool:
    """Whether it is told apart by what it says; a tuple (a NamedTuple) by its members.

    A member is never marked as safe: what is safe and what is not would be one key.
    """
    if isinstance(value, tuple):
        return all(is_cacheable(member) and not isinstance(member, SafeString) for member in value)
    return isinstance(value, PLAIN_TYPES)
