"""Reads a query: words, "phrases", `+synonym` of the word before, `-unwanted`. No text is an error."""

import re
from dataclasses import dataclass

from apps.search.text import folding, stop_words, terms
from apps.search.words.word_lists import WordLists

#: Terms that one query may have; of a long Chinese sentence every second pair is taken.
MAX_TERMS = 8
#: Characters of a query that are read.
MAX_QUERY_LENGTH = 200
#: Alternatives of one word, with what was typed.
MAX_ALTERNATIVES = 5
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
        self._words: list[list[Alternative]] = []
        self._unwanted: list[Alternative] = []
        self._phrases: list[Alternative] = []
        self._ends_in_word = False

    def read(self, sign: str, phrase: str | None, word: str) -> None:
        parts = tuple(terms.split(word if phrase is None else phrase))
        self._ends_in_word = phrase is None and not sign
        if not parts:
            return
        if sign == "-":
            self._unwanted.append(parts[:MAX_TERMS])
        elif sign == "+" and self._words:
            self._words[-1].append(parts[:MAX_TERMS])
        elif phrase is not None and len(parts) > 1:
            self._phrases.append(parts[:MAX_TERMS])
        else:
            self._words += [[word_terms] for word_terms in _split_words(parts)]

    def finish(self, may_go_on: bool, *, is_cut: bool) -> ParsedQuery:
        kept = self._without_stop_words(may_go_on)
        fixed = [Group(((term,),)) for phrase in self._phrases for term in phrase]
        groups = list(dict.fromkeys([*fixed, *(group for word in kept for group in self._groups_of(word))]))
        if may_go_on and self._ends_in_word and kept and kept[-1] is self._words[-1]:
            last = groups[-1]
            groups[-1] = Group(last.alternatives, is_prefix=len(last.alternatives) == 1)
        limited = _limit(groups)
        return ParsedQuery(
            tuple(limited),
            tuple(dict.fromkeys(self._unwanted))[:MAX_TERMS],
            tuple(dict.fromkeys(self._phrases)),
            is_cut or len(limited) < len(groups),
        )

    def _without_stop_words(self, may_go_on: bool) -> list[list[Alternative]]:
        """The words that say something; all of them when none does."""
        telling = [
            word
            for word in self._words
            if len(word) > 1 or len(word[0]) > 1 or not self._is_stop_word(word[0][0])
        ]
        return telling or (self._words if not self._phrases else [])

    def _is_stop_word(self, word: str) -> bool:
        is_built_in = word in stop_words.ENGLISH and word not in self._lists.kept_words
        return is_built_in or word in self._lists.stop_words

    def _groups_of(self, word: list[Alternative]) -> list[Group]:
        typed = word[0]
        known = self._lists.synonyms.get(join_terms(typed), ())
        others = [tuple(terms.split(folding.fold(other))) for other in known]
        ways = tuple(dict.fromkeys(way for way in [*word, *others] if way))[:MAX_ALTERNATIVES]
        if len(ways) > 1:
            return [Group(ways)]
        return [Group(((term,),)) for term in typed]


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
