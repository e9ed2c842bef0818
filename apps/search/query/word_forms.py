"""The words of a query as the index has them: how many documents have each, and its other forms.

A typed word also matches words of its stem, for longer words that begin so, for two words side by side
that it joins ("hot pot" for hotpot, "7 eleven" for 7eleven), and for the sound of Chinese ("huoguo" and "huo
guo" for 火锅, "xiaol" for 小笼).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search import keys
from apps.search.index import vocabulary
from apps.search.query import ranking
from apps.search.query.parsing import Alternative, Group, ParsedQuery
from apps.search.text import pinyin, stems, stop_words
from apps.search.text.pinyin import Begun

#: Letters of a word that may be two, unless one of them is a number.
MIN_SPLIT_LENGTH, MAX_SPLIT_LENGTH = 4, 24
#: Cuts of a word, and of a whole query, whose halves are looked for side by side: those of the commonest
#: halves. Each may read some thousand records.
MAX_CUTS, MAX_CUTS_OF_QUERY = 5, 8
#: A first and a second half.
Cut = tuple[str, str]
#: Pairs of syllables that stand for a beginning: those that most documents have.
MAX_BEGUN = 24
#: Letters from which on a word may be the beginning of longer ones.
MIN_PREFIX_LENGTH = 2
#: Longer words that stand for beginning letters: those that most documents have.
MAX_PREFIX_WORDS = 24


class Split(NamedTuple):
    """Two words side by side: the first, and the forms of the second that documents have."""

    first: str
    seconds: tuple[str, ...]


@dataclass(frozen=True)
class WordCounts:
    """`by_term`: documents with each term; `prefixes`: the longer terms of a group, the commonest first.

    `forms`: the known terms with the stem of a group's words, or that join these with their neighbours.
    `splits`: two known terms whose letters are those of the group's word. `sounds`: known pairs of syllables
    as which a group's word is read, each way at least one.
    """

    documents: int
    by_term: dict[str, int]
    prefixes: Mapping[Group, tuple[str, ...]]
    forms: Mapping[Group, tuple[str, ...]] = field(default_factory=dict)
    splits: Mapping[Group, Sequence[Split]] = field(default_factory=dict)
    sounds: Mapping[Group, tuple[Alternative, ...]] = field(default_factory=dict)

    def factor(self, term: str) -> float:
        """What turns the weights of a term's documents into BM25's scores."""
        return ranking.factor(self.documents, self.by_term.get(term, 0))

    def has_all(self, terms: Alternative) -> bool:
        """Whether each of the terms is in some document."""
        return all(self.by_term.get(term) for term in terms)

    def estimate(self, ways: Iterable[Alternative]) -> int:
        """Upper bound of the documents that match any of the given term combinations."""
        return sum(min(self.by_term.get(term, 0) for term in terms) for terms in ways)

    def estimate_forms(self, group: Group) -> int:
        """Upper bound of the documents that have a word of a group in any of its forms."""
        return self.estimate([*group.alternatives, *((form,) for form in self.forms.get(group, ()))])

    def learn(self, counts: Mapping[str, int]) -> None:
        """Add the counts of further terms."""
        self.by_term.update(counts)


def read_counts(kind: str, generation: int, query: ParsedQuery, *, with_forms: bool = True) -> WordCounts:
    """The counts of a query's terms; one round trip, up to two more for prefixes, forms and splits."""
    groups = [group for group in query.groups if with_forms and not group.is_exact]
    requested = _list_asked(query, groups)
    replies = _read_replies(kind, generation, requested)
    counts, longer, by_stem = replies.counts, replies.longer, replies.by_stem
    cuts = {group: list_cuts(group, replies.firsts) for group in groups}
    seconds = read_seconds(kind, generation, cuts.values())
    known = {group: keep_known_sounds(ways, counts) for group, ways in requested.ways.items()}
    # Half a syllable is a guess: made only where nothing has the word, in letters or by its sound.
    guessed = {
        group: {one: replies.going_on[one] for one in some}
        for group, some in requested.begun.items()
        if not (known[group] or longer.get(group) or counts.get(group.typed))
    }
    found = {term for some in (*longer.values(), *by_stem.values(), *seconds.values()) for term in some}
    found |= {term for some in guessed.values() for terms in some.values() for term in terms}
    counts |= count_terms(kind, generation, sorted(found - counts.keys()))
    known |= {group: complete_begun(some, counts) for group, some in guessed.items()}
    return WordCounts(
        replies.documents,
        counts,
        {group: _commonest(group, some, counts) for group, some in longer.items()},
        {group: _known_forms(group, by_stem, counts) for group in groups},
        limit_splits({group: keep_known_splits(some, seconds, counts) for group, some in cuts.items()}),
        {group: tuple(ways) for group, ways in known.items()},
    )


def read_forms(
    kind: str, generation: int, words: Iterable[str], counts: WordCounts
) -> dict[str, tuple[str, ...]]:
    """The known terms of each word's stem; `counts` learns their numbers. At most two round trips."""
    by_word = {word: stems.stem(word) for word in words}
    commands = [vocabulary.stem_command(kind, generation, stem) for stem in by_word.values()]
    replies = transport.execute_many(client.get(), commands) if commands else []
    found = {
        word: [stem, *vocabulary.parse_forms(reply)]
        for (word, stem), reply in zip(by_word.items(), replies, strict=True)
    }
    counts.learn(count_terms(kind, generation, sorted({term for some in found.values() for term in some})))
    return {
        word: tuple(term for term in some if term != word and counts.by_term[term])
        for word, some in found.items()
    }


def count_terms(kind: str, generation: int, terms: list[str]) -> dict[str, int]:
    """The number of documents with each term; one round trip, none for no terms."""
    postings = keys.POSTINGS.build_many("term", terms, kind=kind, generation=generation)
    numbers = transport.execute_many(client.get(), [("ZCARD", key) for key in postings]) if terms else []
    return dict(zip(terms, numbers, strict=True))


@dataclass(frozen=True)
class _Asked:
    """What the first round trip asks of a query: terms, stems, beginnings, and first halves of words.

    `ways` are the pairs of syllables as which words may be read, `begun` those of words still being typed.
    """

    terms: list[str]
    stems: list[str]
    prefixed: list[Group]
    firsts: list[str]
    ways: Mapping[Group, Sequence[Alternative]]
    begun: Mapping[Group, Sequence[Begun]]


@dataclass(frozen=True)
class _Replies:
    """What the first round trip says: documents with each term, first halves that are there, and terms.

    Those are by their stem, by the group whose word they begin with, and by the begun syllable.
    """

    documents: int
    counts: dict[str, int]
    firsts: set[str]
    by_stem: dict[str, list[str]]
    longer: dict[Group, list[str]]
    going_on: dict[Begun, list[str]]


def _list_asked(query: ParsedQuery, groups: Sequence[Group]) -> _Asked:
    terms = [term for group in query.groups for way in group.alternatives for term in way]
    terms += [term for way in query.unwanted for term in way]
    unwanted = [Group((way,)) for way in query.unwanted]
    stemmed = [word for group in groups for word in _words_of(group)]
    wanted = list(dict.fromkeys(map(stems.stem, stemmed)))
    terms += [*stemmed, *wanted]
    ways = {group: list_sounds(_words_of(group)) for group in groups}
    begun = {group: list_begun_sounds(group) for group in groups}
    terms += [term for some in ways.values() for way in some for term in way]
    terms += [term for some in begun.values() for one in some for term in one.pairs]
    return _Asked(
        list(dict.fromkeys(terms)),
        wanted,
        [group for group in (*query.groups, *unwanted) if _may_go_on(group)],
        list(dict.fromkeys(first for group in groups for first, _second in list_cuts(group))),
        ways,
        begun,
    )


def _read_replies(kind: str, generation: int, requested: _Asked) -> _Replies:
    beginnings = [one for some in requested.begun.values() for one in some]
    named = keys.generation_parts(kind, generation)
    documents, *replies = transport.execute_many(
        client.get(),
        [
            ("HGET", keys.STATS(**named), "documents"),
            *(("ZCARD", key) for key in keys.POSTINGS.build_many("term", requested.terms, **named)),
            *(("ZCARD", key) for key in keys.POSTINGS.build_many("term", requested.firsts, **named)),
            *(vocabulary.stem_command(kind, generation, stem) for stem in requested.stems),
            *(vocabulary.prefix_command(kind, generation, group.typed) for group in requested.prefixed),
            *(vocabulary.prefix_command(kind, generation, one.beginning) for one in beginnings),
        ],
    )
    left = iter(replies)
    return _Replies(
        int(documents or 0),
        counts={term: next(left) for term in requested.terms},
        firsts={first for first in requested.firsts if next(left)},
        by_stem={stem: vocabulary.parse_forms(next(left)) for stem in requested.stems},
        longer={group: next(left) for group in requested.prefixed},
        going_on={one: next(left) for one in beginnings},
    )


def _words_of(group: Group) -> list[str]:
    """The single words of a group, typed or joined, whose other forms are meant too."""
    return [way[0] for way in group.alternatives if len(way) == 1 and way[0] < "\u2e80"] + [*group.joined]


def _known_forms(
    group: Group, by_stem: Mapping[str, Sequence[str]], counts: Mapping[str, int]
) -> tuple[str, ...]:
    found = list(group.joined)
    for stem in map(stems.stem, _words_of(group)):
        found += [stem, *by_stem[stem]]
    typed = {way[0] for way in group.alternatives if len(way) == 1}
    return tuple(term for term in dict.fromkeys(found) if counts[term] and term not in typed)


def _may_go_on(group: Group) -> bool:
    """Whether longer words are meant too: the last word, and a single Chinese character anywhere."""
    typed = group.alternatives[0]
    is_single = len(group.alternatives) == 1 and len(typed) == 1
    if not is_single:
        return False
    is_character = len(typed[0]) == 1 and typed[0] >= "\u3005"
    return is_character or (group.is_prefix and len(typed[0]) >= MIN_PREFIX_LENGTH and typed[0] < "\u3005")


def _commonest(group: Group, longer: list[str], counts: Mapping[str, int]) -> tuple[str, ...]:
    known = [term for term in longer if counts[term] and term != group.typed]
    known.sort(key=lambda term: (-counts[term], term))
    # Of a character every pair is meant, of letters the words that somebody may be typing.
    return tuple(known if group.typed >= "\u3005" else known[:MAX_PREFIX_WORDS])


def list_cuts(group: Group, firsts: Collection[str] | None = None) -> list[Cut]:
    """Where a group's typed word may be cut; `firsts` are the first halves that documents have, None: all."""
    word = group.typed
    if not _may_be_split(group, word):
        return []
    cuts = [(word[:place], word[place:]) for place in range(1, len(word)) if _is_cut(word, place)]
    return [cut for cut in cuts if _says_something(cut) and (firsts is None or cut[0] in firsts)]


def read_seconds(kind: str, generation: int, cuts: Iterable[Sequence[Cut]]) -> dict[str, list[str]]:
    """{second half: its forms in the vocabulary, with itself}; one round trip, none for no cuts."""
    seconds = list(dict.fromkeys(second for some in cuts for _first, second in some))
    wanted = [stems.stem(second) for second in seconds]
    commands = [vocabulary.stem_command(kind, generation, stem) for stem in wanted]
    replies = transport.execute_many(client.get(), commands) if commands else []
    return {
        second: list(dict.fromkeys([second, stem, *vocabulary.parse_forms(reply)]))
        for second, stem, reply in zip(seconds, wanted, replies, strict=True)
    }


def keep_known_splits(
    cuts: Sequence[Cut], seconds: Mapping[str, Sequence[str]], counts: Mapping[str, int]
) -> list[Split]:
    """The cuts whose halves both occur in documents, at most MAX_CUTS."""
    found = [Split(first, tuple(term for term in seconds[second] if counts[term])) for first, second in cuts]
    known = [one for one in found if one.seconds]
    return sorted(known, key=lambda one: -sum(counts[term] for term in one.seconds))[:MAX_CUTS]


def limit_splits(found: Mapping[Group, Sequence[Split]]) -> dict[Group, list[Split]]:
    """At most MAX_CUTS_OF_QUERY splits of a query: the first of each word, then the second of each."""
    in_turn = sorted(
        (place, number) for number, some in enumerate(found.values()) for place in range(len(some))
    )
    kept = set(in_turn[:MAX_CUTS_OF_QUERY])
    return {
        group: [one for place, one in enumerate(some) if (place, number) in kept]
        for number, (group, some) in enumerate(found.items())
    }


def _may_be_split(group: Group, word: str) -> bool:
    is_word = len(group.alternatives[0]) == 1 and word < "\u2e80" and word.isalnum()
    least = MIN_SPLIT_LENGTH if word.isalpha() else 2
    return is_word and not group.is_exact and least <= len(word) <= MAX_SPLIT_LENGTH


def _is_cut(word: str, place: int) -> bool:
    """Letters are cut anywhere, a word with digits only between these and letters."""
    return word.isalpha() or word[place - 1].isdigit() != word[place].isdigit()


def _says_something(cut: Cut) -> bool:
    """Whether neither half is a word that only joins others: "amore" is not "a more"."""
    return stop_words.ENGLISH.isdisjoint(cut)


def list_sounds(words: Iterable[str]) -> list[Alternative]:
    """The pairs of syllables of each of the given words: a document has all of one way."""
    return list(dict.fromkeys(way for word in words for way in pinyin.cut(word)))


def list_begun_sounds(group: Group) -> list[Begun]:
    """What a group's word is whose last syllable is still being typed; none where it is not the last word."""
    return pinyin.cut_begun(group.typed) if group.is_prefix else []


def keep_known_sounds(ways: Iterable[Alternative], counts: Mapping[str, int]) -> list[Alternative]:
    """The ways whose pairs are all in some document."""
    return [way for way in ways if all(counts[term] for term in way)]


def complete_begun(begun: Mapping[Begun, Sequence[str]], counts: Mapping[str, int]) -> list[Alternative]:
    """The ways of begun words with each known pair that goes on so, those of most documents."""
    found = [
        (counts[last], (*one.pairs, last))
        for one, known in begun.items()
        if all(counts[term] for term in one.pairs)
        for last in known
        if counts[last]
    ]
    return [way for _count, way in sorted(found, key=lambda one: (-one[0], one[1]))[:MAX_BEGUN]]
