"""Cuts texts into terms: words of letters and digits, and pairs of neighbouring Chinese characters.

Pairs find every text that contains what was typed; word segmenters miss one in eleven. In names, single
characters are terms too. What is one word to one writer and several to another ("7-Eleven", "T-shirt") is
found under other forms as well: joined, and in parts.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from apps.search.text import folding, pinyin
from apps.web.findable import Field

#: Scripts without spaces: Han, kana, and the marks that belong to them.
_RUN = "\u3005\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
RUN_PATTERN = re.compile(f"[{_RUN}]+")
_WORD = rf"[^\W_{_RUN}]+"
#: What follows the apostrophe in "Chen's", "don't" and "we'll": a term of phrases alone.
_ENDING = r"(?<=[^\W_])'(?:s|t|re|ve|ll|d|m)(?![^\W_])"
_PIECES = re.compile(rf"[{_RUN}]+|{_WORD}|{_ENDING}")
#: Signs without spaces that join words to one: of "Jean-Paul", "U.S.A.", "B&B", "1,000".
_JOINERS = "'\\-\u2010-\u2015\u2212.&+/\u00b7_,"
_INNER_SIGN = re.compile(rf"(?<=\w)[{_JOINERS}](?=\w)")
_COMPOUNDS = re.compile(rf"{_WORD}(?:[{_JOINERS}]{_WORD})+")
_JOINER = re.compile(f"([{_JOINERS}])")
#: Between two digits these are no more than a way to write; others change the number.
_SIGNS_OF_NUMBERS = frozenset("',-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
#: Endings that make another word when they are joined: "we're".
_SEPARATE_ENDINGS = frozenset({"re", "ve", "ll", "d", "m"})
_DIGIT = re.compile(r"\d")
_DIGITS_OR_LETTERS = re.compile(r"\d+|[^\W\d_]+")
_MIXED = re.compile(rf"(?<![^\W_{_RUN}])(?:\d+[^\W\d_{_RUN}]|[^\W\d_{_RUN}]+\d)[^\W_{_RUN}]*")
#: Digits and letters that a part of a word has at least: "15" of "iphone15", and not "th" of "20th".
_MIN_DIGITS, _MIN_LETTERS = 2, 3
#: Words that are read as one.
MAX_JOINED_WORDS = 4
#: What another form counts of a word as it is written: less than the least weight of such a word.
FORM_FACTOR = 0.01
#: Characters of the longest term; a longer word counts by its beginning.
MAX_TERM_LENGTH = 64
#: Characters of a field that are indexed: past any text that a form of the site takes.
MAX_FIELD_LENGTH = 20_000


class TermAt(NamedTuple):
    """A term and the characters of the folded text that it comes from."""

    term: str
    start: int
    end: int


class DocumentTerms(NamedTuple):
    """`counts`: weighted occurrences by term; `length`: number of terms; `sequence`: the terms in order.

    `in_names` are the terms of names, each with its share of the bonus: 1, or of another form FORM_FACTOR.

    In `sequence` fields are lines; names have a further line of single characters. `forms` are the terms that
    stand in `counts` and not in the text: words joined or in parts, characters that end a run, and how the
    Chinese of names is read.
    """

    counts: dict[str, float]
    length: int
    sequence: str
    forms: list[str]
    in_names: dict[str, float]


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


def is_ending(term: str) -> bool:
    """Whether it is no word by itself: the "'s" of "Chen's"."""
    return term.startswith("'")


def may_be_joined(ending: str) -> bool:
    """Whether an ending may be written without its apostrophe: "dont", but not "were" for "we're"."""
    return ending[1:] not in _SEPARATE_ENDINGS


def pairs(run: str) -> list[str]:
    """Neighbouring characters of a run; the character itself when it is alone."""
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def singles(folded: str) -> list[str]:
    """The Chinese characters of a name."""
    return [character for run in RUN_PATTERN.findall(folded) if len(run) > 1 for character in run]


def last_characters(folded: str) -> list[str]:
    """The Chinese characters that end a run, which no pair begins with."""
    return [run[-1] for run in RUN_PATTERN.findall(folded) if len(run) > 1]


def other_forms(folded: str) -> list[TermAt]:
    """What the words of a folded text are called too: "7eleven" for "7-Eleven", "eleven" for "7eleven"."""
    forms: list[TermAt] = []
    for compound in _COMPOUNDS.finditer(folded):
        forms += _join_parts(compound[0], compound.start())
    for word in _MIXED.finditer(folded):
        forms += _cut_at_digits(word[0], word.start())
    return forms


def locate(folded: str, wanted: Collection[str]) -> list[TermAt]:
    """The places of the given terms in a folded text; may be single Chinese characters, or other forms."""
    found = [form for form in other_forms(folded) if form.term in wanted]
    for piece in _PIECES.finditer(folded):
        start, text = piece.start(), piece[0]
        if text[:MAX_TERM_LENGTH] in wanted and not RUN_PATTERN.match(text):
            found.append(TermAt(text[:MAX_TERM_LENGTH], start, piece.end()))
        elif not text.isascii() and RUN_PATTERN.match(text):
            found += _locate_in_run(text, start, wanted)
    return sorted(found, key=lambda one: (one.start, one.end))


def _locate_in_run(run: str, start: int, wanted: Collection[str]) -> list[TermAt]:
    spans = [(at, at + width) for width in (1, 2) for at in range(len(run) - width + 1)]
    return [TermAt(run[at:end], start + at, start + end) for at, end in spans if run[at:end] in wanted]


def _join_parts(compound: str, start: int) -> Iterator[TermAt]:
    """Neighbouring parts of a compound as one word: at most MAX_JOINED_WORDS of them."""
    pieces = _JOINER.split(compound)
    words, signs = pieces[::2], pieces[1::2]
    ends, at = list[int](), start
    for piece in pieces:
        at += len(piece)
        ends.append(at)
    for first in range(len(words)):
        joined = words[first]
        for last in range(first + 1, min(len(words), first + MAX_JOINED_WORDS)):
            if not _are_one_word(words[last - 1], signs[last - 1], words[last]):
                break
            joined += words[last]
            if len(joined) <= MAX_TERM_LENGTH:
                yield TermAt(joined, ends[2 * first] - len(words[first]), ends[2 * last])


def _are_one_word(before: str, sign: str, after: str) -> bool:
    if before[-1].isdigit() and after[0].isdigit():
        return sign in _SIGNS_OF_NUMBERS
    return sign != "," and not (sign == "'" and after in _SEPARATE_ENDINGS)


def _cut_at_digits(word: str, start: int) -> Iterator[TermAt]:
    """The digits and the letters of a word that has both."""
    parts = list(_DIGITS_OR_LETTERS.finditer(word))
    for part in parts if len(parts) > 1 else ():
        if len(part[0]) >= (_MIN_DIGITS if part[0].isdigit() else _MIN_LETTERS):
            yield TermAt(part[0], start + part.start(), start + part.end())


def of_document(texts: Mapping[str, Sequence[str]], fields: Mapping[str, Field]) -> DocumentTerms:
    """The terms of a document's texts, counted by the weights of their fields."""
    counts: dict[str, float] = {}
    forms: dict[str, float] = {}
    of_names: set[str] = set()
    forms_of_names: dict[str, float] = {}
    length, lines = 0, []
    for folded, field in _folded_texts(texts, fields):
        for terms in _lines_of_text(folded, field):
            length += len(terms)
            lines.append(" ".join(terms))
            _add_terms(counts, terms, field.weight)
            of_names.update(terms if field.is_name else ())
        added = _weigh_forms(folded, field)
        for form, weight in added.items():
            forms[form] = max(forms.get(form, 0.0), weight)
        if field.is_name:
            forms_of_names |= {form: 1.0 if pinyin.is_sound(form) else FORM_FACTOR for form in added}
    others = {form: weight for form, weight in forms.items() if form not in counts}
    in_names = forms_of_names | dict.fromkeys(of_names, 1.0)
    return DocumentTerms(counts | others, length, "\n".join(lines), sorted(others), in_names)


def _add_terms(counts: dict[str, float], terms: Sequence[str], weight: float) -> None:
    for term, number in Counter(terms).items():
        counts[term] = counts.get(term, 0.0) + number * weight


def _weigh_forms(folded: str, field: Field) -> dict[str, float]:
    """What a text counts of other forms, and of how its Chinese is read in a name."""
    forms = dict.fromkeys(_forms_of_text(folded, field), field.weight * FORM_FACTOR)
    if field.is_name or field.by_sound:
        forms |= dict.fromkeys(pinyin.terms_of(folded), field.weight)
    return forms


def count(texts: Mapping[str, Sequence[str]], fields: Mapping[str, Field]) -> int:
    """The length of a document, for a fraction of the price of its terms."""
    return sum(
        len(terms)
        for folded, field in _folded_texts(texts, fields)
        for terms in _lines_of_text(folded, field)
    )


def _folded_texts(
    texts: Mapping[str, Sequence[str]], fields: Mapping[str, Field]
) -> Iterator[tuple[str, Field]]:
    for name, field in fields.items():
        for text in texts.get(name, ()):
            yield folding.fold(text[:MAX_FIELD_LENGTH]), field


def _lines_of_text(folded: str, field: Field) -> Iterator[list[str]]:
    yield from filter(None, [split(folded), singles(folded) if field.is_name else []])


def _forms_of_text(folded: str, field: Field) -> set[str]:
    # Each compound and each mixed word once: of what indexing costs here, this would be the most.
    compounds = set(_COMPOUNDS.findall(folded)) if _INNER_SIGN.search(folded) else ()
    mixed = set(_MIXED.findall(folded)) if _DIGIT.search(folded) else ()
    forms = {form.term for compound in compounds for form in _join_parts(compound, 0)}
    forms |= {form.term for word in mixed for form in _cut_at_digits(word, 0)}
    return forms if field.is_name else forms.union(last_characters(folded))
