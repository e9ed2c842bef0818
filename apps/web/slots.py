"""Places on a page that higher apps fill: the app that owns the page asks for no other by name."""

import logging
from bisect import insort
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any, Generic, TypeVar

from django.http import HttpRequest
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

Subject = TypeVar("Subject")
#: What the page is about (a shop, a person), or None.
Renderer = Callable[[HttpRequest, Subject], str | SafeString]

log = logging.getLogger(__name__)
_slots: dict[str, "Slot[Any]"] = {}


class Slot(Generic[Subject]):
    """`{% slot "shop" shop %}` on a page shows what its `Slot` has registered, lowest order first."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._renders: list[tuple[int, Renderer[Subject]]] = []
        _slots[name] = self

    def register(self, render: Renderer[Subject], *, order: int = 50) -> None:
        """Show what `render(request, subject)` returns ("" shows nothing); plain text is escaped."""
        if render not in self._known():
            insort(self._renders, (order, render), key=itemgetter(0))

    def unregister(self, render: Renderer[Subject]) -> None:
        """Take a panel away again."""
        self._renders = [pair for pair in self._renders if pair[1] != render]

    def rendered(self, request: HttpRequest, subject: Subject) -> Iterator[SafeString]:
        """What the panels show; one that fails is logged and left out, the page survives."""
        for render in self._known():
            try:
                shown = conditional_escape(render(request, subject))
            except Exception:  # another app's code: whatever it raises, this page goes on
                log.exception("the %s panel %s failed", self.name, getattr(render, "__qualname__", render))
                continue
            if shown.strip():
                yield shown

    def _known(self) -> list[Renderer[Subject]]:
        return [render for _, render in self._renders]


def find_slot(name: str) -> Slot[Any]:
    """The slot of that name; KeyError when no app has made one."""
    return _slots[name]
