"""Where a text names people: "@" and a nickname, which may have spaces and any script."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from apps.web import characters

MARK = "@"
MAX_NAME_LENGTH = 32
#: A name may be written with more characters than it is stored with: each accent by itself.
_MAX_WRITTEN_LENGTH = 2 * MAX_NAME_LENGTH
#: People whom one text may mention; the rest of the names stay text.
MAX_MENTIONS = 20
#: "@" in an address such as a@b.c, or behind a slash as in b.c/@name, begins no name.
_START_PATTERN = re.compile(r"(?<![A-Za-z0-9_.%+/-])@(?=\S)")
#: The rest of a link, in which "@" begins no name either.
_LINK_PATTERN = re.compile(r"(?:://|www\.)\S+", re.IGNORECASE)


class Span(NamedTuple):
    """Where a text names a person: from "@" to the end of the name, which may be written in another form."""

    start: int
    end: int
    name: str


def find_spans(text: str, names: Collection[str]) -> list[Span]:
    """Where a text has "@" and one of these names, the longest that fits.

    Width, case and the like make no difference, unless they are all that tells two of the names apart.
    """
    exact = {name: name for name in names if name}
    forms = Counter(map(characters.fold, exact))
    folded = {form: name for name in exact if forms[form := characters.fold(name)] == 1}
    spans = []
    for begin in _find_starts(text) if exact else ():
        for part in _iter_parts(text, begin.end()):
            if name := exact.get(part) or folded.get(characters.fold(part)):
                spans.append(Span(begin.start(), begin.end() + len(part), name))
                break
    return spans


def _iter_parts(text: str, start: int) -> Iterator[str]:
    """What may be a name there, the longest first."""
    rest = text[start : start + _MAX_WRITTEN_LENGTH].partition("\n")[0]
    for end in range(len(rest), 0, -1):
        if not rest[end - 1].isspace() and _stands_at(text, start, rest[:end]):
            yield rest[:end]


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
    """Every beginning of what follows an "@" that may be a nickname, in the forms that people write names in.

    No database folds all of Unicode: the usual capitals and Unicode's own forms are asked for.
    """
    found: set[str] = set()
    for begin in _find_starts(text)[:MAX_MENTIONS]:
        for part in _iter_parts(text, begin.end()):
            found.update(_forms(part))
    return {name for name in found if name == name.strip() and len(name) <= MAX_NAME_LENGTH}


def _forms(written: str) -> set[str]:
    plain = {written, unicodedata.normalize("NFC", written), unicodedata.normalize("NFKC", written)}
    return plain | {form for one in plain for form in (one.lower(), one.title())}


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
