"""Where a text names people: "@" and a nickname, which may have spaces and any script."""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

MARK = "@"
MAX_NAME_LENGTH = 32
#: People whom one text may mention; the rest of the names stay text.
MAX_MENTIONS = 20
#: "@" in an address such as a@b.c, or behind a slash as in b.c/@name, begins no name.
_START_PATTERN = re.compile(r"(?<![A-Za-z0-9_.%+/-])@(?=\S)")
#: The rest of a link, in which "@" begins no name either.
_LINK_PATTERN = re.compile(r"(?:://|www\.)\S+", re.IGNORECASE)


class Span(NamedTuple):
    """Where a text names a person: from "@" to the end of the name."""

    start: int
    end: int
    name: str


def find_spans(text: str, names: Collection[str]) -> list[Span]:
    """Where a text has "@" and one of these names, the longest that fits."""
    by_length = sorted(filter(None, names), key=len, reverse=True)
    spans = []
    for begin in _find_starts(text):
        name = next((one for one in by_length if _stands_at(text, begin.end(), one)), None)
        if name:
            spans.append(Span(begin.start(), begin.end() + len(name), name))
    return spans


def _find_starts(text: str) -> list[re.Match[str]]:
    """Return each "@" that may begin a name: it stands in no e-mail address and in no link."""
    links = find_links(text)
    return [
        begin
        for begin in _START_PATTERN.finditer(text)
        if not any(first <= begin.start() < last for first, last in links)
    ]


def find_links(text: str) -> list[tuple[int, int]]:
    """Where links stand in a text, (start, end) each: in them no name and no topic begins."""
    return [found.span() for found in _LINK_PATTERN.finditer(text)]


def possible_names(text: str) -> set[str]:
    """Every beginning of what follows an "@" that may be a nickname, up to its length."""
    found: set[str] = set()
    for begin in _find_starts(text)[:MAX_MENTIONS]:
        rest = text[begin.end() : begin.end() + MAX_NAME_LENGTH].partition("\n")[0]
        found.update(
            rest[:end] for end in range(1, len(rest) + 1) if _stands_at(text, begin.end(), rest[:end])
        )
    return {name for name in found if name == name.strip()}


def _stands_at(text: str, start: int, name: str) -> bool:
    """Whether a name stands there and ends there: "Bob" is not in "Bobby", but 小李 is in 小李你好."""
    end = start + len(name)
    if not text.startswith(name, start):
        return False
    return not (_is_latin(name[-1:]) and _is_latin(text[end : end + 1]))


def _is_latin(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


def link_names(text: str, people: Mapping[str, int]) -> dict[int, str]:
    """Person id -> the name by which the text mentions them, the first MAX_MENTIONS of these people."""
    found: dict[int, str] = {}
    for span in find_spans(text, people):
        if len(found) < MAX_MENTIONS:
            found.setdefault(people[span.name], span.name)
    return found
