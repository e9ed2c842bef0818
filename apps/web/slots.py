"""Slots: named positions on a page whose content higher apps register."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from django.http import HttpRequest
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from apps.web.registry import Registry

Subject = TypeVar("Subject")
#: Returns the HTML for one subject (a shop, a person, None); plain text is escaped, "" shows nothing.
Renderer = Callable[[HttpRequest, Subject], str | SafeString]

_slots_by_name: dict[str, "Slot[Any]"] = {}


class Slot(Registry[Renderer[Subject]]):
    """A position that `{% slot "shop" shop %}` names; its renderers show something, lowest order first."""

    def __init__(self, name: str) -> None:
        if name in _slots_by_name:
            raise ValueError(f"there is a slot {name!r} already")
        super().__init__(f"slot {name}")
        _slots_by_name[name] = self

    def render_all(self, request: HttpRequest, subject: Subject) -> Iterator[SafeString]:
        """The HTML of each renderer that shows something; one that fails is logged and left out."""
        for text in self.call_each(request, subject):
            html = conditional_escape(text)
            if html.strip():
                yield html


def find_slot(name: str) -> Slot[Any]:
    """The slot of that name; KeyError when no app has made one."""
    return _slots_by_name[name]
