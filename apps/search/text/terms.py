"""Cuts texts into terms: words of letters and digits, and pairs of neighbouring Chinese characters.

Pairs find every text that contains what was typed; word segmenters miss one in eleven. In names, single
characters are terms too.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from apps.search.text import folding
from apps.web.findable import Field

#: Scripts without spaces: Han, kana, and the marks that belong to them.
_RUN = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
RUN_PATTERN = re.compile(f"[{_RUN}]+")
_PIECES = re.compile(rf"[{_RUN}]+|[^\W_{_RUN}]+")
#: Characters of the longest term; a longer word counts by its beginning.
MAX_TERM_LENGTH = 64
#: Characters of a field that are indexed: past any text that a form of the site takes.
MAX_FIELD_LENGTH = 20_000


class TermAt(NamedTuple):
    """A term and the characters of the folded text that it stands for."""

    term: str
    start: int
    end: int


class DocumentTerms(NamedTuple):
    """`counts`: weighted occurrences by term; `length`: number of terms; `sequence`: the terms in order.

    In `sequence` fields are lines; names have a further line of single characters.
    """

    counts: dict[str, float]
    length: int
    sequence: str


def split(folded: str) -> list[str]:
    """The terms of a folded text in order; a single Chinese character between other signs is a term."""
    terms: list[str] = []
    pieces = _PIECES.findall(folded)
    if folded.isascii():
        return [piece[:MAX_TERM_LENGTH] for piece in pieces]
    for piece in pieces:
        if piece[0] >= "\u3005" and RUN_PATTERN.match(piece):
            terms += pairs(piece)
        else:
            terms.append(piece[:MAX_TERM_LENGTH])
    return terms


def pairs(run: str) -> list[str]:
    """Neighbouring characters of a run; the character itself when it stands alone."""
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def singles(folded: str) -> list[str]:
    """The Chinese characters of a name."""
    return [character for run in RUN_PATTERN.findall(folded) if len(run) > 1 for character in run]


def locate(folded: str, wanted: Collection[str]) -> list[TermAt]:
    """The places of these terms in a folded text; they may be single Chinese characters."""
    found = []
    for piece in _PIECES.finditer(folded):
        start, text = piece.start(), piece[0]
        if text[:MAX_TERM_LENGTH] in wanted and not RUN_PATTERN.match(text):
            found.append(TermAt(text[:MAX_TERM_LENGTH], start, piece.end()))
        elif not text.isascii() and RUN_PATTERN.match(text):
            found += _locate_in_run(text, start, wanted)
    return found


def _locate_in_run(run: str, start: int, wanted: Collection[str]) -> list[TermAt]:
    spans = [(at, at + width) for width in (1, 2) for at in range(len(run) - width + 1)]
    return [TermAt(run[at:end], start + at, start + end) for at, end in spans if run[at:end] in wanted]


def of_document(texts: Mapping[str, Sequence[str]], fields: Mapping[str, Field]) -> DocumentTerms:
    """The terms of a document's texts, counted by the weights of their fields."""
    counts: dict[str, float] = {}
    length, lines = 0, []
    for name, field in fields.items():
        for terms in _lines_of_field(texts.get(name, ()), field):
            length += len(terms)
            lines.append(" ".join(terms))
            counted = Counter(terms)
            if not counts:
                counts = {term: number * field.weight for term, number in counted.items()}
                continue
            for term, number in counted.items():
                counts[term] = counts.get(term, 0.0) + number * field.weight
    return DocumentTerms(counts, length, "\n".join(lines))


def count(texts: Mapping[str, Sequence[str]], fields: Mapping[str, Field]) -> int:
    """The length of a document, for a fraction of the price of its terms."""
    return sum(
        len(terms) for name, field in fields.items() for terms in _lines_of_field(texts.get(name, ()), field)
    )


def _lines_of_field(texts: Sequence[str], field: Field) -> Iterator[list[str]]:
    for text in texts:
        folded = folding.fold(text[:MAX_FIELD_LENGTH])
        lines = [split(folded), singles(folded) if field.is_name else []]
        yield from filter(None, lines)
