"""Words of letters as the sound of Chinese: "huoguo" and "huo guo" for 火锅, "xiaol" for 小笼."""

from collections.abc import Iterable, Mapping, Sequence

from apps.search.query.parsing import Alternative, Group
from apps.search.text import pinyin
from apps.search.text.pinyin import Begun

#: Pairs of syllables that stand for a beginning: those that most documents have.
MAX_BEGUN = 24


def list_ways(words: Iterable[str]) -> list[Alternative]:
    """The pairs of syllables of each of these words: a document has all of one way."""
    return list(dict.fromkeys(way for word in words for way in pinyin.cut(word)))


def list_begun(group: Group) -> list[Begun]:
    """What a group's word is whose last syllable is still being typed; none where it is not the last word."""
    return pinyin.cut_begun(group.typed) if group.is_prefix else []


def keep_known(ways: Iterable[Alternative], counts: Mapping[str, int]) -> list[Alternative]:
    """The ways whose pairs are all in some document."""
    return [way for way in ways if all(counts[term] for term in way)]


def complete(begun: Mapping[Begun, Sequence[str]], counts: Mapping[str, int]) -> list[Alternative]:
    """The ways of begun words with each known pair that goes on so, those of most documents."""
    found = [
        (counts[last], (*one.pairs, last))
        for one, known in begun.items()
        if all(counts[term] for term in one.pairs)
        for last in known
        if counts[last]
    ]
    return [way for _count, way in sorted(found, key=lambda one: (-one[0], one[1]))[:MAX_BEGUN]]
