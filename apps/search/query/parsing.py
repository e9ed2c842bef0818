"""Reads a query: words, "phrases", `+synonym` of the word before, `-unwanted`. No text is an error."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from apps.search.text import folding, stop_words, terms
from apps.search.words.word_lists import WordLists

#: Terms that one query may have; of a long Chinese sentence every second pair is taken.
MAX_TERMS = 8
#: Characters of a query that are read.
MAX_QUERY_LENGTH = 200
#: Alternatives of one word, with what was typed.
MAX_ALTERNATIVES = 5
#: Words side by side that may be one ("tea house" for teahouse).
MAX_JOINED_WORDS = 3
_TOKEN = re.compile(r'(?P<sign>(?<!\S)[+-])?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))')
_QUOTES = str.maketrans("“”„«»「」『』＂", '""""""""""')
_SIGNS = str.maketrans("＋－−", "+--")

#: No words of staff.
NO_LISTS = WordLists({}, frozenset(), frozenset(), frozenset())

#: The terms of one way to say something: all of them must be there.
Alternative = tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """What must be found in one of several ways; the first is what was typed."""

    alternatives: tuple[Alternative, ...]
    #: Whether the typed word may be the beginning of a longer one.
    is_prefix: bool = False
    #: What the typed word is joined with its neighbours: terms.
    joined: tuple[str, ...] = ()
    #: Whether it was asked for in quotes: no other forms of it are meant.
    is_exact: bool = False

    @property
    def typed(self) -> str:
        """What was typed, as one word."""
        return join_terms(self.alternatives[0])

    @property
    def is_weak(self) -> bool:
        """Whether it has a Chinese character that only joins words; such a pair is given up first."""
        (first, *others) = self.alternatives
        return not others and len(first) == 1 and not stop_words.CHINESE.isdisjoint(first[0])


@dataclass(frozen=True)
class ParsedQuery:
    """`groups` must all be found, `unwanted` must not; `phrases` are terms side by side."""

    groups: tuple[Group, ...] = ()
    unwanted: tuple[Alternative, ...] = ()
    phrases: tuple[Alternative, ...] = ()
    #: Whether the query is more than was read.
    is_cut: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is no word in it."""
        return not (self.groups or self.unwanted or self.phrases)


@dataclass
class _Word:
    """A word as it was typed, in the ways to say it; `token` is the number of the piece that it stood in."""

    ways: list[Alternative]
    token: int
    is_exact: bool = False
    joined: dict[str, None] = field(default_factory=dict)

    @property
    def is_joinable(self) -> bool:
        """Whether it may be a part of a longer word: letters and digits."""
        return not self.is_exact and len(self.ways[0]) == 1 and not terms.RUN_PATTERN.match(self.ways[0][0])


def parse(text: str, lists: WordLists = NO_LISTS, *, is_prefix: bool = True) -> ParsedQuery:
    """The query of a text; `is_prefix`: the last word may be the beginning of a longer one."""
    cut = " ".join(text.translate(_QUOTES)[:MAX_QUERY_LENGTH].replace("\x00", " ").split())
    reader = _Reader(lists)
    for token in _TOKEN.finditer(folding.fold(cut.translate(_SIGNS))):
        reader.read(token["sign"] or "", token["phrase"], token["word"] or "")
    may_go_on = is_prefix and bool(text) and (text[-1].isalnum() and len(text) <= MAX_QUERY_LENGTH)
    return reader.finish(may_go_on, is_cut=len(text) > MAX_QUERY_LENGTH)


def join_terms(parts: Alternative) -> str:
    """What a person typed for these terms: pairs of characters overlap."""
    joined = parts[0]
    for part in parts[1:]:
        overlaps = terms.RUN_PATTERN.fullmatch(part) and joined[-1:] == part[:1]
        joined += part[1:] if overlaps else f" {part}"
    return joined


class _Reader:
    """Collects groups, unwanted words and phrases, token by token."""

    def __init__(self, lists: WordLists) -> None:
        self._lists = lists
        self._words: list[_Word] = []
        self._tokens = 0
        self._unwanted: list[Alternative] = []
        self._phrases: list[Alternative] = []
        self._ends_in_word = False

    def read(self, sign: str, phrase: str | None, word: str) -> None:
        parts = tuple(terms.split(word if phrase is None else phrase))
        self._tokens += 1
        self._ends_in_word = phrase is None and not sign
        if not parts:
            return
        if sign == "-":
            self._unwanted.append(parts[:MAX_TERMS])
        elif sign == "+" and self._words:
            self._words[-1].ways.append(parts[:MAX_TERMS])
        elif phrase is not None and len(parts) > 1:
            self._phrases.append(parts[:MAX_TERMS])
        else:
            self._read_words(parts, is_exact=phrase is not None)

    def _read_words(self, parts: Alternative, *, is_exact: bool) -> None:
        """The words of a piece; an ending as the "'t" of "don't" belongs to the one before it."""
        read = [_Word([one], self._tokens, is_exact) for one in _split_words(parts)]
        kept: list[_Word] = []
        for word in read:
            ending = word.ways[0][0]
            if not terms.is_ending(ending) or not kept:
                kept.append(word)
            elif kept[-1].is_joinable and terms.may_be_joined(ending):
                kept[-1].joined[kept[-1].ways[0][0] + ending[1:]] = None
        self._words += kept

    def finish(self, may_go_on: bool, *, is_cut: bool) -> ParsedQuery:
        _join_neighbours(self._words)
        kept = self._without_stop_words()
        fixed = [
            Group(((term,),), is_exact=True) for phrase in self._phrases for term in _required_terms(phrase)
        ]
        groups = _without_repeats([*fixed, *(group for word in kept for group in self._groups_of(word))])
        if may_go_on and self._ends_in_word and kept and kept[-1] is self._words[-1]:
            groups[-1] = replace(groups[-1], is_prefix=len(groups[-1].alternatives) == 1)
        limited = _limit(groups)
        return ParsedQuery(
            tuple(limited),
            tuple(dict.fromkeys(self._unwanted))[:MAX_TERMS],
            tuple(dict.fromkeys(self._phrases)),
            is_cut or len(limited) < len(groups),
        )

    def _without_stop_words(self) -> list[_Word]:
        """The words that say something; all of them when none does."""
        telling = [
            word
            for word in self._words
            if len(word.ways) > 1 or len(word.ways[0]) > 1 or not self._is_stop_word(word.ways[0][0])
        ]
        return telling or (self._words if not self._phrases else [])

    def _is_stop_word(self, word: str) -> bool:
        is_built_in = word in stop_words.ENGLISH and word not in self._lists.kept_words
        return is_built_in or word in self._lists.stop_words

    def _groups_of(self, word: _Word) -> list[Group]:
        typed = word.ways[0]
        known = self._lists.synonyms.get(join_terms(typed), ())
        others = [tuple(terms.split(folding.fold(other))) for other in known]
        ways = tuple(dict.fromkeys(way for way in [*word.ways, *others] if way))[:MAX_ALTERNATIVES]
        if len(ways) > 1:
            return [Group(ways, joined=tuple(word.joined), is_exact=word.is_exact)]
        return [Group(((term,),), joined=tuple(word.joined), is_exact=word.is_exact) for term in typed]


def _split_words(parts: Alternative) -> list[Alternative]:
    """The words of one token: a run of Chinese characters stays together."""
    words: list[Alternative] = []
    for part in parts:
        is_run = terms.RUN_PATTERN.fullmatch(part) is not None
        if is_run and words and terms.RUN_PATTERN.fullmatch(words[-1][-1]) and words[-1][-1][-1] == part[0]:
            words[-1] = (*words[-1], part)
        else:
            words.append((part,))
    return words


def _join_neighbours(words: Sequence[_Word]) -> None:
    """Give each word what it makes with those beside it: "teahouse" for both words of "tea house"."""
    for first in range(len(words)):
        for last in range(first + 1, min(len(words), first + MAX_JOINED_WORDS)):
            if not _are_one_word(words[last - 1], words[last]):
                break
            some = words[first : last + 1]
            joined = "".join(word.ways[0][0] for word in some)
            if len(joined) <= terms.MAX_TERM_LENGTH:
                for word in some:
                    word.joined[joined] = None


def _are_one_word(before: _Word, after: _Word) -> bool:
    """Whether two words side by side may be one; numbers only without a space between them: 7-11."""
    if not (before.is_joinable and after.is_joinable and after.token - before.token <= 1):
        return False
    are_numbers = before.ways[0][0][-1].isdigit() and after.ways[0][0][0].isdigit()
    return before.token == after.token or not are_numbers


def _required_terms(phrase: Alternative) -> list[str]:
    """The terms that a document with the phrase has; a character at its end may be within a pair there."""
    inner = range(1, len(phrase) - 1)
    required = [
        term
        for place, term in enumerate(phrase)
        if not terms.is_ending(term)
        and (place in inner or len(term) > 1 or not terms.RUN_PATTERN.match(term))
    ]
    return required or list(phrase)


def _without_repeats(groups: Sequence[Group]) -> list[Group]:
    """The groups, of those with the same words the first, with what all of them are joined to."""
    kept: dict[tuple[Alternative, ...], Group] = {}
    for group in groups:
        first = kept.setdefault(group.alternatives, group)
        if first is not group:
            joined = tuple(dict.fromkeys((*first.joined, *group.joined)))
            kept[group.alternatives] = replace(first, joined=joined)
    return list(kept.values())


def _limit(groups: list[Group]) -> list[Group]:
    """At most MAX_TERMS: of more, every second one that overlaps its neighbours is left out first."""
    if len(groups) <= MAX_TERMS:
        return groups
    kept: list[Group] = []
    for place, group in enumerate(groups):
        is_between = 0 < place < len(groups) - 1 and _overlaps(groups[place - 1], group)
        if not (
            is_between and kept and kept[-1] is groups[place - 1] and _overlaps(group, groups[place + 1])
        ):
            kept.append(group)
    return kept[:MAX_TERMS]


def _overlaps(one: Group, other: Group) -> bool:
    first, second = one.alternatives[0][-1], other.alternatives[0][0]
    return len(first) == len(second) == 2 and first[1] == second[0] and second >= "\u3005"
