"""Marks the words of a query in a text, and cuts the part of a text that has most of them."""

from collections.abc import Collection
from typing import NamedTuple

from apps.search.text import folding, terms

#: Characters of a text that are looked at.
MAX_MARKED_LENGTH = 6_000
SNIPPET_LENGTH = 160
_ELLIPSIS = "…"


class Part(NamedTuple):
    """A piece of a text, and whether it is a word that was searched."""

    text: str
    is_marked: bool


def mark(text: str, words: Collection[str]) -> list[Part]:
    """The whole text in parts; `words` are the terms of the query."""
    text = text[:MAX_MARKED_LENGTH]
    return _split_at(text, _marked_spans(text, words), 0, len(text))


def snippet(text: str, words: Collection[str], length: int = SNIPPET_LENGTH) -> list[Part]:
    """About `length` characters of the text around most of the words, in parts, on one line."""
    text = " ".join(text[:MAX_MARKED_LENGTH].split())
    spans = _marked_spans(text, words)
    start = _best_start(text, spans, length)
    end = min(len(text), start + length)
    parts = _split_at(text, spans, start, end)
    before = [Part(_ELLIPSIS, False)] if start else []
    return before + parts + ([Part(_ELLIPSIS, False)] if end < len(text) else [])


def _marked_spans(text: str, words: Collection[str]) -> list[tuple[int, int]]:
    """The places (start, end) of the words, in order and without overlaps."""
    folded, places = folding.fold_with_places(text)
    spans: list[tuple[int, int]] = []
    for found in sorted(terms.locate(folded, words), key=lambda found: (found.start, found.end)):
        start, end = places[found.start], places[found.end - 1] + 1
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _best_start(text: str, spans: list[tuple[int, int]], length: int) -> int:
    """Where a cut of that length begins: at the beginning if it shows as much as any other cut."""
    if len(text) <= length:
        return 0
    starts = [0, *(max(0, min(span[0] - length // 4, len(text) - length)) for span in spans)]
    best = max(starts, key=lambda start: (_marked_within(spans, start, start + length), -start))
    # Begin at a word, unless the text has no spaces nearby.
    gap = text.find(" ", best, best + 15) if best else -1
    return gap + 1 if gap >= 0 and _marked_within(spans, best, gap) == 0 else best


def _marked_within(spans: list[tuple[int, int]], start: int, end: int) -> int:
    return sum(last - first for first, last in spans if start <= first and last <= end)


def _split_at(text: str, spans: list[tuple[int, int]], start: int, end: int) -> list[Part]:
    parts, at = [], start
    for first, last in spans:
        first, last = max(first, start), min(last, end)
        if first >= last:
            continue
        parts += [Part(text[at:first], False), Part(text[first:last], True)]
        at = last
    parts.append(Part(text[at:end], False))
    return [part for part in parts if part.text]
