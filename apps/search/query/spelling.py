"""Repairs one wrong letter in words that no document has; proposes commoner spellings."""

from collections.abc import Iterable, Mapping

from apps.redis_kit import client, transport
from apps.search.index import vocabulary
from apps.search.query import word_forms
from apps.search.query.parsing import ParsedQuery
from apps.search.query.word_forms import WordCounts
from apps.search.text import folding, terms
from apps.search.words import word_lists

#: With fewer hits a commoner spelling is proposed, if it is so many times as common.
FEW_HITS, TIMES_COMMONER = 3, 5


def find_corrections(
    kind: str, generation: int, unknown: Iterable[str], counts: WordCounts
) -> dict[str, str]:
    """Typed word -> the commonest word one letter away, for words that nothing has in any form.

    `counts` learns how many documents have the new words.
    """
    return _best_neighbours(kind, generation, unknown, counts)


def propose(kind: str, generation: int, query: ParsedQuery, counts: WordCounts) -> dict[str, str]:
    """Typed word -> a much commoner one that is a letter away, for rare words."""
    rare = [group.typed for group in query.groups if counts.estimate_forms(group) < FEW_HITS]
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
    found = word_forms.count_terms(kind, generation, [term for some in neighbours.values() for term in some])
    counts.learn(found)
    best = {
        word: max(some, key=lambda term: (found[term], term)) for word, some in neighbours.items() if some
    }
    return {word: term for word, term in best.items() if found[term]}
