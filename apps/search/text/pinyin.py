"""Chinese by its sound: pairs of neighbouring syllables in the index, and what a person typed cut into them.

火锅 has the term "~huoguo", 小笼包 "~xiaolong" and "~longbao": pairs find whatever contains what was typed,
as pairs of characters do. No typed word begins with the mark, so words of letters and of sounds never mix.
Only an index needs the dictionary of readings; for a query the syllables that there are do.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from apps.web import readings

#: Begins each term of two syllables.
MARK = "~"
#: The syllables of Mandarin without tones, after what they begin with; ü is u. "O" is left out: no name has
#: it, and each "huo" might be "hu o".
_FINALS = {
    "": "a ai an ang ao e ei en eng er ou",
    "b": "a ai an ang ao ei en eng i ian iao ie in ing o u",
    "p": "a ai an ang ao ei en eng i ian iao ie in ing o ou u",
    "m": "a ai an ang ao e ei en eng i ian iao ie in ing iu o ou u",
    "f": "a an ang ei en eng o ou u",
    "d": "a ai an ang ao e ei en eng i ia ian iao ie ing iu ong ou u uan ui un uo",
    "t": "a ai an ang ao e eng i ian iao ie ing ong ou u uan ui un uo",
    "n": "a ai an ang ao e ei en eng i ian iang iao ie in ing iu ong ou u ue uan un uo",
    "l": "a ai an ang ao e ei eng i ia ian iang iao ie in ing iu o ong ou u ue uan un uo",
    "g": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "k": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "h": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "j": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "q": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "x": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "zh": "a ai an ang ao e ei en eng i ong ou u ua uai uan uang ui un uo",
    "ch": "a ai an ang ao e en eng i ong ou u ua uai uan uang ui un uo",
    "sh": "a ai an ang ao e ei en eng i ou u ua uai uan uang ui un uo",
    "r": "an ang ao e en eng i ong ou u ua uan ui un uo",
    "z": "a ai an ang ao e ei en eng i ong ou u uan ui un uo",
    "c": "a ai an ang ao e en eng i ong ou u uan ui un uo",
    "s": "a ai an ang ao e en eng i ong ou u uan ui un uo",
    "y": "a an ang ao e i in ing o ong ou u uan ue un",
    "w": "a ai an ang ei en eng o u",
}
SYLLABLES = frozenset(f"{first}{final}" for first, finals in _FINALS.items() for final in finals.split())
#: How an ü is typed after n and l, also half of it: as v, and as the yu of passports; and as it is stored.
_UMLAUTS = {"v": "u", "ve": "ue", "yu": "u", "yue": "ue"}
#: What may be typed -> the syllable, or the beginning of syllables, as it is stored.
_SPELLINGS = {one: one for one in SYLLABLES} | {
    f"{first}{typed}": f"{first}{stored}" for first in "nl" for typed, stored in _UMLAUTS.items()
}
_BEGINNINGS = (
    {one[:end]: one[:end] for one in SYLLABLES for end in range(1, len(one))}
    | {"ny": "nu", "ly": "lu"}
    | _SPELLINGS
)
_MAX_LETTERS = max(map(len, _SPELLINGS))

#: Ways to cut one word that are looked for, those of the fewest syllables; and ways that are compared.
MAX_WAYS, MAX_COMPARED_WAYS = 4, 40
#: Pairs of a word that are looked for.
MAX_PAIRS = 8
#: Letters of a word from which on its end may be the beginning of a syllable: not of "bar", "lab", "cat".
MIN_BEGUN_LETTERS = 4
#: Characters of a text that are read: more than any name of the site has.
MAX_READ_CHARACTERS = 200


class Begun(NamedTuple):
    """A word whose last syllable may go on: its pairs before that one, and how the last pair begins."""

    pairs: tuple[str, ...]
    beginning: str


def is_sound(term: str) -> bool:
    """Whether a term is a pair of syllables."""
    return term.startswith(MARK)


def terms_of(folded: str) -> set[str]:
    """The pairs of syllables of the Chinese in a folded text, "" for a text without."""
    if folded.isascii():
        return set()
    runs = readings.HAN_RUN.finditer(folded[:MAX_READ_CHARACTERS])
    return {
        term
        for run in runs
        if len(run[0]) > 1
        for term in (_terms_of_run(run[0]) if run.start() else _terms_of_head(run[0]))
    }


def cut(word: str) -> list[tuple[str, ...]]:
    """The terms that a text has where it is read as this word, in each way to cut it into syllables."""
    return list(dict.fromkeys(_join(way) for way in _best_ways(word, _SPELLINGS)))


def cut_begun(word: str) -> list[Begun]:
    """The same where the last syllable may go on: "xiaol", "huogu"; none for a word that is one syllable."""
    if len(word) < MIN_BEGUN_LETTERS or word in _SPELLINGS:
        return []
    ways = _best_ways(word, _BEGINNINGS)
    return list(dict.fromkeys(Begun(_join(way[:-1]), f"{MARK}{way[-2]}{way[-1]}") for way in ways))


@lru_cache(10_000)
def _terms_of_run(run: str) -> tuple[str, ...]:
    return _pair(readings.syllables(run))


@lru_cache(10_000)
def _terms_of_head(run: str) -> tuple[str, ...]:
    """The pairs of all ways to read what a text begins with."""
    return tuple(dict.fromkeys(term for way in readings.ways(run) for term in _pair(way)))


def _pair(read: Sequence[str]) -> tuple[str, ...]:
    syllables = map(readings.write_umlauts_as_u, read)
    return tuple(f"{MARK}{one}{other}" for one, other in pairwise(syllables) if {one, other} <= SYLLABLES)


def _best_ways(word: str, last: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Ways to cut a word into at least two syllables, of which `last` has the last one."""
    if not (word.isascii() and word.isalpha()):
        return []
    ways = [way for way in islice(_iter_ways(word, last), MAX_COMPARED_WAYS) if len(way) > 1]
    return sorted(ways, key=len)[:MAX_WAYS]


def _iter_ways(word: str, last: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The ways to cut a word, those that begin with a longer syllable first."""
    ends = _find_ends(word, last)

    def iter_from(place: int) -> Iterator[tuple[str, ...]]:
        if place == len(word):
            yield ()
        for end in _reach(word, place):
            syllable = (last if end == len(word) else _SPELLINGS).get(word[place:end])
            if syllable and end in ends:
                yield from ((syllable, *rest) for rest in iter_from(end))

    return iter_from(0)


def _find_ends(word: str, last: Mapping[str, str]) -> set[int]:
    """The places of a word from which on it can be cut."""
    ends = {len(word)}
    for place in range(len(word) - 1, -1, -1):
        if any(
            end in ends and word[place:end] in (last if end == len(word) else _SPELLINGS)
            for end in _reach(word, place)
        ):
            ends.add(place)
    return ends


def _reach(word: str, place: int) -> range:
    """Where a syllable that begins at a place may end, the farthest first."""
    return range(min(len(word), place + _MAX_LETTERS), place, -1)


def _join(syllables: Sequence[str]) -> tuple[str, ...]:
    pairs = (f"{MARK}{one}{other}" for one, other in islice(pairwise(syllables), MAX_PAIRS))
    return tuple(dict.fromkeys(pairs))
