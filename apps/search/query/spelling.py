"""Repairs one wrong letter or a missing space in words that no document has; proposes commoner spellings."""

from collections.abc import Iterable, Mapping

from apps.redis_kit import client, transport
from apps.search.index import vocabulary
from apps.search.query import word_counts
from apps.search.query.parsing import ParsedQuery
from apps.search.query.word_counts import WordCounts
from apps.search.text import folding, terms
from apps.search.words import word_lists

#: Letters that each half of a word has at least.
MIN_HALF_LENGTH = 3
#: With fewer hits a commoner spelling is proposed, if it is so many times as common.
FEW_HITS, TIMES_COMMONER = 3, 5


def find_corrections(kind: str, generation: int, query: ParsedQuery, counts: WordCounts) -> dict[str, str]:
    """Typed word -> the commonest word one letter away, or else its two halves ("hot pot" for hotpot).

    Only for words that nothing has. `counts` learns how many documents have the new words.
    """
    unknown = [
        group.typed
        for group in query.groups
        if not counts.prefixes.get(group) and not counts.estimate(group.alternatives)
    ]
    better = _best_neighbours(kind, generation, unknown, counts)
    return better | _best_halves(kind, generation, [word for word in unknown if word not in better], counts)


def propose(kind: str, generation: int, query: ParsedQuery, counts: WordCounts) -> dict[str, str]:
    """Typed word -> a much commoner one that is a letter away, for rare words."""
    rare = [group.typed for group in query.groups if counts.estimate(group.alternatives) < FEW_HITS]
    better = _best_neighbours(kind, generation, rare, counts)
    return {
        typed: word
        for typed, word in better.items()
        if counts.by_term[word] >= max(FEW_HITS, TIMES_COMMONER * counts.by_term.get(typed, 0))
    }


def replace_words(text: str, corrections: Mapping[str, str]) -> str:
    """The typed text with its words replaced; "" when nothing was."""
    if not corrections:
        return ""
    folded, places = folding.fold_with_places(text)
    pieces, at = [], 0
    for found in terms.locate(folded, corrections):
        pieces += [text[at : places[found.start]], corrections[found.term]]
        at = places[found.end - 1] + 1
    return "".join([*pieces, text[at:]]) if pieces else ""


def _best_neighbours(kind: str, generation: int, words: Iterable[str], counts: WordCounts) -> dict[str, str]:
    wanted = [word for word in words if vocabulary.may_be_mistyped(word)]
    commands = [vocabulary.spelling_commands(kind, generation, word) for word in wanted]
    replies = iter(transport.execute_many(client.get(), [command for some in commands for command in some]))
    neighbours = {
        word: vocabulary.parse_spellings(word, [next(replies) for _ in some])
        for word, some in zip(wanted, commands, strict=True)
    }
    if any(neighbours.values()):
        lists = word_lists.load()
        neighbours = {
            word: [term for term in some if not lists.is_blocked(term)] for word, some in neighbours.items()
        }
    found = word_counts.count(kind, generation, [term for some in neighbours.values() for term in some])
    counts.learn(found)
    best = {
        word: max(some, key=lambda term: (found[term], term)) for word, some in neighbours.items() if some
    }
    return {word: term for word, term in best.items() if found[term]}


def _best_halves(kind: str, generation: int, words: Iterable[str], counts: WordCounts) -> dict[str, str]:
    """Two words of the index side by side that are the typed one, those of which the rarer is commonest."""
    halves = {
        word: [
            (word[:place], word[place:]) for place in range(MIN_HALF_LENGTH, len(word) - MIN_HALF_LENGTH + 1)
        ]
        for word in words
        if vocabulary.may_be_mistyped(word)
    }
    terms = {term for some in halves.values() for pair in some for term in pair}
    found = word_counts.count(kind, generation, sorted(terms))
    counts.learn(found)
    best = {
        word: max(some, key=lambda pair: (min(found[term] for term in pair), pair))
        for word, some in halves.items()
        if some
    }
    known = {word: pair for word, pair in best.items() if all(found[term] for term in pair)}
    if not known:
        return {}
    is_blocked = word_lists.load().is_blocked
    return {word: " ".join(pair) for word, pair in known.items() if not any(map(is_blocked, pair))}
