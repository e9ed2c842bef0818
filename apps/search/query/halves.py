"""Two words that were typed as one: "hot pot" for hotpot, "7 eleven" for 7eleven, and their other forms."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from apps.redis_kit import client, transport
from apps.search.index import vocabulary
from apps.search.query.parsing import Group
from apps.search.text import stems, stop_words

#: Letters of a word that may be two, unless one of them is a number.
MIN_LENGTH, MAX_LENGTH = 4, 24
#: Cuts of a word, and of a whole query, whose halves are looked for side by side: those of the commonest
#: halves. Each may read some thousand records.
MAX_CUTS, MAX_CUTS_OF_QUERY = 5, 8
#: A first and a second half.
Cut = tuple[str, str]


class Halves(NamedTuple):
    """Two words side by side: the first, and the forms of the second that documents have."""

    first: str
    seconds: tuple[str, ...]


def list_cuts(group: Group, firsts: Collection[str] | None = None) -> list[Cut]:
    """Where a group's typed word may be cut; `firsts` are the first halves that documents have, None: all."""
    word = group.typed
    if not _may_be_two(group, word):
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


def keep_known(
    cuts: Sequence[Cut], seconds: Mapping[str, Sequence[str]], counts: Mapping[str, int]
) -> list[Halves]:
    """The cuts of which documents have both halves, at most MAX_CUTS."""
    found = [Halves(first, tuple(term for term in seconds[second] if counts[term])) for first, second in cuts]
    known = [one for one in found if one.seconds]
    return sorted(known, key=lambda one: -sum(counts[term] for term in one.seconds))[:MAX_CUTS]


def limit(found: Mapping[Group, Sequence[Halves]]) -> dict[Group, list[Halves]]:
    """At most MAX_CUTS_OF_QUERY of the words' halves: the first of each word, then the second of each."""
    in_turn = sorted(
        (place, number) for number, some in enumerate(found.values()) for place in range(len(some))
    )
    kept = set(in_turn[:MAX_CUTS_OF_QUERY])
    return {
        group: [one for place, one in enumerate(some) if (place, number) in kept]
        for number, (group, some) in enumerate(found.items())
    }


def _may_be_two(group: Group, word: str) -> bool:
    is_word = len(group.alternatives[0]) == 1 and word < "\u2e80" and word.isalnum()
    least = MIN_LENGTH if word.isalpha() else 2
    return is_word and not group.is_exact and least <= len(word) <= MAX_LENGTH


def _is_cut(word: str, place: int) -> bool:
    """Letters are cut anywhere, a word with digits only between these and letters."""
    return word.isalpha() or word[place - 1].isdigit() != word[place].isdigit()


def _says_something(cut: Cut) -> bool:
    """Whether neither half is a word that only joins others: "amore" is not "a more"."""
    return stop_words.ENGLISH.isdisjoint(cut)
