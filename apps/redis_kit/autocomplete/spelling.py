"""How names and what people type are written in an index: folded, escaped, and cut where a part begins."""

import re
import unicodedata
from functools import lru_cache

#: Ends a name in a member of a sorted set; what follows is the id.
NAME_END = "\0"
#: Stands in a stored spelling before each part that can be found by itself.
PART_MARK = "\2"
#: Keep the order of code points and the property of being a prefix.
_ESCAPES = {0: "\1\3", 1: "\1\4", 2: "\1\5"}
#: A character of a script without spaces is a part by itself.
_UNSPACED = "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"
#: A part begins at a word, and at each character of a script without spaces.
_PART_START = re.compile(rf"(?<=.)(?:(?<=[\W_{_UNSPACED}])(?=[^\W_])|(?=[{_UNSPACED}]))", re.DOTALL)
_WORD = re.compile(rf"[^\W_{_UNSPACED}]+")


@lru_cache(4096)
def fold(text: str) -> str:
    """The form in which names are compared: compatible characters, no case, no accents, single spaces."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    # Marks of Latin, Greek and Cyrillic letters go; those that spell other scripts stay.
    plain = "".join(mark for mark in decomposed if not "\u0300" <= mark <= "\u036f")
    return " ".join(unicodedata.normalize("NFC", plain).split())


def escape(text: str) -> str:
    """The text without the characters that the index uses itself; a prefix stays a prefix."""
    return text.translate(_ESCAPES)


def mark_parts(folded: str) -> str:
    """A folded name, escaped, with a mark before each part that can be found by itself."""
    return PART_MARK.join(escape(part) for part in _PART_START.split(folded))


def words(folded: str) -> list[str]:
    """The words of a folded name in scripts that have spaces."""
    return _WORD.findall(folded)


def without_one_letter(word: str) -> set[str]:
    """The word, and the word without each of its letters: two words one slip apart share one of them."""
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}


def is_one_slip_away(one: str, other: str) -> bool:
    """Whether one letter added, left out, replaced, or two neighbours swapped makes one word the other."""
    short, long = sorted((one, other), key=len)
    if short == long or len(long) - len(short) > 1:
        return False
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, longer = short[start:], long[start:]
    if len(short) < len(long):
        return rest == longer[1:]
    return rest[1:] == longer[1:] or (rest[:2] == longer[1::-1] and rest[2:] == longer[2:])
