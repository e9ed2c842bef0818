"""Reads a form from a page of HTML as a browser would send it."""

from html.parser import HTMLParser
from typing import Any

Fields = dict[str, Any]
_NOT_SENT = {"submit", "button", "image", "reset", "file"}


class _FormReader(HTMLParser):
    """The values of each form of a page, by name, in the order of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, list[str]]] = []
        self._outside: dict[str, list[str]] = {}
        self._fields = self._outside
        self._select: str | None = None
        self._options: list[tuple[str, bool]] = []
        self._is_multiple = False
        self._area: tuple[str, list[str]] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name = "" if "disabled" in given else given.get("name", "")
        if tag == "form":
            self._fields = {}
            self.forms.append(self._fields)
        elif tag == "input" and name and given.get("type", "text") not in _NOT_SENT:
            if given.get("type") not in {"checkbox", "radio"} or "checked" in given:
                self._add(name, given.get("value", "on" if "checked" in given else ""))
        elif tag == "select":
            self._select, self._options, self._is_multiple = name, [], "multiple" in given
        elif tag == "option" and self._select is not None:
            self._options.append((given.get("value", ""), "selected" in given))
        elif tag == "textarea":
            self._area = (name, [])

    def handle_data(self, data: str) -> None:
        if self._area:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._fields = self._outside
        elif tag == "select" and self._select is not None:
            chosen = [value for value, is_selected in self._options if is_selected]
            if not chosen and self._options and not self._is_multiple:
                chosen = [self._options[0][0]]
            for value in chosen:
                self._add(self._select, value)
            self._select = None
        elif tag == "textarea" and self._area:
            name, parts = self._area
            # A browser drops the first line break, and sends each as two characters.
            text = "".join(parts).removeprefix("\n").replace("\r\n", "\n").replace("\n", "\r\n")
            self._add(name, text)
            self._area = None

    def _add(self, name: str, value: str) -> None:
        if name:
            self._fields.setdefault(name, []).append(value)


def read_form(content: bytes, having: str) -> Fields:
    """The first form of a page that has a field of this name, as the test client posts it."""
    reader = _FormReader()
    reader.feed(content.decode())
    found = next(form for form in reader.forms if having in form)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}
