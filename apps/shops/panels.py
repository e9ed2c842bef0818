"""Places on the shop pages that higher apps fill: shops asks for no app by name."""

import logging
from collections.abc import Callable, Iterator
from typing import Literal

from django.http import HttpRequest
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString

from apps.shops.models import Shop

Place = Literal["home", "shop"]
Render = Callable[[HttpRequest, Shop | None], str | SafeString]

log = logging.getLogger(__name__)
_renders: dict[Place, list[Render]] = {"home": [], "shop": []}


def register(place: Place, render: Render) -> None:
    """Show what `render(request, shop)` returns ("" shows nothing); plain text is escaped."""
    if render not in _renders[place]:
        _renders[place].append(render)


def unregister(place: Place, render: Render) -> None:
    """Take a panel away again."""
    _renders[place].remove(render)


def rendered(place: Place, request: HttpRequest, shop: Shop | None = None) -> Iterator[SafeString]:
    """What the registered panels show; one that fails is logged and left out, the page survives."""
    for render in _renders[place]:
        try:
            shown = conditional_escape(render(request, shop))
        except Exception:  # a panel is another app's code: whatever it raises, the shop page goes on
            log.exception("the %s panel %s failed", place, getattr(render, "__qualname__", render))
            continue
        if shown.strip():
            yield shown
